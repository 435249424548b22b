package streaming

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/pkg/errors"

	"gophe/data/records"
	"gophe/phe/feed"
	"gophe/phe/output"
	"gophe/phe/stream/schema"
)

// source is a file or a pipe as a feed reads it.
type source struct {
	*records.Reader
	path string
	keep func(record []string) bool // whether a record belongs to the stream; nil if all do

	// The records of a pipe that were read to describe its columns. Read returns them again.
	sample []reading
	next   int
	coming chan reading // of a read that was under way when look stopped; nil if there is none
	given  func()       // called when Read has returned the sample

	learned    int64      // records, at the end
	reading    sync.Mutex // held while a record is read
	done, size int64      // of the last Progress
}

// reading is the result of one read of a pipe.
type reading struct {
	record []string
	err    error
	after  feed.Position
}

// standardInput is the path that means standard input.
const standardInput = output.Standard

// openSource opens an input for a model with the given columns. A new model has none.
func openSource(path string, f *inputFlags, columns []string) (*source, error) {
	if err := output.AvoidStandard(path); err != nil {
		return nil, err
	}
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

// Read returns the next record.
func (s *source) Read() ([]string, error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	if s.next < len(s.sample) {
		s.next++
		r := s.sample[s.next-1]
		return r.record, r.err
	}
	if s.given != nil {
		s.given()
		s.given = nil
	}
	if s.coming != nil {
		r := <-s.coming
		s.coming = nil
		return r.record, r.err
	}
	return s.read()
}

// read returns the next record of the reader.
func (s *source) read() ([]string, error) {
	record, err := s.Reader.Read()
	if err == io.EOF && s.Unfinished() > 0 {
		err = feed.ErrUnfinished
	}
	return record, err
}

// Position returns the beginning of the next record.
func (s *source) Position() feed.Position {
	switch {
	case s.next == len(s.sample) && s.coming == nil:
		return feed.Position(s.Reader.Position())
	case s.next == 0:
		return feed.Position{}
	}
	return s.sample[s.next-1].after
}

// Progress returns the number of bytes read and the size of the file, which is 0 if it is not known. It does not wait for a record that is
// being read.
func (s *source) Progress() (read, size int64) {
	if s.reading.TryLock() {
		defer s.reading.Unlock()
		if s.coming == nil {
			s.done, s.size = s.Reader.Progress()
		}
	}
	return s.done, s.size
}

// Seek goes to a position.
func (s *source) Seek(p feed.Position) error { return s.Reader.Seek(records.Position(p)) }

// pipeSample is the number of records that are read from a pipe before the first is learned. It is small, because a pipe may be slow.
const pipeSample = 1000

// look returns the first records that belong to the stream. Read returns them again. Of a pipe it returns the records that came before the
// context or the pipe ended.
func (s *source) look(ctx context.Context) (sample [][]string, err error) {
	if s.isPipe() {
		read := records.SkipBad(func() ([]string, error) { return s.await(ctx) })
		_, _ = schema.First(func() ([]string, error) { // it bounds all records that are kept for Read, which returns the error after them
			if len(sample) == pipeSample {
				return nil, io.EOF
			}
			record, err := read()
			if err == nil && (s.keep == nil || s.keep(record)) {
				sample = append(sample, record)
			}
			return record, err
		}, nil, math.MaxInt)
		if len(s.sample) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return sample, nil
	}
	sample, err = schema.First(records.SkipBad(s.read), s.keep, schema.Sample)
	if err != nil && err != feed.ErrUnfinished {
		return nil, err
	}
	return sample, s.Reader.Seek(records.Position{})
}

// await reads a record of a pipe, and keeps it for Read. If the context ends first, it returns the context's error.
func (s *source) await(ctx context.Context) ([]string, error) {
	coming := make(chan reading, 1)
	go func() {
		record, err := s.read()
		coming <- reading{slices.Clone(record), err, feed.Position(s.Reader.Position())}
	}()
	select {
	case r := <-coming:
		if r.err != io.EOF {
			s.sample = append(s.sample, r)
		}
		return r.record, r.err
	case <-ctx.Done():
		s.coming = coming
		return nil, ctx.Err()
	}
}

// afterSample returns a context that ends when ctx has ended and Read has returned the sample: nobody sends a pipe's records again.
func (s *source) afterSample(ctx context.Context) (context.Context, context.CancelFunc) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.given = func() { context.AfterFunc(ctx, cancel) }
	return late, cancel
}

// lost adds to an error the number of records of a pipe that came and that nobody has learned. learned is the number of records before them.
func (s *source) lost(err error, learned int64) error {
	if n := int64(len(s.sample)) - learned; err != nil && n > 0 {
		return errors.WithMessagef(err, "%d rows came and were not learned; send the pipe from its beginning again", n)
	}
	return err
}

// sayHalf reports a last line that was left alone.
func (s *source) sayHalf(w io.Writer) {
	if line := s.Unfinished(); line > 0 {
		fmt.Fprintf(w, "line %d of %s has no line end and was not learned, since a program may still be writing it; "+
			"write its line end and repeat the command\n", line, s.path)
	}
}
