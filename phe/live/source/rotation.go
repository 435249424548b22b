package source

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/internal/text"
	"gophe/phe/records"
	"gophe/phe/remedy"
)

const (
	look  = 200 * time.Millisecond // between two looks at a file that has no more
	grace = time.Second            // a file that was renamed and has not changed for this time is left
)

// rotation is what Files know of a log that rotates by rename: FILE becomes FILE.1 or FILE-20261129, and a new FILE begins.
type rotation struct {
	names *regexp.Regexp // of files that were renamed
	first *os.File       // the log's file when it was opened
	file  *os.File       // that is read
	name  string         // of it when it was opened
	size  int64          // of it when it was last read to its end
	left  *os.File       // the file before it; nil if there is none
	ended int64          // size of left
	say   func(string)
}

// turn is a file of a log under the name that it had a moment ago.
type turn struct {
	name   string
	when   string // number or date in the name; empty for the file that has the log's name
	packed bool   // by its name it is compressed
	os.FileInfo
}

// number returns the number in the name, which counts from the newest file; -1 for a date.
func (t turn) number() int {
	n, err := strconv.Atoi(cmp.Or(t.when, "0"))
	if err != nil || len(t.when) > 5 {
		return -1
	}
	return n
}

// openLog opens a file that is followed. For a known model it may open an older one while the newest has no line yet.
func (s *Files) openLog(known bool, say func(string)) error {
	base, ext := filepath.Base(s.paths[0]), filepath.Ext(s.paths[0])
	names := fmt.Sprintf(`^(?:%[1]s%[3]s|%[2]s%[3]s%[4]s)(\.(?:gz|zst|bz2|xz))?$`, regexp.QuoteMeta(base),
		regexp.QuoteMeta(strings.TrimSuffix(base, ext)), `[-._](\d[-\d.:_TZ]*)`, regexp.QuoteMeta(ext))
	if s.rotation = (&rotation{names: regexp.MustCompile(names), say: say}); say == nil {
		s.rotation.say = func(string) {}
	}
	all, err := s.turns()
	if len(all) == 0 || all[len(all)-1].when != "" {
		all = append(all, turn{name: s.paths[0]}) // to say what is wrong with it
	}
	for _, t := range slices.Backward(all) {
		if t.packed || t.when != "" && !known {
			continue
		}
		file, failed := openPlain(t.name)
		if failed == nil {
			failed = s.openTurn(file, t.name, false)
		}
		if err = cmp.Or(err, failed); failed == nil {
			err = nil
			break
		}
	}
	s.rotation.first = s.rotation.file
	if err == nil && !s.Plain() {
		err = errors.Errorf("%s is compressed, and only plain text can be followed; repeat the command when there are more rows", s.paths[0])
	}
	return err
}

// openTurn reads an open file of the log from its beginning. If it is whole, its last line needs no line end.
func (s *Files) openTurn(file *os.File, name string, whole bool) error {
	o := s.options
	o.Growing = !whole
	open := func() (*records.Reader, error) {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return nil, errors.Wrap(err, "going to the beginning of a file")
		}
		return records.New(file, name, o)
	}
	r, err := open()
	var lacks *records.MissingError
	if errors.As(err, &lacks) && !slices.ContainsFunc(lacks.Columns, func(c string) bool { return slices.Contains(o.Columns, c) }) {
		o.Header = records.HeaderNo // its writer gives a header to the first file alone
		r, err = open()
	}
	if err = s.adopt(r, err, 0); err == nil {
		s.rotation.file, s.rotation.name, s.rotation.size = file, name, 0
	}
	return err
}

// turns returns the files of the log, the oldest first: those with numbers, those with dates, and the one that has the log's name. That
// one is looked at first, so that a file that is renamed meanwhile is not missed.
func (s *Files) turns() (all []turn, err error) {
	path := s.paths[0]
	newest, missing := os.Stat(path)
	entries, err := os.ReadDir(filepath.Dir(path))
	for _, e := range entries {
		m := s.rotation.names.FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			all = append(all, turn{filepath.Join(filepath.Dir(path), e.Name()), m[1] + m[2], m[3] != "", info})
		}
	}
	slices.SortFunc(all, func(a, b turn) int {
		return cmp.Or(b.number()-a.number(), cmp.Compare(a.when, b.when), len(a.name)-len(b.name))
	})
	all = slices.CompactFunc(all, func(a, b turn) bool { return a.when == b.when }) // one is being compressed
	if missing == nil {
		all = append(all, turn{name: path, FileInfo: newest})
	}
	return all, errors.Wrap(err, "looking for the files of a log")
}

// after returns the file that comes after one of the log; it has no name if there is none. It is an error if a file between is missing.
func (s *Files) after(file os.FileInfo, records int64) (next turn, err error) {
	all, err := s.turns()
	if err != nil {
		return next, err
	}
	at := slices.IndexFunc(all, func(t turn) bool { // a program that compresses a file keeps its time
		return os.SameFile(t.FileInfo, file) || t.packed && t.ModTime().Unix() == file.ModTime().Unix()
	})
	if at < 0 {
		return next, s.gone(records, all)
	}
	last := all[at]
	for k, t := range all {
		if t.when != "" && (t.number() < 0) != (all[at].number() < 0) {
			continue
		}
		if order := cmp.Compare(t.ModTime().Unix(), file.ModTime().Unix()); t.when != "" && order*cmp.Compare(k, at) < 0 {
			return next, errors.Errorf("%s and %s have one order by their names, and another by their times; set the right times "+
				"(touch -d), or learn the files by their names, in their order", t.name, all[at].name)
		}
		switch {
		case k <= at:
			continue
		case last.number() >= 0 && t.number() < last.number()-1:
			return next, missing{errors.Errorf("the file between %s and %s is missing; put it back, and repeat the command",
				last.name, t.name), ErrTruncated}
		case t.packed:
			return next, missing{errors.Errorf("%s comes next and is compressed; unpack it, and repeat the command", t.name), ErrTruncated}
		case t.Size() > 0:
			return t, nil
		}
		last = t
	}
	return next, nil
}

// gone returns the error that no file of the log is the one that was read.
func (s *Files) gone(records int64, all []turn) error {
	unpack := ""
	for _, t := range all {
		if t.packed {
			unpack += ", or unpack " + t.name
		}
	}
	return missing{remedy.Errorf("learn again", "%s of a file were learned that was %s, and no file there has them now: it was cut, deleted "+
		"or moved; put it back as %[2]s.1%s", text.Counted(records, "record"), s.paths[0], unpack), ErrTruncated}
}

// find opens the file of a position: the one that was read, or else the only one that begins with the same bytes.
func (s *Files) find(from filePosition, progress func(done, all int64)) error {
	r, print := s.rotation, from.Fingerprint
	if from.Inode == 0 && print.Bytes == 0 {
		return s.openTurn(r.first, s.paths[0], false)
	}
	all, err := s.turns()
	if err != nil {
		return err
	}
	blocks := print.sample()
	if progress != nil {
		blocks = print.all()
	}
	var found *os.File
	name, cut := "", false
	for _, t := range all {
		file, err := openPlain(t.name)
		if err != nil {
			continue // it has another name by now
		}
		info, err := file.Stat()
		where, failed := print.difference(file, slices.Clone(blocks), progress)
		if err = cmp.Or(err, failed); err != nil {
			return errors.WithMessage(err, t.name)
		}
		is := from.Inode > 0 && inode(info) == from.Inode
		cut = cut || is && where != ""
		switch {
		case is && where == "":
			return s.openTurn(file, t.name, false)
		case where != "" || print.Bytes == 0:
		case found != nil:
			return missing{errors.Errorf("%s and %s both begin with the %d bytes that were learned; leave the one that was read", name, t.name,
				print.Bytes), ErrReplaced}
		default:
			found, name = file, t.name
		}
	}
	if found == nil {
		return s.gone(from.Record, all)
	}
	if cut {
		r.say(fmt.Sprintf("%s was cut (copytruncate), and learning goes on in its copy %s: rows between the copy and the cut are lost; "+
			"rotate by rename", s.paths[0], name))
	}
	return s.openTurn(found, name, false)
}

// patiently tries again for a while what a renaming under way can make fail.
func patiently(ctx context.Context, do func() error) (err error) {
	for began := time.Now(); ; {
		if err = do(); err == nil || time.Since(began) > grace || !wait(ctx) {
			return err
		}
	}
}

// wait waits until the next look. It returns false if the context ends before.
func wait(ctx context.Context) bool {
	select {
	case <-time.After(look):
		return true
	case <-ctx.Done():
		return false
	}
}

// inode returns the number of a file on its disk; 0 if the system has none.
func inode(info os.FileInfo) uint64 {
	if n := reflect.Indirect(reflect.ValueOf(info.Sys())).FieldByName("Ino"); n.IsValid() {
		return n.Uint()
	}
	return 0
}

// enter makes the entry behind a position in the open file the next one.
func (s *Files) enter(from filePosition) (at filePlace, err error) {
	r := s.rotation
	info, err := r.file.Stat()
	if err != nil {
		return at, errors.Wrap(err, "looking at a file to identify it")
	}
	at = filePlace{part: &part{Input: Input{Name: text.Name(r.name)}, file: r.file, plain: true, log: s.paths[0], inode: inode(info)}}
	s.passed, s.bytes = 0, Fingerprint{}
	err = s.goToByte(at, from)
	at.at, at.fingerprint = s.position(), s.bytes
	return at, err
}

// more waits until the log has more to read, in the same file or in the next one, or until the context ends. It calls waits before it
// waits, which may end the reading.
func (s *Files) more(ctx context.Context, at filePlace, waits func(atEnd bool) bool) (filePlace, error) {
	r := s.rotation
	for since := time.Now(); ; {
		info, err := at.file.Stat()
		if err != nil {
			return at, errors.Wrap(err, "looking at a file that is followed")
		}
		if info.Size() != r.size {
			where := ""
			if n := s.bytes.blocks(); n > 0 {
				where, err = s.bytes.difference(at.file, []int{n - 1}, nil)
			}
			if where != "" { // it was cut
				return s.goTo(ctx, at.position())
			}
			r.size = info.Size()
			return at, cmp.Or(err, s.Seek(s.Reader.Position()))
		}
		r.sayLate()
		newest, failed := os.Stat(s.paths[0])
		next := turn{}
		if failed != nil || !os.SameFile(newest, info) {
			err := patiently(ctx, func() (err error) { next, err = s.after(info, at.at.Record); return err })
			if err != nil {
				return at, err
			}
		}
		if next.name != "" && (time.Since(since) > grace || time.Since(info.ModTime()) > time.Minute) {
			if s.Unfinished() > 0 { // nothing completes its last line any more
				if err := s.openTurn(at.file, r.name, true); err != nil {
					return at, err
				}
				return s.enter(at.position())
			}
			if begun, err := s.begin(next); err != nil || begun {
				r.left, r.ended = at.file, info.Size()
				if err == nil {
					at, err = s.enter(filePosition{})
				}
				return at, err
			}
		}
		if !waits(next.name == "") || !wait(ctx) {
			return at, nil
		}
	}
}

// begin opens the next file of the log. It returns false if the file has another name by now, or no line yet.
func (s *Files) begin(next turn) (begun bool, err error) {
	file, err := openPlain(next.name)
	if err != nil {
		return false, nil
	}
	info, err := file.Stat()
	defer func() {
		if !begun {
			file.Close()
		}
	}()
	_, ends := bufio.NewReader(io.LimitReader(file, disk.HeadBytes<<8)).ReadBytes('\n')
	if err != nil || !os.SameFile(info, next.FileInfo) || ends != nil && next.when == "" {
		return false, nil
	}
	return true, s.openTurn(file, next.name, ends != nil)
}

// sayLate says that rows came into a file after it was left.
func (r *rotation) sayLate() {
	if r.left == nil {
		return
	}
	if info, err := r.left.Stat(); err == nil && info.Size() > r.ended {
		r.say(fmt.Sprintf("%d bytes were written to the file before %s more than %v after it was renamed, and are not learned; let its "+
			"writer change to the new file at once", info.Size()-r.ended, r.name, grace))
		r.ended = info.Size()
	}
}

// chooseLog is Choose of a file that is followed: it goes on in whatever file of the log has what was learned.
func (s *Files) chooseLog(p *Past, c Choice) (begins bool, err error) {
	at := p.inFiles()
	if len(at.Before) == 0 && (at.Inode > 0 || at.Fingerprint.Bytes > 0) {
		err = patiently(s.options.Context, func() error { return s.find(at, c.Compare) })
		switch {
		case err == nil && !(c.Again && p.Ended):
			p.Input.Name = text.Name(s.Path)
			return false, nil
		case err != nil && !c.Again && string(p.Input.Name) == s.Path:
			return false, err
		}
	}
	if begins, err = p.choose(s.paths, c.Again, c.Compare); err != nil || !begins {
		return begins, err
	}
	info, err := s.rotation.first.Stat()
	if err != nil {
		return false, errors.Wrap(err, "looking at a file to identify it")
	}
	in, err := Input{Name: text.Name(s.Path)}.extend(s.rotation.first, 0)
	p.begin(in)
	p.Position = encode(filePosition{Inode: inode(info)})
	return true, err
}
