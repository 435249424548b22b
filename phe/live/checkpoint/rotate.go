package checkpoint

import "github.com/pkg/errors"

// rotate makes the new file the newest generation, and the newest generation N the older one. A kill after a step leaves these
// generations:
//
//	                        PATH   PATH.old
//	before                  N      N-1
//	link PATH to the spare  N      N-1
//	rename the new to PATH  N+1    N-1
//	rename the spare        N+1    N
//
// So PATH is never missing, and two generations are always whole. A PATH that is damaged is not kept: it would replace
// PATH.old, the only whole generation.
//
// Some file systems have no hard links, such as FAT. There PATH is renamed to PATH.old first. PATH is missing for a moment, and Peek
// finds N in PATH.old.
func (s *Store) rotate() error {
	linked := false
	if s.whole {
		if err := removeFile(s.disk, spareName(s.Path)); err != nil {
			return err
		}
		if linked = s.disk.Link(s.Path, spareName(s.Path)) == nil; !linked {
			if err := s.move(s.Path, olderName(s.Path)); err != nil {
				return err
			}
		}
	}
	err := s.move(savingName(s.Path), s.Path)
	switch {
	case linked && err == nil:
		err = s.move(spareName(s.Path), olderName(s.Path))
		err = errors.WithMessage(err, "the state is saved, but the generation before it is not kept")
	case linked:
		_ = s.disk.Remove(spareName(s.Path))
	case s.whole && err != nil:
		_ = s.disk.Rename(olderName(s.Path), s.Path) // Peek finds N in either place
	}
	return err
}

func (s *Store) move(from, to string) error {
	return errors.Wrapf(s.disk.Rename(from, to), "cannot rename %s to %s; make the folder writable and close programs that read the file",
		from, to)
}
