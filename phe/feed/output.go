package feed

import (
	"bufio"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pkg/errors"

	"gophe/phe/checkpoint"
	"gophe/phe/disk"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// output is the file of forecasts that a checkpoint refers to. The methods of a nil output do nothing.
type output struct {
	*Writer
	file    disk.File
	buffer  *bufio.Writer
	written beginning // the part that the last checkpoint refers to
	failed  error     // the first error: later bytes would not be in their place
}

// openOutput opens the file for forecasts. It returns an error if the bytes of the last checkpoint are not there. It changes no
// file.
func openOutput(d disk.FS, path string, s *State, schema schema.Schema) (o *output, err error) {
	flags := os.O_RDWR
	if s.Output == 0 {
		flags |= os.O_CREATE
	}
	o = &output{written: beginning{s.OutputSHA256, s.Output}}
	if o.file, err = d.OpenFile(path, flags, 0o644); err != nil {
		if s.Output > 0 && errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Errorf("%s is missing, and the last checkpoint wrote its first %d bytes; %s", path, s.Output, putBack)
		}
		return nil, errors.Wrap(err, "opening the file for forecasts; name another one with --predictions")
	}
	err = o.check(path)
	if err == nil && s.Output == 0 {
		err = d.SyncFolder(filepath.Dir(path)) // the checkpoint will name the file, and may lie in another folder
	}
	if err != nil {
		o.file.Close()
		return nil, err
	}
	o.buffer = bufio.NewWriterSize(o.file, 1<<16)
	o.Writer = NewWriter(o.buffer, schema)
	o.length = s.Output
	return o, nil
}

// putBack says what to do about a file of forecasts that the checkpoint does not fit.
const putBack = "put it back, leave out --predictions, or start anew with --force"

// check returns an error if the file does not begin with the bytes of the last checkpoint.
func (o *output) check(path string) error {
	info, err := o.file.Stat()
	if err != nil {
		return errors.Wrap(err, "looking at the file for forecasts")
	}
	if !info.Mode().IsRegular() {
		return errors.Errorf("%s is a pipe or a device, and forecasts need a plain file; name another one with --predictions", path)
	}
	_, same, err := o.written.extend(o.file, o.written.bytes)
	if err == nil && !same {
		err = errors.Errorf("%s was cut or replaced: it does not begin with the %d bytes that the last checkpoint wrote; %s", path, o.written.bytes, putBack)
	}
	return err
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
		o.failed = o.Write(record, r, f)
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
		err = errors.Errorf("%s was cut or replaced while forecasts were written to it; %s", o.file.Name(), putBack)
	}
	if err == nil {
		o.written = now
	}
	return err
}

func (o *output) close() {
	if o != nil {
		o.file.Close() // Save has synced it
	}
}

// avoid returns an error if forecasts would be written over the input or the checkpoint.
func avoid(path, input string, store *checkpoint.Store) error {
	others := []string{input}
	if store != nil {
		others = append(others, checkpoint.Files(store.Path())...)
	}
	for _, other := range others {
		if sameFile(path, other) {
			return errors.Errorf("forecasts would be written over %s; name another file with --predictions", other)
		}
	}
	return nil
}

// sameFile returns whether two paths lead to one file, or would if it existed.
func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	second, err2 := os.Stat(b)
	if err == nil && err2 == nil {
		return os.SameFile(first, second)
	}
	a, err = filepath.Abs(a)
	b, err2 = filepath.Abs(b)
	return err == nil && err2 == nil && a == b
}
