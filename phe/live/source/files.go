package source

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	outputs "gophe/phe/disk/outfile"
	"gophe/phe/internal/text"
	"gophe/phe/records"
	"gophe/phe/remedy"
	"gophe/phe/remedy/nearest"
	"gophe/phe/stream/schema"
)

// Files is a file, several files in their order, or a pipe.
type Files struct {
	*records.Reader        // of the file that is being read
	Path            string // of the file, or all paths

	where   *schema.Condition // whether a record belongs to the stream; nil if all do
	paths   []string
	keys    []string // columns of a partitioned table: the folders of its files have names such as month=2
	options records.Options
	lists   []string              // columns of the first file that are lists
	extra   []string              // columns of the first file that are left out
	typed   func(*records.Reader) // says how numbers are written; nil if nothing was said
	file    int                   // number of the file that is being read, from 0
	bytes   Fingerprint           // of the bytes that the reader has passed, if it is plain
	ended   bool                  // a state that has chosen the source had learned it to its end
	pipe    bool                  // the rows come once

	rotation *rotation // of a file that is followed; nil for others

	// The records of a pipe that were read to describe its columns. They are read again.
	sample []sampled
	passed int

	reading    sync.Mutex   // held while a record is read
	sizes      []int64      // of the files
	done, size atomic.Int64 // of the last Progress
}

// sampled is the result of one read of a pipe.
type sampled struct {
	record []string
	err    error
	after  records.Position
}

// Open opens files, or standard input for "-", and the files of a folder or a pattern by their names. Several files are read as one, with
// the columns of the first. A pipe ends with the context, and Open returns Early if that ended before the first line came.
func Open(ctx context.Context, o Options, args ...string) (s *Files, err error) {
	paths, keys, err := expand(args)
	if err == nil {
		err = (outputs.Place{Others: paths}).Avoid()
	}
	if err == nil {
		o.Options, err = o.forModel()
	}
	if err != nil {
		return nil, err
	}
	o.Context = ctx
	s = &Files{Path: strings.Join(args, " "), paths: paths, keys: keys, options: o.Options}
	for _, path := range paths {
		size := int64(0)
		if info, err := os.Stat(path); err == nil { // open tells the error
			size = info.Size()
		}
		s.sizes = append(s.sizes, size)
	}
	first := func() error { return s.open(0) }
	if o.Follow {
		first = func() error { return s.openLog(o.Schema != nil, o.Say) }
	}
	if err := first(); err != nil {
		return nil, err
	}
	s.pipe, s.extra, s.lists = !s.Reader.Seekable(), s.Aside().Ignored, s.Lists()
	if s.where, err = schema.Where(o.Where, s.Reader.Columns()); err != nil {
		s.Close()
		return nil, err
	}
	if o.Schema != nil {
		s.Fit(*o.Schema)
	}
	return s, nil
}

// open opens one of the files. All but the last are whole, since another one was begun after them.
func (s *Files) open(k int) error {
	o := s.options
	o.Growing = o.Growing && k == len(s.paths)-1
	for _, part := range partition(s.paths[k]) {
		if slices.Contains(s.keys, part[0]) || slices.Contains(o.Columns, part[0]) {
			o.Partition = append(o.Partition, part)
		}
	}
	r, err := records.Open(s.paths[k], o)
	return s.adopt(r, err, k)
}

// adopt reads on with the reader of a file. It is an error if that could not be opened or does not fit the other files.
func (s *Files) adopt(r *records.Reader, err error, k int) error {
	var lacks *records.MissingError
	switch {
	case errors.Is(err, context.Canceled):
		return early
	case errors.As(err, &lacks):
		return errors.Errorf("%s has no column %q%s", lacks.File, lacks.Column, nearest.Column(lacks.Column, lacks.Columns))
	case errors.Is(err, records.ErrBlanks):
		return remedy.With("blanks", err)
	case err != nil:
		return err
	case !r.Seekable() && len(s.paths) > 1:
		err = errors.Errorf("%s is a pipe, and several files are given; give the pipe alone", s.paths[k])
	case s.Reader == nil:
		s.options.Columns = r.Columns() // of all files
	}
	for _, name := range r.Aside().Ignored {
		if s.Reader != nil && s.rotation == nil && !slices.Contains(s.extra, name) {
			err = remedy.Errorf("learn alone", "%s has a column %q, which %s has not; files that are learned as one have the same "+
				"columns; remove it", s.paths[k], name, s.paths[0])
		}
	}
	if err != nil {
		r.Close()
		return err
	}
	if s.typed != nil {
		s.typed(r)
	}
	s.reading.Lock()
	defer s.reading.Unlock()
	if s.Reader != nil {
		s.Reader.Close() // it was only read
	}
	s.Reader, s.file = r, k
	return nil
}

// expand returns the files that arguments name. The files of a folder or a pattern come by their names, without folders and hidden files. A
// folder that has only folders such as month=2 is a partitioned table: its files come by the values of these columns, whose names are keys.
func expand(args []string) (files, keys []string, err error) {
	for _, arg := range args {
		found, given := []string{arg}, len(arg) // bytes of a path that no folder and no pattern has added
		switch info, missing := os.Stat(arg); {
		case missing == nil && info.IsDir():
			found, err = filesIn(arg)
			given = len(filepath.Join(arg, "x")) - 1
		case missing != nil && strings.ContainsAny(arg, "*?["):
			found, err = filepath.Glob(arg)
			given = strings.LastIndexByte(arg[:strings.IndexAny(arg, "*?[")], filepath.Separator) + 1
		}
		if err == nil && len(found) == 0 {
			err = errors.New("no file is there; check the name")
		}
		if err != nil {
			return nil, nil, errors.WithMessage(err, arg)
		}
		for _, path := range found {
			for _, part := range partition(path[min(given, len(path)):]) {
				if !slices.Contains(keys, part[0]) {
					keys = append(keys, part[0])
				}
			}
		}
		if len(keys) > 0 {
			slices.SortStableFunc(found, byParts)
		}
		files = append(files, found...)
	}
	for i, file := range files {
		if slices.Contains(files[:i], file) {
			return nil, nil, errors.Errorf("%s is given twice; give each file once", file)
		}
	}
	return files, keys, nil
}

// What follows implements Source. Files describe no rows. Seekable may run concurrently.
func (s *Files) Name() string                                                  { return s.Path }
func (s *Files) Paths() []string                                               { return s.paths }
func (s *Files) Seekable() bool                                                { return !s.pipe }
func (s *Files) Drains() bool                                                  { return !s.Seekable() && s.options.Context != nil }
func (s *Files) Condition() func(record []string) bool                         { return s.where.Keep() }
func (s *Files) Columns(context.Context) ([]string, error)                     { return s.Reader.Columns(), nil }
func (s *Files) Described(context.Context) (d Description, ok bool, err error) { return d, false, nil }

// Typed says how numbers that have a type are written, in each of the files.
func (s *Files) Typed(commas []string) {
	s.typed = func(r *records.Reader) { r.Typed(commas) }
	s.typed(s.Reader)
}

// untyped implements Source.
func (s *Files) untyped() []string {
	s.Typed(nil)
	return s.lists
}

// Fit makes the source and its condition read the columns as a schema says.
func (s *Files) Fit(as schema.Schema) {
	s.Typed(as.Commas())
	s.where.Fit(as)
}

// identify returns the identity of the file that is being read. A plain file is identified by more bytes as more are read.
func (s *Files) identify() (Input, error) {
	path := s.paths[s.file]
	switch {
	case s.rotation != nil:
		return Input{Name: text.Name(s.rotation.name)}.extend(s.rotation.file, 0)
	case !s.Seekable() && path == outputs.Standard:
		return Input{Name: "standard input"}, nil
	case !s.Seekable():
		return Input{Name: text.Name(path)}, nil
	case s.Plain():
		return identify(path, 0)
	}
	return identify(path, disk.HeadBytes)
}

// next returns the next record.
func (s *Files) next() ([]string, error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	if s.passed < len(s.sample) {
		s.passed++
		r := s.sample[s.passed-1]
		return r.record, r.err
	}
	return s.Reader.Read()
}

// position returns the beginning of the next record.
func (s *Files) position() records.Position {
	switch {
	case s.passed == len(s.sample):
		return s.Reader.Position()
	case s.passed == 0:
		return records.Position{}
	}
	return s.sample[s.passed-1].after
}

// Progress implements Source with numbers of bytes. It does not wait for a record that is being read.
func (s *Files) Progress() (read, size int64) {
	if s.reading.TryLock() {
		defer s.reading.Unlock()
		read, size = s.Reader.Progress()
		for k, other := range s.sizes {
			if k < s.file {
				read += other
			}
			if k != s.file {
				size += other
			}
		}
		s.done.Store(read)
		s.size.Store(size)
	}
	return s.done.Load(), s.size.Load()
}

// Infer implements Source by the first records that meet the condition, which Read returns again. From a pipe it takes 1,000 records, or
// the records that came before its end. It returns Early if the context ended before enough records had come to show the columns.
func (s *Files) Infer(h schema.Hints) (schema.Schema, error) {
	look := func(keep func([]string) bool) ([][]string, error) { return First(context.Background(), s, keep) }
	if !s.Seekable() {
		look = s.samplePipe
	}
	h.Lists = s.untyped()
	return infer(s.Path, s.Reader.Columns(), s.where, look, h)
}

// infer returns a schema of columns from the records that look returns.
func infer(name string, columns []string, where *schema.Condition, look func(keep func([]string) bool) ([][]string, error),
	h schema.Hints) (schema.Schema, error) {
	keep := where.Keep()
	values, each := "", false // of the condition's column; whether each row meets it
	if h.Where = where; where != nil {
		all, _ := look(nil)
		values = where.Look(all)
		each = len(all) >= schema.Fewest && !slices.ContainsFunc(all, func(r []string) bool { return !keep(r) })
	}
	sample, err := look(h.Once(columns, keep))
	ended := errors.Is(err, context.Canceled)
	if err != nil && !ended && len(sample) == 0 {
		return schema.Schema{}, err
	}
	if err == nil && len(sample) == 0 && values != "" {
		return schema.Schema{}, remedy.Errorf("values", "no record of %s meets the condition %q; the column holds %s",
			name, where.Text, values)
	}
	inferred, err := schema.Infer(columns, sample, h)
	if ended && (err != nil || len(sample) < schema.Fewest) {
		return inferred, early
	}
	if each {
		inferred.Target.Note = cmp.Or(inferred.Target.Note,
			fmt.Sprintf("each of the first %s meets the condition %q; the column holds %s", text.Counted(len(sample), "row"),
				where.Text, values))
	}
	return inferred, err
}

// Early is the error if the context ended before the first records of a pipe had shown its columns.
type Early struct{ error }

var early = Early{errors.New("stopped too early to begin")}

// Is tells that the error is the context's.
func (Early) Is(target error) bool { return target == context.Canceled }

// pipeSample is the number of records that are read from a pipe before the first is learned. It is small, because a pipe may be slow.
const pipeSample = 1000

// samplePipe returns the first records of a pipe. It keeps what it has read for Read, which also returns an error after them. It returns
// the context's error with the records that came before, and the first record's error if all are bad.
func (s *Files) samplePipe(keep func([]string) bool) (sample [][]string, err error) {
	var end error                                    // io.EOF after a good record, and before it the first bad one
	next := 0                                        // record that is kept
	_, err = schema.First(func() ([]string, error) { // it bounds the memory of all records that are kept
		for len(sample) < pipeSample {
			if next == len(s.sample) {
				record, err := s.Reader.Read()
				if err == io.EOF {
					return nil, cmp.Or(end, err)
				} else if err != nil && !IsBad(err) {
					return nil, err
				}
				s.sample = append(s.sample, sampled{slices.Clone(record), err, s.Reader.Position()})
			}
			r := s.sample[next]
			if next++; r.err != nil {
				end = cmp.Or(end, r.err)
				continue
			}
			if end = io.EOF; keep == nil || keep(r.record) {
				sample = append(sample, r.record)
			}
			return r.record, nil
		}
		return nil, io.EOF
	}, nil, math.MaxInt)
	return sample, err
}

// Lost implements Source: a pipe's records that Infer took are lost if they are not learned.
func (s *Files) Lost(err error, learned int64) error {
	n := int64(len(s.sample)) - learned
	if err == nil || n <= 0 {
		return err
	}
	if errors.Is(err, context.Canceled) {
		err = early
	}
	return errors.WithMessagef(err, "%s came without being learned; send the pipe from its beginning again", text.Counted(n, "row"))
}
