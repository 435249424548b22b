package feed

import (
	"gophe/phe/internal/text"
	"gophe/phe/remedy"
	"gophe/phe/stream"
)

// Choose goes on with a source. If it is the input of the last checkpoint, which may have grown, learning continues after the checkpoint.
// The file may have another name than before, and the state takes its name. Otherwise learning begins at the first record.
//
// Choose refuses a file whose rows would be learned twice, and a source that leaves the last input unfinished. With Options.Again it takes
// both. An input that is not finished goes on even then, so that a command that says so can be started again.
func (s *State) Choose(in *Source, o Options) error {
	identity, err := in.identify()
	if err != nil {
		return err
	}
	next := s.Input.Name == "" && s.Position.Record == 0 || o.Append
	switch isFile := s.Input.SHA256 != ""; {
	case in.Seekable():
		next, err = s.choose(in.Path, o.Again, o.Compare)
	case isFile && s.Ended:
		next = true
	case isFile && !next:
		err = remedy.Errorf("append", "the model has learned only %s of %s; give that file again",
			stream.Counted(s.Position.Record, "record"), s.Input.Name)
	}
	if err == nil && next {
		if o.Replaces != nil {
			s.last = o.Replaces.output()
		}
		s.begin(identity)
	}
	return err
}

// choose returns whether a file is the next input, to be learned from its first record. Otherwise it is the input of the last checkpoint.
func (s *State) choose(path string, again bool, check func(done, all int64)) (next bool, err error) {
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
		s.Input.Name = text.Name(path)
		return false, nil
	case again:
		return true, nil
	case !s.Ended && string(s.Input.Name) == path:
		return false, remedy.Errorf("learn again", "%s has changed in the part that was learned, its first %s%s; put that part back",
			path, stream.Counted(s.Position.Record, "record"), where)
	case !s.Ended:
		return false, remedy.Errorf("learn again", "%d records of %s were learned, and the rest was not; give that input again before %s",
			s.Position.Record, s.Input.Name, path)
	case string(s.Input.Name) == path:
		return false, remedy.Errorf("learn again if new", "%s was learned to its end, and that part has changed%s; put it back", path, where)
	}
	return true, s.known(path)
}

// compare returns whether a file begins with the bytes that were learned. If it does not, where may say where the first difference is.
func (s *State) compare(path string, check func(done, all int64)) (same bool, where string, err error) {
	same, err = s.Input.is(path)
	if err != nil || !same && string(s.Input.Name) != path {
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
			return remedy.Errorf("learn once more", "%s was learned before: %s of %s", path, stream.Counted(in.Rows, "row"), in.Name)
		}
	}
	return nil
}
