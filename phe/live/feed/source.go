package feed

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pkg/errors"

	"gophe/data/records"
	place "gophe/phe/disk/output"
	"gophe/phe/internal/text"
	"gophe/phe/remedy"
	"gophe/phe/remedy/nearest"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// Source is a file or a pipe whose records a feed learns.
type Source struct {
	*records.Reader
	Path string                     // that Open was given
	Keep func(record []string) bool // whether a record belongs to the stream; nil if all do

	where *schema.Condition // of Keep

	// The records of a pipe that were read to describe its columns. Read returns them again.
	sample []reading
	next   int

	ends bool // Read returns the error of the options' context when that has ended

	reading    sync.Mutex   // held while a record is read
	done, size atomic.Int64 // of the last Progress
}

// Open opens a file, or standard input for "-". A feed learns the records that meet a condition, such as "Quantity>0". An empty
// condition keeps all records. With Options.Growing a last line without its end is left alone. Open returns Early if the options' context
// ended before a pipe's first line came.
func Open(path, where string, o records.Options) (*Source, error) {
	r, err := records.Open(path, o)
	var missing *records.MissingError
	switch {
	case errors.Is(err, context.Canceled):
		return nil, early
	case errors.As(err, &missing):
		return nil, errors.Errorf("%s has no column %q%s", missing.File, missing.Column, nearest.Column(missing.Column, missing.Columns))
	case errors.Is(err, records.ErrBlanks):
		return nil, remedy.With("blanks", err)
	case err != nil:
		return nil, err
	}
	s := &Source{Reader: r, Path: path, ends: !r.Seekable() && o.Context != nil}
	if s.where, err = schema.Where(where, s.Columns()); err != nil {
		r.Close()
		return nil, err
	}
	if s.where != nil {
		s.Keep = s.where.Holds
	}
	return s, nil
}

// Fit makes the source and its condition read the columns as a schema says.
func (s *Source) Fit(as schema.Schema) {
	s.Typed(as.Commas())
	s.where.Fit(as)
}

// identify returns the source's identity. The identity of a plain file covers more as more of the file is read.
func (s *Source) identify() (Input, error) {
	switch {
	case !s.Seekable() && s.Path == place.Standard:
		return Input{Name: "standard input"}, nil
	case !s.Seekable():
		return Input{Name: text.Name(s.Path)}, nil
	case s.Plain():
		return identify(s.Path, 0)
	}
	return identify(s.Path, maxIdentity)
}

// Read returns the next record.
func (s *Source) Read() ([]string, error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	if s.next < len(s.sample) {
		s.next++
		r := s.sample[s.next-1]
		return r.record, r.err
	}
	return s.Reader.Read()
}

// Position returns the beginning of the next record.
func (s *Source) Position() records.Position {
	switch {
	case s.next == len(s.sample):
		return s.Reader.Position()
	case s.next == 0:
		return records.Position{}
	}
	return s.sample[s.next-1].after
}

// Seek makes the record at a position the next one.
func (s *Source) Seek(p records.Position) error {
	s.reading.Lock()
	defer s.reading.Unlock()
	return s.Reader.Seek(p)
}

// Progress returns the number of bytes read and the size of the file, which is 0 if it is not known. It does not wait for a record that is
// being read, and may run concurrently.
func (s *Source) Progress() (read, size int64) {
	if s.reading.TryLock() {
		defer s.reading.Unlock()
		read, size = s.Reader.Progress()
		s.done.Store(read)
		s.size.Store(size)
	}
	return s.done.Load(), s.size.Load()
}

// Infer returns a schema of the source's columns, from its first records that meet the condition. Read returns these records again. From
// a pipe Infer takes 1,000 records, or the records that came before the pipe or the context of its options ended. It returns Early if the
// context ended and the records do not show the columns.
func (s *Source) Infer(h schema.Hints) (schema.Schema, error) {
	look := s.First
	if !s.Seekable() {
		look = s.samplePipe
	}
	s.Typed(nil)
	values, each := "", false // of the condition's column; whether each row meets it
	if h.Where = s.where; s.where != nil {
		all, _ := look(nil)
		values = s.where.Look(all)
		each = len(all) >= schema.Fewest && !slices.ContainsFunc(all, func(r []string) bool { return !s.Keep(r) })
	}
	sample, err := look(s.Keep)
	ended := errors.Is(err, context.Canceled)
	if err != nil && !ended && len(sample) == 0 {
		return schema.Schema{}, err
	}
	if err == nil && len(sample) == 0 && values != "" {
		return schema.Schema{}, remedy.Errorf("values", "no record of %s meets the condition %q; the column holds %s",
			s.Path, s.where.Text, values)
	}
	inferred, err := schema.Infer(s.Columns(), sample, h)
	if ended && (err != nil || len(sample) < schema.Fewest) {
		return inferred, early
	}
	if each {
		inferred.Target.Note = cmp.Or(inferred.Target.Note,
			fmt.Sprintf("each of the first %s meets the condition %q; the column holds %s", text.Counted(len(sample), "row"),
				s.where.Text, values))
	}
	return inferred, err
}

// Early is the error if the context ended before the first records of a pipe had shown its columns.
type Early struct{ error }

var early = Early{errors.New("stopped too early to begin")}

// Is tells that the error is the context's.
func (Early) Is(target error) bool { return target == context.Canceled }

// First returns the first records of a file from its place, and goes back to its beginning.
func (s *Source) First(keep func([]string) bool) ([][]string, error) {
	sample, err := schema.First(records.SkipBad(s.Reader.Read), keep, schema.Sample)
	if err != nil {
		return nil, err
	}
	return sample, s.Seek(records.Position{})
}

// pipeSample is the number of records that are read from a pipe before the first is learned. It is small, because a pipe may be slow.
const pipeSample = 1000

// samplePipe returns the first records of a pipe. It keeps what it has read for Read, which also returns an error after them. It returns
// the context's error with the records that came before.
func (s *Source) samplePipe(keep func([]string) bool) (sample [][]string, err error) {
	next := 0 // of those that are kept
	read := records.SkipBad(func() ([]string, error) {
		if next < len(s.sample) {
			next++
			return s.sample[next-1].record, s.sample[next-1].err
		}
		record, err := s.Reader.Read()
		r := reading{record: slices.Clone(record), err: err, after: s.Reader.Position()}
		if !r.last() {
			s.sample = append(s.sample, r)
			next++
		}
		return r.record, err
	})
	_, err = schema.First(func() ([]string, error) { // it bounds the memory of all records that are kept
		if len(sample) == pipeSample {
			return nil, io.EOF
		}
		record, err := read()
		if err == nil && (keep == nil || keep(record)) {
			sample = append(sample, record)
		}
		return record, err
	}, nil, math.MaxInt)
	return sample, err
}

// Lost adds to an error the number of records that Infer took from a pipe and that were not learned. learned is the number of records
// before them.
func (s *Source) Lost(err error, learned int64) error {
	n := int64(len(s.sample)) - learned
	if err == nil || n <= 0 {
		return err
	}
	if errors.Is(err, context.Canceled) {
		err = early
	}
	return errors.WithMessagef(err, "%s came without being learned; send the pipe from its beginning again", stream.Counted(n, "row"))
}
