package driver

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	outputs "gophe/phe/disk/outfile"
	"gophe/phe/remedy"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// output is the file of forecasts that a checkpoint refers to. The methods of a nil output do nothing.
type output struct {
	*writer
	file    disk.File
	buffer  *bufio.Writer
	written disk.Beginning // the part that the last checkpoint refers to
	failed  error          // the first error: later bytes would not be in their place
}

// Kind is the kind of files of forecasts, as their first line tells, or the first of JSON. A name in it may have line ends between quotes.
var Kind = outputs.Kind{Name: "forecasts", Begins: `record,(?:"[^"]*"|[^"\n])*,novelty\n|\{"record":[0-9]+,[^\n]*"novelty":`}

// openOutput opens the file for forecasts. It returns an error if the file holds anything but the forecasts that the state names, unless
// the options let it be overwritten: then the forecasts begin anew. It changes no file.
func openOutput(s *State, schema schema.Schema, options Options, gaps bool) (o *output, err error) {
	path, d, flags := options.Output, options.Disk, os.O_RDWR
	if s.Output == 0 || options.Overwrite {
		flags |= os.O_CREATE
	}
	o = &output{written: disk.Beginning{SHA256: s.OutputSHA256, Bytes: s.Output}}
	if o.file, err = d.OpenFile(path, flags, 0o644); err != nil {
		if s.Output > 0 && errors.Is(err, fs.ErrNotExist) {
			return nil, remedy.Errorf("new forecasts", "%s is missing, and the last checkpoint wrote its first %d bytes; put it back", path,
				s.Output)
		}
		return nil, remedy.With("other output", errors.Wrap(err, "opening the file for forecasts"))
	}
	o.buffer = bufio.NewWriterSize(o.file, 1<<16)
	o.writer = newWriter(o.buffer, schema)
	foreign, err := o.check(path, s, gaps)
	switch other := (outputs.Place{Path: path, Overwrite: true, Kind: Kind}).Check(); {
	case foreign != nil && other != nil:
		err = remedy.With("other output", other)
	case foreign != nil && options.Overwrite:
		o.written = disk.Beginning{}
	case err == nil:
		err = foreign
	}
	if err == nil && o.written.Bytes == 0 {
		err = d.SyncFolder(filepath.Dir(path)) // the checkpoint will name the file, and may lie in another folder
	}
	if err != nil {
		o.file.Close()
		return nil, err
	}
	o.length = o.written.Bytes
	return o, nil
}

// check returns an error that says why the file is not the file of forecasts that the state names; nil if it is.
func (o *output) check(path string, s *State, gaps bool) (foreign, err error) {
	info, err := o.file.Stat()
	if err != nil {
		return nil, errors.Wrap(err, "looking at the file for forecasts")
	}
	if !info.Mode().IsRegular() {
		return nil, remedy.Errorf("other output", "%s is a pipe or a device, and forecasts need a plain file", path)
	}
	head := make([]byte, min(s.Output, int64(len(o.line))))
	if n, _ := o.file.ReadAt(head, 0); n == len(head) && !bytes.HasPrefix(o.line, head) && bytes.HasPrefix(head, []byte("record,")) {
		return remedy.Errorf("new forecasts", "%s holds forecasts without the rows' new id; keep it under another name", path), nil
	}
	ours, err := o.is(s.output(), path, info.Size(), gaps)
	if err != nil || ours || info.Size() == 0 && s.Output == 0 {
		return nil, err
	}
	if s.Output == 0 {
		return remedy.Errorf("output exists", "%s already exists, and is not as this model wrote it", path), nil
	}
	if _, same, err := o.written.Extend(o.file, s.Output); !same {
		return remedy.Errorf("new forecasts",
			"%s was cut or replaced: it does not begin with the %d bytes that the last checkpoint wrote; put it back", path, s.Output), err
	}
	return remedy.Errorf("overwrite forecasts", "%s has lines of another program after byte %d; remove them", path, s.Output), nil
}

// ending is a checkpoint's knowledge about the end of a file of forecasts.
type ending struct {
	disk.Beginning
	name   string // of the file without its folder
	record int64  // before the next forecast
	whole  bool   // nothing was written after the checkpoint
}

// is reports whether the file begins as a checkpoint describes, and goes on as after a kill: forecasts of the next records, the last
// one torn. A power failure also leaves zeros in place of sectors that were not synced. With gaps some records have no forecasts.
func (o *output) is(e ending, path string, size int64, gaps bool) (bool, error) {
	at, header := e.Bytes, io.Reader(io.NewSectionReader(o.file, 0, e.Bytes))
	if at == 0 {
		head := make([]byte, min(size, int64(len(o.line))))
		_, err := o.file.ReadAt(head, 0)
		if err != nil || e.name != filepath.Base(path) || !bytes.HasPrefix(o.line, bytes.TrimRight(head, "\x00")) {
			return false, errors.Wrap(err, "reading the file for forecasts")
		}
		at, header = int64(len(head)), bytes.NewReader(o.line)
	} else if _, same, err := e.Extend(o.file, at); err != nil || !same {
		return false, err
	}
	if e.whole {
		return size == e.Bytes, nil
	}
	const sector, longest = 512, 40 << 20    // an id is a part of a record, and may have many quotes
	names, _ := csv.NewReader(header).Read() // it is ours
	pattern, next, free, foreign := patternOf(names), e.record+1, gaps, errors.New("no forecast")
	s := bufio.NewScanner(io.NewSectionReader(o.file, at, size-at))
	s.Buffer(nil, longest)
	s.Split(func(b []byte, ends bool) (int, []byte, error) {
		m := pattern.FindSubmatchIndex(b)
		if len(b) == 0 || !ends && (m == nil || m[4] < 0) {
			return 0, nil, nil // more is to be read
		}
		if m == nil || m[7] > 0 && m[7] < len(b) && (at+int64(m[7]))%sector != 0 {
			return 0, nil, foreign
		}
		digits, wanted := string(b[m[2]:m[3]]), strconv.FormatInt(next, 10)
		n, _ := strconv.ParseInt(digits, 10, 64)
		inNumber := m[3] == m[1] || m[3] == m[6] // it is torn there
		if digits != wanted && !(inNumber && strings.HasPrefix(wanted, digits)) && !(free && (inNumber || n > next)) {
			return 0, nil, foreign
		}
		at, next, free = at+int64(m[1]), max(next, n+1), gaps || bytes.IndexByte(b[:m[1]], 0) >= 0
		return m[1], b[:m[1]], nil
	})
	for s.Scan() {
	}
	err := s.Err()
	if err == foreign || err == bufio.ErrTooLong {
		return false, nil
	}
	return err == nil, errors.Wrap(err, "reading the file for forecasts")
}

// patternOf returns the pattern of a line with these names of its fields. The line is whole (group 2), torn, or torn with zeros after it
// (group 3) and what follows them. Group 1 is the number of the record.
func patternOf(names []string) *regexp.Regexp {
	whole, torn := "", ""
	for i := len(names) - 1; i > 0; i-- {
		field, part := `[-+.0-9eEInfNa]+`, `[-+.0-9eEInfNa]*`
		if (names[i] == "forecast" || i == 1 && len(names) > 3) && names[i+1] != "low" { // a class or an id
			field, part = `(?:"(?:[^"]|"")*"|[^",\r\n]*)`, `(?:"(?:[^"\x00]|"")*"?|[^",\r\n\x00]*)`
		}
		whole, torn = ","+field+whole, "(?:,"+part+torn+")?"
	}
	return regexp.MustCompile(`^(\d*)(?:` + whole + `(\n)|` + torn + `(?:$|(\x00+)[^\n]*\n?))`)
}

// cut removes the forecasts that were written after the last checkpoint.
func (o *output) cut() error {
	if o == nil {
		return nil
	}
	if err := o.file.Truncate(o.length); err != nil {
		return errors.Wrap(err, "cutting the file for forecasts to the last checkpoint")
	}
	_, err := o.file.Seek(o.length, io.SeekStart)
	return errors.Wrap(err, "going to the end of the file for forecasts")
}

// write writes the forecast of a record.
func (o *output) write(record int64, r schema.Record, f stream.Forecast) error {
	if o == nil {
		return nil
	}
	if o.failed == nil {
		o.failed = o.writer.write(record, r, f)
	}
	return o.failed
}

// sync brings all forecasts to the disk. After an error it returns that again: a later sync might succeed without the lost bytes.
func (o *output) sync() (disk.Beginning, error) {
	if o.failed == nil {
		o.failed = o.trySync()
	}
	return o.written, o.failed
}

func (o *output) trySync() error {
	if err := cmp.Or(o.buffer.Flush(), o.file.Sync()); err != nil {
		return errors.Wrap(err, "writing forecasts; free some space on the disk")
	}
	now, same, err := o.written.Extend(o.file, o.length)
	if err == nil && !same {
		err = remedy.Errorf("new forecasts", "%s was cut or replaced while forecasts were written to it; put it back", o.file.Name())
	}
	if err == nil {
		o.written = now
	}
	return err
}

func (o *output) close() {
	if o != nil {
		o.file.Close() // save has synced it
	}
}
