package feed

import (
	"bufio"
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/remedy"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// output is the file of forecasts that a checkpoint refers to. The methods of a nil output do nothing.
type output struct {
	*writer
	file    disk.File
	buffer  *bufio.Writer
	written beginning // the part that the last checkpoint refers to
	failed  error     // the first error: later bytes would not be in their place
}

// openOutput opens the file for forecasts. It returns an error if the file holds anything but the forecasts that the state names, unless
// the options let it be overwritten: then the forecasts begin anew. It changes no file.
func openOutput(s *State, schema schema.Schema, options Options) (o *output, err error) {
	path, d, flags := options.Output, options.Disk, os.O_RDWR
	if s.Output == 0 || options.Overwrite {
		flags |= os.O_CREATE
	}
	o = &output{written: beginning{s.OutputSHA256, s.Output}}
	if o.file, err = d.OpenFile(path, flags, 0o644); err != nil {
		if s.Output > 0 && errors.Is(err, fs.ErrNotExist) {
			return nil, remedy.Errorf("new forecasts", "%s is missing, and the last checkpoint wrote its first %d bytes; put it back", path, s.Output)
		}
		return nil, remedy.With("other output", errors.Wrap(err, "opening the file for forecasts"))
	}
	o.buffer = bufio.NewWriterSize(o.file, 1<<16)
	o.writer = newWriter(o.buffer, schema)
	foreign, err := o.check(path, s)
	switch {
	case foreign != nil && options.Overwrite:
		o.written = beginning{}
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
func (o *output) check(path string, s *State) (foreign, err error) {
	info, err := o.file.Stat()
	if err != nil {
		return nil, errors.Wrap(err, "looking at the file for forecasts")
	}
	if !info.Mode().IsRegular() {
		return nil, remedy.Errorf("other output", "%s is a pipe or a device, and forecasts need a plain file", path)
	}
	if o.written.Bytes > 0 { // what follows was written after the last checkpoint
		_, same, err := o.written.extend(o.file, o.written.Bytes)
		if err == nil && same && o.isAppended(info.Size(), s.Position.Record) {
			return remedy.Errorf("overwrite forecasts", "%s has lines of another program at its end; remove them", path), nil
		}
		if err == nil && !same {
			foreign = remedy.Errorf("new forecasts", "%s was cut or replaced: it does not begin with the %d bytes that the last checkpoint wrote; put it back",
				path, o.written.Bytes)
		}
		return foreign, err
	}
	ours := info.Size() == 0
	if !ours && s.last.Bytes == info.Size() {
		_, ours, err = s.last.extend(o.file, s.last.Bytes)
	}
	if !ours && err == nil && string(s.OutputName) == filepath.Base(path) {
		ours, err = o.hasHeader()
	}
	if !ours {
		foreign = remedy.Errorf("output exists", "%s already exists, and is not as this model wrote it", path)
	}
	return foreign, err
}

// isAppended returns whether the last line is no forecast of a record after the last checkpoint, so that another program has written it.
// Only whole lines tell, without quotes, which may hold a line end. A power failure may have cleared bytes that were not synced.
func (o *output) isAppended(size, record int64) bool {
	end := make([]byte, min(size-o.written.Bytes, maxLast))
	if _, err := o.file.ReadAt(end, size-int64(len(end))); err != nil || bytes.ContainsAny(end, "\x00\"") {
		return false
	}
	lines := bytes.Split(end, []byte{'\n'})
	if len(lines) < 3 && int64(len(end)) < size-o.written.Bytes || len(lines) < 2 {
		return false
	}
	number, _, _ := bytes.Cut(lines[len(lines)-2], []byte{','})
	n, err := strconv.ParseInt(string(number), 10, 64)
	return err != nil || n <= record
}

// hasHeader returns whether the file begins as forecasts do. A power failure may have cleared bytes that were not synced.
func (o *output) hasHeader() (bool, error) {
	head := make([]byte, len(o.line))
	n, err := o.file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return false, errors.Wrap(err, "reading the file for forecasts")
	}
	for i, b := range head[:n] {
		if b != o.line[i] && b != 0 {
			return false, nil
		}
	}
	return true, nil
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

// sync brings all forecasts to the disk. After an error it returns the same error again, since a later sync might succeed without
// the bytes that are lost.
func (o *output) sync() (beginning, error) {
	if o.failed == nil {
		o.failed = o.trySync()
	}
	return o.written, o.failed
}

func (o *output) trySync() error {
	if err := o.buffer.Flush(); err != nil {
		return errors.Wrap(err, "writing forecasts; free some space on the disk")
	}
	if err := o.file.Sync(); err != nil {
		return errors.Wrap(err, "writing forecasts; free some space on the disk")
	}
	now, same, err := o.written.extend(o.file, o.length)
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
