package journal

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/pkg/errors"

	"gophe/phe/disk"
)

// segmentName returns the path of the segment that begins with a record.
func segmentName(folder string, first uint64) string {
	return filepath.Join(folder, fmt.Sprintf("%020d%s", first, extension))
}

// list returns the first records of the segments in a folder, in order. A folder that is missing has none. It is an error if the newest
// segment begins before the record newest; the segments are returned all the same.
func list(folder string, newest uint64) (firsts []uint64, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Wrapf(err, "looking into the journal's folder; %s", disk.Advice(err, "restore the folder"))
	}
	for _, e := range entries {
		var first uint64
		path := filepath.Join(folder, e.Name())
		if _, err := fmt.Sscanf(e.Name(), "%d"+extension, &first); err != nil || segmentName(folder, first) != path {
			return nil, errors.Errorf("%s is no file of a journal; move it out of the folder", path)
		}
		firsts = append(firsts, first)
	}
	slices.Sort(firsts)
	err = nil
	switch {
	case len(firsts) == 0 && newest > 0:
		err = errors.Errorf("the journal %s is missing, with the records from %d on; restore the folder", folder, newest)
	case newest > 0 && firsts[len(firsts)-1] < newest:
		err = errors.Errorf("the journal lacks its newest file %s, with the records from %d on; restore the file",
			segmentName(folder, newest), newest)
	}
	return firsts, err
}

// walked is what walk found.
type walked struct {
	segments []segment // that are whole, or are cut short at the end
	last     uint64    // number of the last record
	torn     error     // wraps ErrTorn if the last segment ends in the middle of a record
}

// walk calls each with the records after a number, in order. A nil each means all records that there are. It checks all records of the
// segments that hold them, and stops at a fault. A last segment that is cut short is no fault.
func walk(folder string, o Options, after uint64, each func(number uint64, record []byte) error) (w walked, err error) {
	firsts, missing := list(folder, o.Newest)
	if each == nil {
		each = func(uint64, []byte) error { return nil }
		if len(firsts) > 0 {
			after = firsts[0] - 1
		}
	}
	w.last = after
	for i, first := range firsts {
		isLast, name := i == len(firsts)-1, segmentName(folder, first)
		switch begun := len(w.segments) > 0; {
		case !isLast && firsts[i+1] <= after+1:
			continue
		case !begun && first > w.last+1:
			return w, errors.Errorf("the journal begins with record %d, and the records after %d are wanted; "+
				"restore the newer model that those records were trimmed for", first, after)
		case first > w.last+1:
			return w, errors.Errorf("the journal lacks the records %d to %d, between two of its files; restore the file that held them",
				w.last+1, first-1)
		case begun && first <= w.last:
			return w, errors.Errorf("the journal holds the records %d to %d twice, in %s and in the file before; "+
				"move the one that is a copy out of the folder", first, w.last, name)
		}
		content, all, err := readSegment(name)
		if err != nil {
			return w, errors.Wrapf(err, "reading the journal; %s", disk.Advice(err, "restore the file"))
		}
		whole, n, err := scan(content, o.Identity, first, func(number uint64, record []byte) error {
			if number <= after {
				return nil
			}
			return each(number, record)
		})
		w.last = max(w.last, first+n-1)
		switch {
		case err == nil:
		// The first line of a segment that the owner has seen was safe on the disk, so a segment without it has lost what it held.
		case all && errors.Is(err, ErrTorn) && (whole >= lineBytes || first > o.Newest) && isLast:
			w.torn = errors.WithMessagef(ErrTorn, "%s breaks off %d bytes after record %d", name, len(content)-whole, w.last)
		case errors.Is(err, ErrTorn), errors.Is(err, errDamaged):
			return w, errors.Errorf("%s is damaged after record %d, at byte %d; restore a copy of the file", name, w.last, whole)
		default:
			return w, errors.WithMessage(err, name)
		}
		w.segments = append(w.segments, segment{first, int64(whole)})
		if isLast && missing == nil && first+n <= o.Last {
			missing = errors.Errorf("the journal %s ends with record %d, and the model has learned %d: it was cut, or is an older copy; "+
				"restore the newer one", folder, first+n-1, o.Last)
		}
	}
	return w, missing
}

// readSegment returns the content of a file and true, or the part up to many zeros: a file with holes can be larger than memory. As many
// bytes as a segment has others, and a record more, may be zeros.
func readSegment(name string) (content []byte, all bool, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, false, errors.WithStack(err)
	}
	defer f.Close()
	b := make([]byte, 64<<10)
	kept := 0 // zeros that other bytes follow
	for zeros, others := 0, 0; zeros <= others+MaxRecord; {
		n, err := io.ReadFull(f, b)
		if err == nil && len(bytes.TrimLeft(b, "\x00")) == 0 {
			zeros += n
			continue
		}
		content = append(append(content, make([]byte, zeros-kept)...), b[:n]...)
		others, kept = others+n, zeros
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return content, true, nil
		}
		if err != nil {
			return nil, false, errors.WithStack(err)
		}
	}
	return append(content, b...), false, nil
}

// Read calls each with every record after a number, in order, and changes no file. It heeds the options Identity, Newest and Last.
// The error wraps ErrTorn if a last record is cut short: a kill has left it, or another process is writing it. Before any fault Read calls
// each with the whole records, as far as they go.
func Read(folder string, o Options, after uint64, each func(number uint64, record []byte) error) error {
	w, err := walk(folder, o, after, each)
	return cmp.Or(err, w.torn)
}
