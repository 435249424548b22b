package records

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"github.com/pkg/errors"
)

// Reader reads the records of one table. It is not safe for concurrent use.
type Reader struct {
	in     *source
	format Format
	rows   rows
	first  Position // position of the first record
	text   *text    // nil for Parquet
	wanted Options
	own    []string    // names of all columns that the file gives
	cells  *cells      // makes more of its columns; nil if the rows have all
	names  []string    // of the columns
	places []int       // of the columns among the file's own; nil if they are the same
	record []string    // memory for the columns, if places is not nil
	err    error       // the final error, or the error of the last Seek
	closed atomic.Bool // by Close, perhaps while Read waits
}

// Position says how far a file is read. The zero Position is the first record.
type Position struct {
	Record int64 `json:"record"` // number of records before the position, bad records included
	Offset int64 `json:"offset"` // number of bytes of the uncompressed text before it; for Parquet the same as Record
	Line   int64 `json:"line"`   // number of lines of the text before it; 0 for Parquet
}

// rows are the records of one format.
type rows interface {
	columns() []string
	read() ([]string, error)
	position() Position
	seek(Position) error
}

// Open opens a file, or standard input for "-".
func Open(path string, o Options) (*Reader, error) {
	var in *source
	var err error
	ctx, opened := cmp.Or(o.Context, context.Background()), make(chan struct{})
	go func() { in, err = openFile(path); close(opened) }()
	select { // a named pipe is opened when a program begins to write
	case <-opened:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	if path == "-" {
		in.raw = cmp.Or(o.Input, in.raw)
	}
	return open(in, o)
}

// New reads records from r, which errors call by name. Seek works if r is an io.Seeker. Parquet is refused: it needs random access.
func New(r io.Reader, name string, o Options) (*Reader, error) {
	in := &source{name: name, raw: r}
	if seeker, ok := r.(io.Seeker); ok {
		if base, err := seeker.Seek(0, io.SeekCurrent); err == nil {
			in.back, in.base = seeker, base
		}
	}
	return open(in, o)
}

// open detects the format of the source and makes a reader for it. It closes the source on an error.
func open(in *source, o Options) (*Reader, error) {
	if o.Needed == nil {
		o.Needed = o.Columns
	}
	r := &Reader{in: in, wanted: o}
	if in.back == nil && o.Context != nil {
		in.raw = until(o.Context, in.raw)
	}
	err := r.start(o)
	if err == nil {
		err = r.widen(o)
	}
	if err == nil {
		err = r.choose(o)
	}
	if err != nil {
		in.close()
		return nil, err
	}
	r.first = r.rows.position()
	return r, nil
}

func (r *Reader) start(o Options) error {
	if err := o.Validate(); err != nil {
		return errors.WithMessagef(err, "options to read %s", r.in.name)
	}
	if err := r.in.start(); err != nil {
		return err
	}
	if magic, _ := r.in.stored.Peek(len(parquetMagic)); string(magic) == parquetMagic { // start has handled the error
		return r.openParquet(o)
	}
	return r.openText(o)
}

func (r *Reader) openParquet(o Options) error {
	if o.Format != detected && o.Format != Parquet {
		return errors.Errorf("%s is a Parquet file, not %s; leave the format empty", r.in.name, o.Format)
	}
	if r.in.file == nil || r.in.back == nil {
		return errors.Errorf("%s is Parquet, which cannot be read from a stream; save it to a file and open that", r.in.name)
	}
	table, err := newParquet(r.in.file, r.in.size, r.in.name)
	r.format, r.rows = Parquet, table
	return err
}

func (r *Reader) openText(o Options) (err error) {
	t := &text{in: r.in, growing: o.Growing && r.in.back != nil && r.in.compression == "", buffer: make([]byte, blockSize)}
	r.text = t
	lines := sampleLines
	given := o.Comma != 0 && o.Comma != ' ' || o.Format == TSV // blanks may part fields in runs
	if o.Format == JSONLines || !r.Seekable() && o.Columns != nil || given && o.Header != headerDetected {
		lines = 1
	}
	sample, err := t.sample(lines)
	if err != nil {
		return err
	}
	sample = t.skipMark(sample)
	if err := refuse(sample, r.in.name); err != nil {
		return err
	}
	if r.format = o.Format; r.format == detected {
		if r.format = CSV; bytes.HasPrefix(bytes.TrimSpace(sample), []byte("{")) {
			r.format = JSONLines
		}
	}
	if o.Format == detected || o.Format == JSONLines {
		if err := refuseArray(sample, r.in.name); err != nil {
			return err
		}
	}
	switch r.format {
	case Parquet:
		return errors.Errorf("%s is not a Parquet file, which begins with %s; leave the format empty", r.in.name, parquetMagic)
	case JSONLines:
		r.rows, err = newJSON(t, o)
	default:
		if lines == 1 && !o.shows(sample) {
			if sample, err = t.sample(sampleLines); err != nil {
				return err
			}
		}
		r.rows, err = newCSV(t, sample, o)
	}
	return err
}

// MissingError says that a table lacks a column.
type MissingError struct {
	File, Column string
	Columns      []string // of the file
}

// Error names the column, and those of the file.
func (e *MissingError) Error() string {
	return fmt.Sprintf("%s has no column %q; its columns are %q", e.File, e.Column, e.Columns)
}

// choose finds the columns that the options name among the file's own. The file may have them in another order, and others beside them.
func (r *Reader) choose(o Options) error {
	own := r.own
	if r.names = own; o.Columns == nil || slices.Equal(own, o.Columns) {
		return nil
	}
	if lacking := o.lacking(own); len(lacking) > 0 {
		return &MissingError{r.in.name, lacking[0], own}
	}
	for _, name := range o.Columns {
		r.places = append(r.places, slices.Index(own, name))
	}
	r.names, r.record = o.Columns, make([]string, len(o.Columns))
	return nil
}

// Columns returns the names of the columns. The caller must not change them.
func (r *Reader) Columns() []string { return r.names }

// Aside counts lines that are no records, and has the names of fields that are no columns.
type Aside struct {
	Above   int64    `json:"lines_above_header,omitempty"`
	Copies  int64    `json:"header_copies,omitempty"` // of the header, and of lines above it, since the last Seek
	Ignored []string `json:"ignored,omitempty"`       // names in the table that are no columns
	Missing []string `json:"missing,omitempty"`       // columns that are needed, and that no record of JSON lines had; nil if none was read
	// Rows are the numbers of records of JSON lines that had the names in Ignored, since the last Seek.
	Rows map[string]int64 `json:"ignored_rows,omitempty"`
}

// all returns the names of all columns that the file gives. JSON lines may have got more since they were opened.
func (r *Reader) all() []string {
	if r.cells != nil {
		return r.own
	}
	return r.rows.columns()
}

// Aside returns what was left out of the part that was read.
func (r *Reader) Aside() (a Aside) {
	a.Ignored = slices.DeleteFunc(slices.Clone(r.all()), func(name string) bool { return slices.Contains(r.names, name) })
	switch rows := r.rows.(type) {
	case *csvRows:
		a.Above, a.Copies = int64(len(rows.above)), rows.copies
	case *jsonRows:
		a.Rows = rows.late
		a.Missing = slices.DeleteFunc(r.wanted.lacking(nil), func(name string) bool { return !rows.begun || rows.came[rows.places[name]] })
	}
	return a
}

// Typed says how Read writes numbers that have a type, as those of JSON and Parquet have. Text of some columns has decimal commas, so that
// 1.234 is a thousand there: numbers with a type get a comma there too. With nil, which columns these are is not known yet, and 1.234 is
// written as 1.234e-0. Without a call, numbers are written as they come.
func (r *Reader) Typed(commas []string) {
	if r.cells != nil {
		r.cells.marks = marksOf(r.own, commas)
	}
	marks := marksOf(r.rows.columns(), commas)
	switch rows := r.rows.(type) {
	case *jsonRows:
		rows.marks = marks
	case *parquetRows:
		rows.marks = marks
	}
}

func marksOf(names, commas []string) (marks []byte) {
	for _, name := range names {
		switch {
		case commas == nil:
			marks = append(marks, 'e')
		case slices.Contains(commas, name):
			marks = append(marks, ',')
		case len(commas) > 0:
			marks = append(marks, '.')
		}
	}
	return marks
}

// Read returns the fields of the next record, in the order of Columns. A missing field is "". The slice is valid until the
// next call; its strings stay valid. They share the memory of their record, so clone a string that is kept for long.
//
// The error is io.EOF at the end, and a *RecordError if the record is bad. After a RecordError the next call returns the
// next record. After a broken quote, a zero byte or a record of more than 16 MiB this is the record in the line after the
// bad record's first line. Any other error is final: the file is damaged or cannot be read.
func (r *Reader) Read() ([]string, error) {
	if r.closed.Load() {
		return nil, errors.Errorf("%s is closed", r.in.name)
	}
	if r.err != nil {
		return nil, r.err
	}
	fields, err := r.rows.read()
	if err == nil {
		if r.cells != nil {
			fields = r.cells.expand(fields)
		}
		for i, at := range r.places {
			r.record[i] = ""
			if at >= 0 {
				r.record[i] = fields[at]
			}
		}
		if r.places != nil {
			fields = r.record
		}
		return fields, nil
	}
	if !errors.As(err, new(*RecordError)) {
		r.err = err
	}
	return nil, err
}

// Position returns where the next record begins.
func (r *Reader) Position() Position { return r.rows.position() }

// Unfinished returns the number of the last line, from 1, if Read has left it alone because of Options.Growing. Otherwise it returns 0.
func (r *Reader) Unfinished() int64 {
	if r.text == nil || !r.text.half {
		return 0
	}
	return r.text.at.Line + r.text.taken + 1
}

// Watch calls do with the bytes that Position passes from now on, which are valid during the call. Parquet has no such bytes.
func (r *Reader) Watch(do func(bytes []byte)) {
	if r.text != nil {
		r.text.passed = do
	}
}

// Waits calls do before each read of the file or stream, which may be silent for long.
func (r *Reader) Waits(do func()) { r.in.waits = do }

// Seek makes the record at p the next one. The position must come from the same file and the same options. In a compressed
// file Seek reads everything before the position again. A stream cannot seek. After an error of Seek,
// Read returns the same error until Seek succeeds.
func (r *Reader) Seek(p Position) error {
	if p.Record == 0 {
		p = r.first
	}
	if p.Record < 0 || p.Line < r.first.Line || p.Offset < r.first.Offset {
		r.err = errors.Errorf("record %d at byte %d, line %d is no position of %s; start from the beginning of the file",
			p.Record, p.Offset, p.Line, r.in.name)
	} else {
		if j, ok := r.rows.(*jsonRows); ok {
			clear(j.late)
		}
		r.err = r.rows.seek(p)
	}
	return r.err
}

// Progress returns the number of stored bytes that were read, for Parquet an estimate, and the size of the file; 0 if that is not known.
// Of a plain file it counts the records, since a buffer may hold all of a small one.
func (r *Reader) Progress() (read, size int64) {
	if r.Plain() {
		return r.Position().Offset, r.in.size
	}
	if table, ok := r.rows.(*parquetRows); ok {
		return table.progress(r.in.size), r.in.size
	}
	return r.in.count, r.in.size
}

// Plain tells whether positions count the bytes of the file itself: it is a text that is not compressed.
func (r *Reader) Plain() bool { return r.Seekable() && r.text != nil && r.in.compression == "" }

// Seekable tells whether Seek works. It works for a file, and not for a pipe.
func (r *Reader) Seekable() bool { return r.in.back != nil }

// Close closes the file. Another goroutine may be in Read, as of a pipe that is silent.
func (r *Reader) Close() error {
	r.closed.Store(true)
	return r.in.close()
}
