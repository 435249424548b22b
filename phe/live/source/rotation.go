package source

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"
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
	outputs "gophe/phe/disk/outfile"
	"gophe/phe/internal/text"
	"gophe/phe/records"
	"gophe/phe/remedy"
)

const (
	look  = 200 * time.Millisecond // between two looks at a file that has no more
	grace = time.Second            // a file that was renamed is left when it has not changed for this time
)

// rotation follows a file that is renamed, to FILE.1 or FILE-20261129, and whose name another file takes.
type rotation struct {
	names       *regexp.Regexp // of files that were renamed
	first, file *os.File       // when the log was opened, and now
	name        string         // of file when that was opened
	inode       uint64         // number of file on its disk; 0 if the system has none
	size        int64          // of file when it was last read to its end
	say         func(string)
}

// turn is a file of the log under the name that it had a moment ago.
type turn struct {
	name, date string // the log's name has no date
	number     int    // in place of a date, counted from the newest file, which has 0; notNumbered if it is a date
	packed     bool   // by its name it is compressed
	os.FileInfo
}

const notNumbered = 1 << 20

// openLog opens a file that is followed. While that has no line yet, it opens the file of a known model's log before it.
func (s *Files) openLog(known bool, say func(string)) (err error) {
	if len(s.paths) != 1 || s.paths[0] != s.Path || s.Path == outputs.Standard {
		return errors.Errorf("%s cannot be followed: give one plain file, or repeat the command when there are more rows", s.Path)
	}
	base, ext := filepath.Base(s.Path), filepath.Ext(s.Path)
	names := fmt.Sprintf(`^(?:%[1]s%[3]s|%[2]s%[3]s%[4]s)(\.(?:gz|zst|bz2|xz))?$`, regexp.QuoteMeta(base),
		regexp.QuoteMeta(strings.TrimSuffix(base, ext)), `[-._](\d[-\d.:_TZ]*)`, regexp.QuoteMeta(ext))
	s.rotation = &rotation{names: regexp.MustCompile(names), say: say}
	var all []turn
	if known {
		all, _ = s.turns()
	}
	for _, t := range slices.Backward(append(all, turn{name: s.Path})) {
		file, failed := openPlain(t.name)
		if failed == nil {
			_, failed = s.enter(file, t.name, false, filePosition{})
		}
		if s.rotation.first = file; failed == nil {
			return nil
		}
		err = cmp.Or(err, failed)
	}
	return err
}

// enter makes the entry behind a position in an open file of the log the next one. If the file is whole, its last line needs no line end.
func (s *Files) enter(file *os.File, name string, whole bool, from filePosition) (at filePlace, err error) {
	o, r := s.options, s.rotation
	o.Growing = !whole
	in, err := records.New(io.NewSectionReader(file, 0, math.MaxInt64), name, o)
	if err == nil && !in.Plain() {
		err = errors.Errorf("%s is compressed and cannot be followed; repeat the command when there are more rows", name)
	}
	if err := s.adopt(in, err, 0); err != nil {
		return at, err
	}
	r.file, r.name, r.inode, r.size = file, name, inode(file), 0
	return s.arrive(context.Background(), from)
}

// inode returns the number of a file on its disk; 0 if the system has none.
func inode(file *os.File) uint64 {
	if info, err := file.Stat(); err == nil {
		if n := reflect.Indirect(reflect.ValueOf(info.Sys())).FieldByName("Ino"); n.IsValid() {
			return n.Uint()
		}
	}
	return 0
}

// turns returns the files of the log, the oldest first. It looks first at the newest one, which may be renamed meanwhile.
func (s *Files) turns() (all []turn, err error) {
	folder := filepath.Dir(s.Path)
	newest, missing := os.Stat(s.Path)
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		m := s.rotation.names.FindStringSubmatch(e.Name())
		if info, err := e.Info(); m != nil && err == nil && info.Mode().IsRegular() {
			t := turn{filepath.Join(folder, e.Name()), m[1] + m[2], notNumbered, m[3] != "", info}
			if n, err := strconv.Atoi(t.date); err == nil && len(t.date) < 4 { // no year
				t.number = n
			}
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b turn) int {
		return cmp.Or(b.number-a.number, cmp.Compare(a.date, b.date), len(a.name)-len(b.name))
	})
	all = slices.CompactFunc(all, func(a, b turn) bool { return a.date == b.date }) // one is being compressed
	if missing == nil {
		all = append(all, turn{name: s.Path, FileInfo: newest})
	}
	return all, errors.Wrap(err, "looking for the files of a log")
}

// after returns the file that comes after one of the log, or one without a name. It is an error if a file between is missing.
func (s *Files) after(file os.FileInfo, records int64) (next turn, err error) {
	all, err := s.turns()
	at := slices.IndexFunc(all, func(t turn) bool { // a program that compresses a file keeps its time
		return os.SameFile(t.FileInfo, file) || t.packed && t.ModTime().Unix() == file.ModTime().Unix()
	})
	if err != nil || at < 0 {
		return next, cmp.Or(err, s.gone(records))
	}
	for k, t := range all {
		switch order := cmp.Compare(t.ModTime().Unix(), file.ModTime().Unix()); {
		case t.date != "" && order*cmp.Compare(k, at) < 0:
			return next, errors.Errorf("%s and %s have one order by their names, and another by their times; set the right times "+
				"(touch -d)", t.name, all[at].name)
		case k <= at:
		case t.packed, all[k-1].number < notNumbered && t.number < all[k-1].number-1:
			return next, missing{errors.Errorf("of the files from %s to %s, one is compressed or missing; unpack it or put it back",
				all[k-1].name, t.name), ErrTruncated}
		case t.Size() > 0:
			return t, nil
		}
	}
	return next, nil
}

// gone returns the error that no file of the log has what was learned.
func (s *Files) gone(records int64) error {
	return missing{remedy.Errorf("learn again", "%s, of which %s were learned, was cut, deleted or moved, and no file such as %[1]s.1 "+
		"alone has them; put it back under such a name, not compressed", s.Path, text.Counted(records, "record")), ErrTruncated}
}

// find goes to a position: in the file that was read, or in the only one that begins alike. A renaming under way may hide it for a while.
func (s *Files) find(from filePosition) (at filePlace, err error) {
	for range grace / look {
		if at, err = s.findNow(from); !errors.Is(err, ErrTruncated) {
			return at, err
		}
		time.Sleep(look)
	}
	return at, err
}

func (s *Files) findNow(from filePosition) (at filePlace, err error) {
	if from.Inode == 0 && from.Fingerprint.Bytes == 0 {
		return s.enter(s.rotation.first, s.Path, false, from)
	}
	all, err := s.turns()
	var alike []*os.File
	defer func() {
		for _, file := range alike {
			if file != s.rotation.file {
				file.Close()
			}
		}
	}()
	cut, unread := false, error(nil)
	for _, t := range all {
		file, failed := openPlain(t.name)
		if failed != nil {
			if !t.packed && !errors.Is(failed, fs.ErrNotExist) { // else it has another name by now
				unread = missing{failed, ErrTruncated}
			}
			continue
		}
		where, failed := from.Fingerprint.difference(file, from.Fingerprint.sample(), nil)
		if err = cmp.Or(err, failed); err != nil {
			break
		}
		is := from.Inode > 0 && inode(file) == from.Inode
		if is && where == "" {
			return s.enter(file, t.name, false, from)
		}
		if cut = cut || is; where == "" && from.Fingerprint.Bytes > 0 {
			alike = append(alike, file)
		} else {
			file.Close()
		}
	}
	if err != nil || len(alike) != 1 {
		return at, cmp.Or(err, unread, s.gone(from.Record))
	}
	if cut && s.rotation.say != nil {
		s.rotation.say(fmt.Sprintf("%s was cut (copytruncate), and learning goes on in its copy %s: rows between the copy and the cut are "+
			"lost; rotate by rename", s.Path, alike[0].Name()))
	}
	return s.enter(alike[0], alike[0].Name(), false, from)
}

// more returns when the log has more to read, in the same file or in the next one, or when the context or waits ends the reading.
func (s *Files) more(ctx context.Context, at filePlace, waits func(atEnd bool) bool) (filePlace, error) {
	r, failed, since := s.rotation, 0, time.Now()
	for {
		info, err := at.file.Stat()
		if err != nil {
			return at, errors.Wrap(err, "looking at a file that is followed")
		}
		if info.Size() != r.size {
			n := s.bytes.blocks()
			where, err := s.bytes.difference(at.file, []int{n - 1}[:min(n, 1)], nil)
			if where != "" { // it was cut
				return s.find(at.position())
			}
			r.size = info.Size()
			return at, cmp.Or(err, s.Seek(s.Reader.Position()))
		}
		var next turn
		if newest, missing := os.Stat(s.Path); missing != nil || !os.SameFile(newest, info) {
			next, err = s.after(info, at.at.Record)
		}
		if quiet := time.Since(since) > grace || time.Since(info.ModTime()) > time.Minute; err == nil && next.name != "" && quiet {
			if s.Unfinished() > 0 { // nothing completes its last line any more
				return s.enter(at.file, r.name, true, at.position())
			}
			file, whole, unread := next.open()
			if file != nil {
				return s.enter(file, next.name, whole, filePosition{})
			}
			err = unread
		}
		if failed++; err == nil {
			failed = 0
		} else if failed > int(grace/look) { // else a renaming may be under way
			return at, err
		}
		if !waits(err == nil && next.name == "") {
			return at, nil
		}
		select {
		case <-ctx.Done():
			return at, nil
		case <-time.After(look):
		}
	}
}

// open opens a file, and tells whether it is whole, without a line end. It returns nil if the file has another name by now, or no line yet.
func (t turn) open() (file *os.File, whole bool, err error) {
	file, err = openPlain(t.name)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if file == nil || err != nil {
		return nil, false, err
	}
	info, err := file.Stat()
	_, end := bufio.NewReader(io.LimitReader(file, disk.HeadBytes<<8)).ReadBytes('\n')
	if whole = end != nil; err != nil || !os.SameFile(info, t.FileInfo) || whole && t.date == "" {
		file.Close()
		return nil, false, nil
	}
	return file, whole, nil
}
