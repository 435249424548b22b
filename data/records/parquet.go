package records

import (
	"encoding/binary"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pkg/errors"
)

// batchRows is the number of Parquet rows that are decoded at once.
const batchRows = 64

// parquetRows reads the records of a Parquet file, one row group after the other.
type parquetRows struct {
	name    string
	file    io.ReaderAt
	size    int64
	total   int64
	groups  []parquet.RowGroup
	pages   []format.RowGroup // positions of the groups' pages
	widths  []int64           // bytes of a column's values if all have the same number; else 1
	names   []string
	texts   []valueText // writes the values of each column
	decimal []bool      // columns of numbers that may have decimals
	marks   []byte      // of their decimals, by Reader.Typed

	record int64        // number of records before the next one
	group  int          // the row group after rows
	rows   parquet.Rows // rows of the open row group; nil if none is open
	left   int64        // number of rows of the open group that are not in batch
	batch  []parquet.Row
	ready  []parquet.Row // rows of batch that read has not returned

	values []byte // the texts of the current record
	ends   []int  // end of each column's text in values
	fields []string
}

// newParquet reads the columns of a file of the given size.
func newParquet(file io.ReaderAt, size int64, name string) (*parquetRows, error) {
	footer, err := readFooter(file, size, name)
	if err != nil {
		return nil, err
	}
	p := &parquetRows{name: name, file: file, size: size, batch: make([]parquet.Row, batchRows)}
	err = p.guard(func() error {
		if _, err := measure(footer); err != nil {
			return errors.WithMessage(err, "reading parquet file metadata")
		}
		// Indexes and filters are not read, because their size grows with the file.
		content, err := parquet.OpenFile(file, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true),
			parquet.ReadBufferSize(16<<10))
		if err != nil {
			return err
		}
		p.total, p.groups, p.pages = content.NumRows(), content.RowGroups(), content.Metadata().RowGroups
		for _, e := range content.Metadata().Schema {
			if e.Type.Valid { // a column, not a group
				p.widths = append(p.widths, max(1, int64(e.TypeLength.V)))
			}
		}
		return p.addColumns(content.Root(), nil, false)
	})
	if err != nil {
		return nil, err
	}
	if len(p.names) == 0 {
		return nil, errors.Errorf("%s has no columns; write the table again", name)
	}
	if i, j := duplicate(p.names); j > 0 {
		return nil, errors.Errorf("columns %d and %d of %s are both named %q; rename one of them", i+1, j+1, name, p.names[i])
	}
	p.fields = make([]string, len(p.names))
	return p, nil
}

// readFooter returns the footer, which names the columns and row groups. It is an error if the file does not end as Parquet does. The
// decoder would take memory for any size that the last bytes state.
func readFooter(file io.ReaderAt, size int64, name string) ([]byte, error) {
	const magics = 2*len(parquetMagic) + 4
	var end [8]byte
	if size >= int64(magics) {
		if _, err := file.ReadAt(end[:], size-int64(len(end))); err != nil && err != io.EOF {
			return nil, errors.Wrapf(err, "reading %s", name)
		}
	}
	length := int64(binary.LittleEndian.Uint32(end[:4]))
	if string(end[4:]) != parquetMagic || length > size-int64(magics) {
		return nil, errors.Errorf("%s is cut off: Parquet ends with its columns and %s; copy or download the file again", name, parquetMagic)
	}
	if length > maxFooter {
		return nil, errors.Errorf("%s has a footer of %d bytes, and at most %d MiB are read; write fewer columns or larger row groups",
			name, length, maxFooter>>20)
	}
	footer := make([]byte, length)
	_, err := file.ReadAt(footer, size-int64(len(end))-length)
	return footer, errors.Wrapf(err, "reading %s", name)
}

// guard runs a part of the decoder. The decoder panics at some damaged files, which are no fault of this program.
func (p *parquetRows) guard(do func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = errors.Errorf("%s has damaged Parquet data: %v; write or download the file again", p.name, cause)
		}
	}()
	err = do()
	if err == nil || err == io.EOF {
		return err
	}
	return errors.Wrapf(err, "%s has Parquet data that cannot be read; write or download the file again", p.name)
}

func (p *parquetRows) columns() []string { return p.names }

func (p *parquetRows) position() Position { return Position{Record: p.record, Offset: p.record} }

// progress returns the number of bytes that the records read so far take on average.
func (p *parquetRows) progress(size int64) int64 {
	if p.total <= 0 {
		return size
	}
	return int64(float64(size) * float64(p.record) / float64(p.total))
}

// read returns the next record.
func (p *parquetRows) read() ([]string, error) {
	for len(p.ready) == 0 {
		if err := p.guard(p.fill); err != nil {
			return nil, err
		}
	}
	row := p.ready[0]
	p.values, p.ends = p.values[:0], p.ends[:0]
	for i, value := range row {
		column := value.Column()
		if i > 0 && row[i-1].Column() == column {
			p.values = append(p.values, '|')
		}
		for len(p.ends) < column {
			p.ends = append(p.ends, len(p.values))
		}
		if !value.IsNull() {
			before := len(p.values)
			if p.values = p.texts[column](p.values, value); p.marks != nil && p.decimal[column] {
				p.values = append(p.values[:before], withMark(p.values[before:], p.marks[column])...)
			}
		}
	}
	for len(p.ends) < len(p.names) {
		p.ends = append(p.ends, len(p.values))
	}
	all, from := string(p.values), 0
	for i, end := range p.ends {
		p.fields[i], from = all[from:end], end
	}
	p.ready = p.ready[1:]
	p.record++
	return p.fields, nil
}

// fill reads a batch of rows. It opens the next row group at the end of one.
func (p *parquetRows) fill() error {
	for p.rows == nil {
		if p.group == len(p.groups) {
			return io.EOF
		}
		if err := p.openGroup(); err != nil {
			return err
		}
	}
	n, err := p.rows.ReadRows(p.batch[:min(batchRows, p.left)])
	p.ready, p.left = p.batch[:n], p.left-int64(n)
	switch {
	case p.left == 0:
		return p.closeGroup()
	case err == io.EOF || err == nil && n == 0:
		return errors.Errorf("row group %d ends %d rows too early", p.group, p.left)
	}
	return err
}

// openGroup opens the next row group, unless it has no rows: it may then have no pages of data.
func (p *parquetRows) openGroup() error {
	if p.pages[p.group].NumRows == 0 {
		p.group++
		return nil
	}
	if err := p.checkPages(&p.pages[p.group]); err != nil {
		return err
	}
	p.rows, p.left = p.groups[p.group].Rows(), p.groups[p.group].NumRows()
	p.group++
	return nil
}

func (p *parquetRows) closeGroup() error {
	if p.rows == nil {
		return nil
	}
	err := p.rows.Close()
	p.rows = nil
	return err
}

// seek makes the record at the position the next one.
func (p *parquetRows) seek(to Position) error {
	if to.Record > p.total {
		return errors.Errorf("%s has %d records, but the position is at record %d; start from the beginning of the file", p.name, p.total, to.Record)
	}
	return p.guard(func() error {
		if err := p.closeGroup(); err != nil {
			return err
		}
		p.record, p.ready, p.group = to.Record, nil, 0
		rest := to.Record
		for ; p.group < len(p.groups) && rest >= p.groups[p.group].NumRows(); p.group++ {
			rest -= p.groups[p.group].NumRows()
		}
		if p.group == len(p.groups) {
			return nil
		}
		if err := p.openGroup(); err != nil {
			return err
		}
		p.left -= rest
		return p.rows.SeekToRow(rest)
	})
}
