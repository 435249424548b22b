package feed

import "github.com/pkg/errors"

// Choice says what to do with an input that a learner meets.
type Choice int

const (
	Continue Choice = iota // go on at the last checkpoint
	Next                   // learn the input from its first record
)

// Choose decides whether a file is the input of the last checkpoint, which may have grown, or another input. On Continue the file
// may have another name than before, and the state takes its name.
//
// Choose refuses a file whose rows would be learned twice, and a file that leaves the last input unfinished. With again it returns
// Next for both. An input that is not finished goes on even with again, so that a command with again can be started again.
func (s *State) Choose(path string, again bool) (Choice, error) {
	if s.Input.Name == "" {
		return Next, nil
	}
	same, err := s.Input.is(path)
	switch {
	case err != nil:
		return 0, err
	case s.Position.Record == 0:
		return Next, nil
	case same && !(again && s.Ended):
		s.Input.Name = path
		return Continue, nil
	case again:
		return Next, nil
	case !s.Ended && s.Input.Name == path:
		return 0, errors.Errorf("%s has changed in the part that was learned, its first %d records; put that part back, or learn the file from its first record with --again",
			path, s.Position.Record)
	case !s.Ended:
		return 0, errors.Errorf("%d records of %s were learned, and the rest was not; give that input again, or learn %s from its first record with --again",
			s.Position.Record, s.Input.Name, path)
	case s.Input.Name == path:
		return 0, errors.Errorf("%s was learned to its end, and begins with other records now; if they are new to the model, learn them with --again", path)
	}
	return Next, s.known(path)
}

// known returns an error if a file was learned as an earlier input.
func (s *State) known(path string) error {
	for _, in := range s.Earlier {
		same, err := in.is(path)
		if err != nil {
			return err
		}
		if same {
			return errors.Errorf("%s was learned before: %d rows of %s; --again learns it once more", path, in.Rows, in.Name)
		}
	}
	return nil
}
