package journal

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/pkg/errors"
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
		return nil, errors.Wrap(err, "looking into the journal's folder; make it readable")
	}
	for _, e := range entries {
		var first uint64
		if _, err := fmt.Sscanf(e.Name(), "%d"+extension, &first); err != nil || segmentName(folder, first) != filepath.Join(folder, e.Name()) {
			return nil, errors.Errorf("%s is no file of a journal; move it out of the folder", filepath.Join(folder, e.Name()))
		}
		firsts = append(firsts, first)
	}
	slices.Sort(firsts)
	err = nil
	switch {
	case len(firsts) == 0 && newest > 0:
		err = errors.Errorf("the journal %s is missing, with the records from %d on; restore the folder", folder, newest)
	case newest > 0 && firsts[len(firsts)-1] < newest:
		err = errors.Errorf("the journal lacks its newest file %s, with the records from %d on; restore the file", segmentName(folder, newest), newest)
	}
	return firsts, err
}

// isTorn tells whether the error of scan is the end of a segment that a kill or a power failure cut short. The first line of a segment
// that the owner has seen was safe on the disk, so a segment without it has lost what it held.
func isTorn(err error, whole int, first, newest uint64) bool {
	return errors.Is(err, errTorn) && (whole >= lineBytes || first > newest)
}

// gap returns the error for records that are missing between two segments.
func gap(from, to uint64) error {
	return errors.Errorf("the journal lacks the records %d to %d, between two of its files; restore the file that held them", from, to)
}

// notWhole returns the error for a damaged segment.
func notWhole(name string, last uint64, whole, bytes int) error {
	return errors.Errorf("%s is damaged after record %d, at byte %d of %d; restore a copy of the file", name, last, whole, bytes)
}

// missed returns the error for a journal that begins too late.
func missed(first, after uint64) error {
	return errors.Errorf("the journal begins with record %d, and the records after %d are wanted; restore the newer model that those records were trimmed for", first, after)
}

// Read calls each with every record after a number, in order, and changes no file. Of the options it heeds Identity and Newest. A last
// record that is cut short ends Read without an error: a kill has left it, or another process is writing it. Before any other fault
// Read calls each with the whole records, as far as they go.
func Read(folder string, o Options, after uint64, each func(number uint64, record []byte) error) error {
	firsts, missing := list(folder, o.Newest)
	last := after
	for i, first := range firsts {
		if i+1 < len(firsts) && firsts[i+1] <= after+1 {
			continue
		}
		if first > last+1 && last == after {
			return missed(first, after)
		}
		if first > last+1 {
			return gap(last+1, first-1)
		}
		path := segmentName(folder, first)
		content, err := os.ReadFile(path)
		if err != nil {
			return errors.Wrap(err, "reading the journal; make its files readable")
		}
		whole, n, err := scan(content, o.Identity, first, func(number uint64, record []byte) error {
			if number <= after {
				return nil
			}
			return each(number, record)
		})
		last = max(last, first+n-1)
		switch {
		case err == nil || isTorn(err, whole, first, o.Newest) && i == len(firsts)-1:
		case errors.Is(err, errTorn), errors.Is(err, errDamaged):
			return notWhole(path, last, whole, len(content))
		default:
			return errors.WithMessage(err, path)
		}
	}
	return missing
}
