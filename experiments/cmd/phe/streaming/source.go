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

	// The records of a pipe that were read to describe its columns. Read returns them again.
	sample    [][]string
	positions []feed.Position // after each record
	next      int
}

// standardInput is the path that means standard input.
const standardInput = "-"

// openSource opens an input for a model with the given columns. A new model has none.
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

// isPipe returns whether the input can be read only once.
func (s *source) isPipe() bool { return !s.Seekable() }

// identify returns the input's identity. The identity of a plain file covers more as more of the file is read.
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

// isPlain returns whether positions count the bytes of the file itself.
func (s *source) isPlain() bool {
	return !s.isPipe() && !s.Compressed() && s.Format() != records.Parquet
}

// badRecord is a record that cannot be read. The record after it can.
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
	switch {
	case errors.As(err, &bad):
		return nil, badRecord{bad}
	case err == io.EOF && s.Unfinished() > 0:
		return nil, feed.ErrUnfinished
	}
	return record, err
}

// Position returns the beginning of the next record.
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

// pipeSample is the number of records that are read from a pipe before the first is learned. It is small, because a pipe may be slow.
const pipeSample = 1000

// look returns the first records that keep accepts. Read returns them again.
func (s *source) look(keep func(schema.Record) (bool, error)) (sample [][]string, err error) {
	most := schema.Sample
	if s.isPipe() {
		most = pipeSample
	}
	var sampled schema.Sampled
	for more := true; more && len(sample) < most; {
		record, err := s.Reader.Read()
		if err == io.EOF {
			break
		}
		if errors.As(err, new(*records.RecordError)) {
			if s.isPipe() { // it cannot be read again
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
		if kept || s.isPipe() {
			more = sampled.Add(copied)
		}
	}
	if s.isPipe() {
		return sample, nil
	}
	return sample, s.Reader.Seek(records.Position{})
}
