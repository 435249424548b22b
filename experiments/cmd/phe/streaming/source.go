package streaming

import (
	"io"

	"github.com/pkg/errors"

	"gophe/data/records"
	"gophe/phe/feed"
	"gophe/phe/stream/schema"
)

// source is a file or a pipe as a feed reads it.
type source struct {
	*records.Reader
	path string

	// Of a pipe: the records that were read to find out what the columns are, which come again.
	sample    [][]string
	positions []feed.Position // behind each
	next      int
}

// standardInput is the path of the pipe.
const standardInput = "-"

// openSource opens an input. columns are those of the model that will read it; nil of a new one.
func openSource(path string, f *inputFlags, columns []string) (*source, error) {
	o, err := f.options()
	if err != nil {
		return nil, err
	}
	if columns != nil {
		o.Columns = columns
	}
	r, err := records.Open(path, o)
	if err != nil {
		return nil, err
	}
	return &source{Reader: r, path: path}, nil
}

// isPipe tells whether the input can be read once only.
func (s *source) isPipe() bool { return !s.Seekable() }

// identify returns the input's identity. That of a plain file grows with what is read of it.
func (s *source) identify() (feed.Input, error) {
	switch {
	case s.isPipe():
		if s.path == standardInput {
			return feed.Input{Name: "standard input"}, nil
		}
		return feed.Input{Name: s.path}, nil
	case s.isPlain():
		return feed.Identify(s.path, 0)
	}
	return feed.Identify(s.path, feed.MostIdentity)
}

// isPlain tells whether positions count the file's own bytes.
func (s *source) isPlain() bool {
	return !s.isPipe() && !s.Compressed() && s.Format() != records.Parquet
}

// badRecord is a record that cannot be read, after which the next one can.
type badRecord struct{ *records.RecordError }

// BadRecord marks the error for package feed.
func (badRecord) BadRecord() {}

// Read returns the next record.
func (s *source) Read() ([]string, error) {
	if s.next < len(s.sample) {
		s.next++
		return s.sample[s.next-1], nil
	}
	record, err := s.Reader.Read()
	var bad *records.RecordError
	if errors.As(err, &bad) {
		return nil, badRecord{bad}
	}
	return record, err
}

// Position returns where the next record begins.
func (s *source) Position() feed.Position {
	if s.next < len(s.sample) {
		if s.next == 0 {
			return feed.Position{}
		}
		return s.positions[s.next-1]
	}
	return feed.Position(s.Reader.Position())
}

// Seek goes to a position.
func (s *source) Seek(p feed.Position) error { return s.Reader.Seek(records.Position(p)) }

// pipeSample is the number of records of a pipe that are read before the first is learned: whoever fills it may be slow.
const pipeSample = 1000

// look returns the first records that keep lets through. They come again.
func (s *source) look(keep func(schema.Record) (bool, error)) (sample [][]string, err error) {
	most := schema.Sample
	if s.isPipe() {
		most = pipeSample
	}
	for len(sample) < most {
		record, err := s.Reader.Read()
		if err == io.EOF {
			break
		}
		if errors.As(err, new(*records.RecordError)) {
			if s.isPipe() { // it could not come again
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		copied := append([]string(nil), record...)
		if s.isPipe() {
			s.sample, s.positions = append(s.sample, copied), append(s.positions, feed.Position(s.Reader.Position()))
		}
		kept := true
		if keep != nil {
			if kept, err = keep(copied); err != nil {
				return nil, err
			}
		}
		if kept {
			sample = append(sample, copied)
		}
	}
	if s.isPipe() {
		return sample, nil
	}
	return sample, s.Reader.Seek(records.Position{})
}
