package journal

import (
	"bytes"
	"io/fs"
	"os"

	"github.com/pkg/errors"

	"gophe/phe/disk"
)

const extension = ".journal"

// scan calls each with every record of a segment's content. It returns the number of whole bytes and records before an error.
func scan(content []byte, identity string, first uint64, each func(uint64, []byte) error) (whole int, records uint64, err error) {
	begun := bytes.TrimRight(content, "\x00")
	if len(content) < lineBytes || len(begun) < lineBytes && bytes.HasPrefix(line(identity, first), begun) {
		return 0, 0, ErrTorn // the segment had just been made
	}
	of, begins, err := parseLine(content[:lineBytes])
	switch {
	case err != nil:
		return 0, 0, err
	case of != identity:
		return 0, 0, errors.Errorf("it is the journal of another model (%q, not %q); "+
			"restore the journal of this model, or the model that this journal belongs to", of, identity)
	case begins != first:
		return 0, 0, errors.Errorf("it begins with record %d; give the file its old name back", begins)
	}
	for whole = lineBytes; whole < len(content); records++ {
		payload, size, err := parseRecord(content[whole:], first+records)
		if errors.Is(err, errDamaged) && unwritten(content, whole, size, first+records) {
			err = ErrTorn
		}
		if err != nil {
			return whole, records, err
		}
		if err := each(first+records, payload); err != nil {
			return whole, records, err
		}
		whole += size
	}
	return whole, records, nil
}

// open opens a segment to append to it. It cuts the segment to its whole records, and writes a first line if there is none. Then the
// segment is safe, and so is its name.
func (j *Journal) open(s *segment, flag int) (f disk.File, err error) {
	f, err = j.disk.OpenFile(segmentName(j.folder, s.first), flag|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return nil, onDisk(err, "opening a file of the journal")
	}
	if err = f.Truncate(s.bytes); err == nil && s.bytes == 0 {
		s.bytes = int64(lineBytes)
		_, err = f.Write(line(j.options.Identity, s.first))
	}
	// What was written and not synced before a kill is still in the system's memory: records, and the name of the file. The records
	// are about to be used.
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = j.disk.SyncFolder(j.folder)
	}
	if err != nil {
		f.Close()
		return nil, onDisk(err, "beginning or cutting a file of the journal")
	}
	return f, nil
}

// begin makes the segment for the record after the last safe one. Records in the buffer come into it.
func (j *Journal) begin() error {
	s := segment{first: j.synced + 1}
	f, err := j.open(&s, os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.file, j.segments = f, append(j.segments, s)
	return nil
}

// Rotate begins a new file, so that Trim can remove the records before it as soon as they are no longer needed.
func (j *Journal) Rotate() error {
	return j.alone(func() error {
		if j.newest().bytes == int64(lineBytes) {
			return nil
		}
		old := j.file
		err := j.begin()
		if err == nil {
			err = onDisk(old.Close(), "closing a file of the journal")
		}
		if err != nil {
			j.mu.Lock()
			defer j.mu.Unlock()
			j.err = err // a file that was made may have the name of the next segment
		}
		return err
	})
}

// Trim removes files whose records all have numbers up to through. The newest file stays. The caller no longer needs these records,
// because a checkpoint has what they did.
func (j *Journal) Trim(through uint64) error {
	return j.alone(func() error {
		removed := false
		for len(j.segments) > 1 && j.segments[1].first <= through+1 {
			if err := j.disk.Remove(segmentName(j.folder, j.segments[0].first)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return errors.Wrapf(err, "removing a file of the journal; %s", disk.Advice(err, "make its folder writable"))
			}
			removed = true
			j.mu.Lock()
			j.segments = j.segments[1:]
			j.mu.Unlock()
		}
		if !removed {
			return nil
		}
		return j.disk.SyncFolder(j.folder)
	})
}

// alone calls work while nothing else touches the files.
func (j *Journal) alone(work func() error) error {
	j.files.Lock()
	defer j.files.Unlock()
	j.mu.Lock()
	err := j.broken()
	j.mu.Unlock()
	if err != nil {
		return err
	}
	return work()
}
