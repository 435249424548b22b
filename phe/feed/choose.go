package feed

import "gophe/phe/remedy"

// Choose returns whether a file is the next input, to be learned from its first record. Otherwise the file is the input of the last
// checkpoint, which may have grown, and learning continues there. It may have another name than before, and the state takes its name.
//
// Choose refuses a file whose rows would be learned twice, and a file that leaves the last input unfinished. With again it returns
// true for both. An input that is not finished goes on even with again, so that a command with again can be started again.
//
// Choose compares the beginning, the end and a sample of the part that was learned. With a check it compares all of that part, and calls
// check with the number of bytes that it has compared and of all bytes.
func (s *State) Choose(path string, again bool, check func(done, all int64)) (next bool, err error) {
	if s.Input.Name == "" {
		return true, nil
	}
	same, where, err := s.compare(path, check)
	switch {
	case err != nil:
		return false, err
	case s.Position.Record == 0:
		return true, nil
	case same && !(again && s.Ended):
		s.Input.Name = path
		return false, nil
	case again:
		return true, nil
	case !s.Ended && s.Input.Name == path:
		return false, remedy.Errorf("learn again", "%s has changed in the part that was learned, its first %d records%s; put that part back",
			path, s.Position.Record, where)
	case !s.Ended:
		return false, remedy.Errorf("learn again", "%d records of %s were learned, and the rest was not; give that input again before %s",
			s.Position.Record, s.Input.Name, path)
	case s.Input.Name == path:
		return false, remedy.Errorf("learn again if new", "%s was learned to its end, and that part has changed%s; put it back", path, where)
	}
	return true, s.known(path)
}

// compare returns whether a file begins with the bytes that were learned. If it does not, where may say where the first difference is.
func (s *State) compare(path string, check func(done, all int64)) (same bool, where string, err error) {
	same, err = s.Input.is(path)
	if err != nil || !same && s.Input.Name != path {
		return false, "", err
	}
	file, err := openPlain(path)
	if err != nil {
		return false, "", err
	}
	defer file.Close()
	blocks := s.Fingerprint.sample()
	if !same || check != nil {
		blocks = s.Fingerprint.all()
	}
	where, err = s.Fingerprint.difference(file, blocks, check)
	return same && where == "", where, err
}

// known returns an error if a file was learned as an earlier input.
func (s *State) known(path string) error {
	for _, in := range s.Earlier {
		same, err := in.is(path)
		if err != nil {
			return err
		}
		if same {
			return remedy.Errorf("learn once more", "%s was learned before: %d rows of %s", path, in.Rows, in.Name)
		}
	}
	return nil
}
