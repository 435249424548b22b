package feed

import (
	"encoding/csv"
	"io"
	"os"
	"slices"

	"github.com/pkg/errors"
)

// table reads CSV from a file or a pipe, with the byte offsets that Position needs. It does not check a position: the feed must
// notice a changed input by itself. The file ends at its last line end, since the line after it may still be written.
type table struct {
	file     *os.File // nil for a pipe
	columns  []string
	first    Position // where the first record begins
	rows     *csv.Reader
	from, at Position // where rows began, and the present position
}

// badLine is a line that is not CSV.
type badLine struct{ error }

func (badLine) BadRecord() {}

func openTable(path string) (*table, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	t := &table{file: file}
	return t, t.start(file)
}

// pipe reads a table that cannot seek.
func pipe(r io.Reader) (*table, error) {
	t := &table{}
	return t, t.start(r)
}

func (t *table) start(r io.Reader) error {
	t.read(r)
	header, err := t.Read()
	if err != nil {
		return errors.Wrap(err, "reading the header")
	}
	t.columns = slices.Clone(header)
	t.at.Record = 0
	t.first = t.at
	if t.file == nil {
		return nil
	}
	return t.Seek(Position{})
}

func (t *table) read(r io.Reader) {
	t.rows = csv.NewReader(r)
	t.rows.ReuseRecord = true
	t.from = t.at
}

func (t *table) Columns() []string { return t.columns }

func (t *table) Read() ([]string, error) {
	record, err := t.rows.Read()
	if err == io.EOF {
		return nil, err
	}
	t.at = Position{Record: t.at.Record + 1, Offset: t.from.Offset + t.rows.InputOffset(), Line: t.at.Line + 1}
	if errors.As(err, new(*csv.ParseError)) {
		return nil, badLine{err}
	}
	return record, err
}

func (t *table) Position() Position { return t.at }

func (t *table) Seek(p Position) error {
	if p.Record == 0 {
		p = t.first
	}
	size, err := lastLineEnd(t.file)
	if err != nil {
		return err
	}
	t.at = p
	t.read(io.NewSectionReader(t.file, p.Offset, size-p.Offset))
	t.rows.FieldsPerRecord = len(t.columns)
	return nil
}

func (t *table) Close() {
	if t.file != nil {
		t.file.Close()
	}
}

// lastLineEnd returns the number of bytes up to a file's last line end.
func lastLineEnd(file *os.File) (int64, error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	size, last := info.Size(), make([]byte, 1)
	for ; size > 0; size-- {
		if _, err := file.ReadAt(last, size-1); err != nil {
			return 0, err
		}
		if last[0] == '\n' {
			break
		}
	}
	return size, nil
}
