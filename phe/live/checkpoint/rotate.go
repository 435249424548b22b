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
func (s *Store) rotate() error {
	if !s.whole {
		return s.move(savingName(s.Path), s.Path)
	}
	if err := removeFile(s.disk, spareName(s.Path)); err != nil {
		return err
	}
	if err := s.disk.Link(s.Path, spareName(s.Path)); err != nil {
		return s.rotateByRenames()
	}
	if err := s.move(savingName(s.Path), s.Path); err != nil {
		_ = s.disk.Remove(spareName(s.Path))
		return err
	}
	return errors.WithMessage(s.move(spareName(s.Path), olderName(s.Path)), "the state is saved, but the generation before it is not kept")
}

// rotateByRenames does the same on file systems without hard links, such as FAT. Between its renames PATH is missing, and
// Load finds N in PATH.old.
func (s *Store) rotateByRenames() error {
	if err := s.move(s.Path, olderName(s.Path)); err != nil {
		return err
	}
	err := s.move(savingName(s.Path), s.Path)
	if err != nil {
		_ = s.disk.Rename(olderName(s.Path), s.Path) // Load finds N in either place
	}
	return err
}

func (s *Store) move(from, to string) error {
	return errors.Wrapf(s.disk.Rename(from, to), "cannot rename %s to %s; make the folder writable and close programs that read the file",
		from, to)
}
