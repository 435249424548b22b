package records

import (
	"encoding/binary"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pkg/errors"
)

// parquetRows reads the records of a Parquet file, one row group after the other.
type parquetRows struct {
	name     string
	file     io.ReaderAt
	size     int64
	total    int64
	groups   []format.RowGroup
	elements []*format.SchemaElement // of the columns
	leaves   []*parquet.Column
	names    []string
	texts    []valueText // writes the values of each column
	decimal  []bool      // columns of numbers that may have decimals
	marks    []byte      // of their decimals, by Reader.Typed
	skips    bool        // the texts of rows before a position

	record int64    // number of records before the next one
	group  int      // the row group behind the columns in chunks
	chunks []*chunk // the columns of a row group
	left   int64    // number of rows of that group that are not read

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
	p := &parquetRows{name: name, file: file, size: size}
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
		p.total, p.groups = content.NumRows(), content.Metadata().RowGroups
		schema := content.Metadata().Schema
		for i := range schema {
			if schema[i].Type.Valid { // a column, not a group
				p.elements = append(p.elements, &schema[i])
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

// readFooter returns the footer, which names the columns and row groups. The decoder would take memory for any size that it states.
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
		return nil, errors.Errorf("%s is cut off: Parquet ends with its columns and %s; copy or download the file again", name,
			parquetMagic)
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
	if err := p.guard(p.readRow); err != nil {
		return nil, err
	}
	all, from := string(p.values), 0
	for i, end := range p.ends {
		p.fields[i], from = all[from:end], end
	}
	p.record++
	return p.fields, nil
}

// readRow reads the texts of the next row. It opens the next row group at the end of one.
func (p *parquetRows) readRow() error {
	for p.left == 0 {
		if p.group == len(p.groups) {
			return io.EOF
		}
		group := &p.groups[p.group]
		p.group, p.left, p.chunks = p.group+1, group.NumRows, nil
		for i := range p.leaves {
			p.chunks = append(p.chunks, p.newChunk(i, &group.Columns[i].MetaData))
		}
	}
	p.values, p.ends = p.values[:0], p.ends[:0]
	for i, c := range p.chunks {
		if err := p.readField(i, c); err != nil {
			return err
		}
		p.ends = append(p.ends, len(p.values))
	}
	p.left--
	for i, c := range p.chunks {
		if p.left == 0 && (c.left > 0 || c.next < c.number) {
			return errors.Errorf("column %d has more values than row group %d has rows", i+1, p.group)
		}
	}
	return nil
}

// readField appends the text of a column's values in a row.
func (p *parquetRows) readField(i int, c *chunk) error {
	for isFirst := true; isFirst || c.most[0] > 0; isFirst = false {
		level, err := c.level()
		switch {
		case !isFirst && (err == io.EOF || err == nil && level == 0):
			return nil
		case err == io.EOF:
			return errors.Errorf("row group %d ends %d rows too early", p.group, p.left)
		case err != nil:
			return err
		case !isFirst:
			p.values = append(p.values, '|')
		}
		if value := c.value(); !value.IsNull() && !p.skips {
			before := len(p.values)
			if p.values = p.texts[i](p.values, value); p.marks != nil && p.decimal[i] {
				p.values = append(p.values[:before], withMark(p.values[before:], p.marks[i])...)
			}
		}
	}
	return nil
}

// seek makes the record at the position the next one.
func (p *parquetRows) seek(to Position) error {
	if to.Record > p.total {
		return errors.Errorf("%s has %d records, but the position is at record %d; start from the beginning of the file", p.name, p.total,
			to.Record)
	}
	return p.guard(func() error {
		p.record, p.left, p.group = to.Record, 0, 0
		rest := to.Record
		for ; p.group < len(p.groups) && rest >= p.groups[p.group].NumRows; p.group++ {
			rest -= p.groups[p.group].NumRows
		}
		defer func() { p.skips = false }()
		for p.skips = true; rest > 0; rest-- {
			if err := p.readRow(); err != nil {
				return err
			}
		}
		return nil
	})
}
