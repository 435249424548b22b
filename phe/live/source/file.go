package source

import (
	"context"
	"fmt"
	"hash/crc64"
	"io"
	"iter"
	"math"
	"os"
	"slices"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/internal/text"
	"gophe/phe/records"
	"gophe/phe/remedy"
)

// filePosition is a position in Files.
type filePosition struct {
	records.Position             // in the file that is being read
	Check            uint64      `json:"check,string,omitempty"` // sum of the records before it, of a file that is not plain
	Fingerprint      Fingerprint `json:"fingerprint,omitzero"`   // of the bytes before it, of a plain file
	Before           []learned   `json:"before,omitempty"`       // the files before that one
	Files            int         `json:"files,omitempty"`        // of a short position: their number
	Inode            uint64      `json:"inode,omitempty"`        // of a file that is followed: its number on its disk
	Sum              uint64      `json:"sum,string,omitempty"`   // of a short position: a sum of the files before
}

// short returns a position without the files before the last one. It has their number and their sum, so that a message has room for it.
func short(p Position) Position {
	var at filePosition
	if decode(p, &at) != nil || len(at.Before) == 0 { // as in a pipe
		return p
	}
	at.Before, at.Files, at.Sum = nil, len(at.Before), sumOf(at.Before)
	return encode(at)
}

// sumOf returns a sum of the beginnings of files.
func sumOf(files []learned) (sum uint64) {
	for _, f := range files {
		sum = crc64.Update(sum, ecma, fmt.Appendln(nil, f.SHA256, f.Bytes))
	}
	return sum
}

// before returns the files before a short position, as they are now. They must not have changed.
func (s *Files) before(from filePosition) (files []learned, err error) {
	for _, path := range s.paths[:min(from.Files, len(s.paths))] {
		in, err := identify(path, math.MaxInt64)
		if err != nil {
			return nil, err
		}
		files = append(files, learned{Input: in})
	}
	if len(files) < from.Files || sumOf(files) != from.Sum {
		return nil, missing{errors.Errorf("of the first %d files, up to %s, one has changed, is gone or is new; put it back, or give a "+
			"new one a name that comes after the others", from.Files, files[len(files)-1].Name), ErrReplaced}
	}
	return files, nil
}

// learned identifies a file that was learned as a whole, before the next one.
type learned struct {
	Input
	Fingerprint Fingerprint `json:"fingerprint,omitzero"` // of a plain file, without places
}

// is tells whether a file is the learned one, no longer and no shorter. With a check it compares all bytes.
func (l *learned) is(path string, check func(done, all int64)) bool {
	now, err := identify(path, math.MaxInt64)
	if err != nil || now.Beginning != l.Beginning || check == nil {
		return err == nil && now.Beginning == l.Beginning
	}
	file, err := openPlain(path)
	if err != nil {
		return false
	}
	defer file.Close()
	where, err := l.Fingerprint.difference(file, l.Fingerprint.all(), check)
	return where == "" && err == nil
}

// part is a file that is being read.
type part struct {
	Input
	file   *os.File // nil for a pipe. It stays open, since another file may take its name, until the collector finds no place in it.
	plain  bool     // a place counts its bytes
	before []learned
	log    string // path of a file that is followed; empty for others
	inode  uint64 // of the file that has or had this path
}

// filePlace is a place in a part.
type filePlace struct {
	*part
	at          records.Position
	line        int64 // of the entry before it, from 1
	check       uint64
	fingerprint Fingerprint
}

// Position implements Place.
func (p *filePlace) Position() Position { return encode(p.position()) }

func (p *filePlace) position() filePosition {
	return filePosition{Position: p.at, Check: p.check, Fingerprint: p.fingerprint, Before: p.before, Inode: p.inode}
}

// String names the entry.
func (p *filePlace) String() string {
	return fmt.Sprintf("%s, record %d (line %d)", p.Name, p.at.Record, p.line)
}

// Identify implements Place.
func (p *filePlace) Identify(in Input) (Input, error) {
	if len(p.before) > 0 && in.Name != p.Name {
		in = p.Input
	}
	if !p.plain {
		return in, nil
	}
	if p.log != "" { // it is another file after a rotation, and a shorter one after a cut
		b, err := disk.BeginningOf(p.file, p.at.Offset)
		if b.Bytes == p.at.Offset {
			in = Input{Name: text.Name(p.log), Beginning: b}
		}
		return in, err
	}
	return in.extend(p.file, p.at.Offset)
}

// missing says why the entry behind a position is not there: it is ErrReplaced or another of its kind.
type missing struct {
	error
	kind error
}

// Is tells the kind.
func (m missing) Is(target error) bool { return target == m.kind }

// Unwrap returns the error with its remedy.
func (m missing) Unwrap() error { return m.error }

// Read implements Source. A file that ends in half a line waits for the rest, unless another file follows.
func (s *Files) Read(ctx context.Context, from Position) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		var at filePosition
		err := decode(from, &at)
		if err == nil {
			err = s.readFrom(ctx, at, yield)
		}
		if err != nil {
			yield(Entry{}, err)
		}
	}
}

func (s *Files) readFrom(ctx context.Context, from filePosition, yield func(Entry, error) bool) error {
	at, err := s.goTo(ctx, from)
	if err != nil {
		return err
	}
	stopped := false
	if !s.Seekable() {
		s.Waits(func() { stopped = stopped || !yield(Entry{Waits: true}, nil) })
	}
	waits := func(atEnd bool) bool {
		stopped = !yield(Entry{Waits: true, AtEnd: atEnd}, nil)
		return !stopped
	}
	for !stopped && ctx.Err() == nil {
		at.line = s.position().Line + 1
		record, err := s.next()
		switch {
		case err == io.EOF && s.rotation != nil:
			if at, err = s.more(ctx, at, waits); err != nil {
				return err
			}
			continue
		case err == io.EOF && len(at.before)+1 < len(s.paths):
			if at, err = s.follow(ctx, at); err != nil {
				return err
			}
			continue
		case err == io.EOF && s.Unfinished() > 0:
			yield(Entry{Waits: true, AtEnd: true}, nil)
			return nil
		case err == io.EOF || stopped:
			return nil
		case err != nil && !IsBad(err):
			return err
		}
		if at.at, at.fingerprint = s.position(), s.bytes; !at.plain {
			at.check = checkSum(at.check, record)
		}
		p := at
		if !yield(Entry{Record: record, Bad: err, After: &p}, nil) {
			return nil
		}
	}
	return nil
}

// goTo makes the entry behind a position the next one. It checks that the entries before the position have not changed.
func (s *Files) goTo(ctx context.Context, from filePosition) (at filePlace, err error) {
	if s.rotation != nil {
		return s.find(from)
	}
	if from.Files > 0 {
		if from.Before, err = s.before(from); err != nil {
			return at, err
		}
	}
	k := len(from.Before)
	if k >= len(s.paths) {
		return at, missing{errors.Errorf("%s was %d files, and is %d", s.Path, k+1, len(s.paths)), ErrTruncated}
	}
	if k != s.file {
		if err := s.open(k); err != nil {
			return at, err
		}
	}
	return s.arrive(ctx, from)
}

// arrive makes the entry behind a position the next one. Its file is open.
func (s *Files) arrive(ctx context.Context, from filePosition) (at filePlace, err error) {
	at = filePlace{part: &part{plain: s.Plain(), before: from.Before}, check: from.Check}
	at.Input, err = s.identify()
	if r := s.rotation; r != nil {
		at.file, at.log, at.inode = r.file, s.Path, r.inode
	} else if err == nil && s.Seekable() {
		at.file, err = openPlain(s.paths[s.file])
	}
	if err != nil {
		return at, err
	}
	if s.passed, s.bytes = 0, (Fingerprint{}); at.plain {
		err = s.goToByte(at, from)
	} else if s.Seekable() {
		err = s.Seek(records.Position{})
	}
	if err == nil && !at.plain {
		err = s.skip(ctx, at, from)
	}
	at.at, at.fingerprint = s.position(), s.bytes
	return at, err
}

// goToByte goes to a position in a plain file. The fingerprint is of the bytes that are read from now on, even if the file changes at once.
func (s *Files) goToByte(at filePlace, from filePosition) error {
	where, err := from.Fingerprint.difference(at.file, from.Fingerprint.sample(), nil)
	if err == nil && where != "" {
		err = missing{remedy.Errorf("learn again", "%s has changed in the part that was learned, its first %d bytes%s; put that part back",
			at.Name, from.Offset, where), ErrReplaced}
	}
	if err != nil {
		return err
	}
	if err := s.Seek(from.Position); err != nil {
		return remedy.With("from the beginning", err)
	}
	s.bytes = from.Fingerprint
	s.Watch(s.bytes.add)
	return s.bytes.extend(at.file, s.Reader.Position().Offset) // the header
}

// skip skips the records that were learned: a pipe is sent again, and bytes of a compressed or Parquet file do not tell its records.
func (s *Files) skip(ctx context.Context, at filePlace, from filePosition) error {
	check, what := uint64(0), ""
	for n := int64(0); n < from.Record; n++ {
		record, err := s.next()
		if err == io.EOF {
			what = "ended before"
			break
		}
		if err == nil || IsBad(err) {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		check = checkSum(check, record)
	}
	if what == "" && check != from.Check {
		what = "does not begin with"
	}
	name, first := "begin anew", "put that part back"
	switch {
	case what == "":
		return nil
	case !s.Seekable():
		name, first = "append", "send it from its beginning again"
	case s.ended:
		name = "learn again"
	}
	return missing{remedy.Errorf(name, "%s %s the %d records that were learned; %s", at.Name, what, from.Record, first), ErrReplaced}
}

// follow goes to the next file.
func (s *Files) follow(ctx context.Context, at filePlace) (filePlace, error) {
	done, bytes := learned{Input: Input{Name: at.Name, Rows: at.at.Record}}, int64(math.MaxInt64)
	if at.plain {
		bytes = s.Reader.Position().Offset
		done.Fingerprint = Fingerprint{Bytes: at.fingerprint.Bytes, Sum: at.fingerprint.Sum, Block: max(minBlock, at.fingerprint.Bytes+1)}
	}
	var err error
	if done.Beginning, err = disk.BeginningOf(at.file, bytes); err != nil {
		return at, err
	}
	return s.goTo(ctx, filePosition{Before: append(slices.Clip(at.before), done)})
}

// checkSum adds a record to the sum of the records before it. Each field and each record ends with a byte that UTF-8 never has.
func checkSum(sum uint64, record []string) uint64 {
	bytes := make([]byte, 0, 512) // one long update takes a third of the time of many short ones
	for _, field := range record {
		bytes = append(append(bytes, field...), 0xfe)
	}
	return crc64.Update(sum, ecma, append(bytes, 0xff))
}

var ecma = crc64.MakeTable(crc64.ECMA)
