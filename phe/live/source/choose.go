package source

import (
	"slices"

	"gophe/phe/internal/text"
	"gophe/phe/remedy"
)

// Choose implements Source. It goes on with the input of the last checkpoint, which may have grown or got another name, and begins others.
// It refuses a file whose rows would be learned twice, and one that leaves the last input unfinished, unless Choice.Again allows both. Even
// then it goes on with an input that is not finished, so that a command that says so can be started again.
func (s *Files) Choose(p *Past, c Choice) (begins bool, err error) {
	if s.file > 0 { // Infer has come as far
		if err := s.open(0); err != nil {
			return false, err
		}
	}
	if at := p.inFiles(); s.rotation != nil && string(p.Input.Name) == s.Path && (at.Inode > 0 || at.Fingerprint.Bytes > 0) {
		if _, err := s.find(at); !c.Again || err == nil && !p.Ended { // the files may get other names meanwhile
			return false, err
		}
	}
	identity, err := s.identify()
	if err != nil {
		return false, err
	}
	begins = p.Input.Name == "" && p.Records() == 0 || c.Append
	switch isFile := p.Input.SHA256 != ""; {
	case s.Seekable():
		begins, err = p.choose(s.paths, c.Again, c.Compare)
	case isFile && p.Ended:
		begins = true
	case isFile && !begins:
		err = remedy.Errorf("append", "the model has learned only %s of %s; give that file again",
			text.Counted(p.Records(), "record"), p.Name())
	}
	if err != nil {
		return false, err
	}
	if begins {
		p.begin(identity)
	}
	if s.rotation != nil {
		if p.Input.Name = text.Name(s.Path); begins {
			p.Position = encode(filePosition{Inode: s.rotation.inode})
		}
	}
	if s.ended = p.Ended; len(s.paths) > 1 || p.Several != "" {
		p.Several = text.Name(s.Path)
	}
	return begins, nil
}

// choose tells whether files are the next input, to be learned from the first record. Otherwise they are the input of the last checkpoint.
func (p *Past) choose(paths []string, again bool, check func(done, all int64)) (next bool, err error) {
	if p.Input.Name == "" {
		return true, nil
	}
	at := p.inFiles()
	path, err := p.current(paths, at.Before, check)
	if err != nil && !again {
		return false, err
	}
	same, where, failed := p.compare(path, at.Fingerprint, check)
	switch same = same && err == nil; {
	case failed != nil:
		return false, failed
	case again && p.Records() == 0:
		return true, nil
	case p.Records() == 0:
	case same && !(again && p.Ended):
		p.Input.Name = text.Name(path)
		return false, nil
	case again:
		return true, nil
	case !p.Ended && string(p.Input.Name) == path:
		name := "learn again"
		if at.Inode > 0 { // it was followed
			name = "renamed"
		}
		return false, remedy.Errorf(name, "%s has changed in the part that was learned, its first %s%s; put that part back", path,
			text.Counted(at.Record, "record"), where)
	case !p.Ended:
		return false, remedy.Errorf("learn again", "%d records of %s were learned, and the rest was not; give that input again before %s",
			p.Records(), p.Name(), path)
	case string(p.Input.Name) == path:
		return false, remedy.Errorf("learn again if new", "%s was learned to its end, and that part has changed%s; put it back", path,
			where)
	}
	for _, path := range paths {
		if err := p.known(path); err != nil {
			return false, err
		}
	}
	return true, nil
}

// current returns the file that was read last, or the first file of another input. The files before it must not have changed.
func (p *Past) current(paths []string, before []learned, check func(done, all int64)) (string, error) {
	for k := 0; ; k++ {
		name, last := p.Input.Name, k == len(before)
		is := func(path string) bool { same, err := p.Input.is(path); return same && err == nil }
		if !last {
			name, is = before[k].Name, func(path string) bool { return before[k].is(path, check) }
		}
		if k < len(paths) && (is(paths[k]) || last && string(name) == paths[k]) {
			if last {
				return paths[k], nil
			}
			continue
		}
		switch at := slices.IndexFunc(paths, is); {
		case at > k:
			return paths[0], remedy.Errorf("learn again", "%s comes before %s, which was learned; give it a name that comes after %s, "+
				"or leave it out and learn it by itself afterwards", paths[k], name, p.Input.Name)
		case at < 0 && k == 0 && !slices.Contains(paths, string(name)) && (last || !p.holds(paths[0])):
			return paths[0], nil
		}
		return paths[0], remedy.Errorf("learn again", "%s was learned before the files after it, and has changed or is missing; put it "+
			"back, or give new files alone", name)
	}
}

// holds tells whether a file is one of the input's files, under its own name.
func (p *Past) holds(path string) bool {
	return slices.ContainsFunc(append([]learned{{Input: p.Input}}, p.inFiles().Before...), func(l learned) bool {
		same, err := l.Input.is(path)
		return string(l.Name) == path && same && err == nil
	})
}

// compare returns whether a file begins with the bytes that were learned. If it does not, where may say where the first difference is.
func (p *Past) compare(path string, print Fingerprint, check func(done, all int64)) (same bool, where string, err error) {
	same, err = p.Input.is(path)
	if err != nil || !same && string(p.Input.Name) != path {
		return false, "", err
	}
	file, err := openPlain(path)
	if err != nil {
		return false, "", err
	}
	defer file.Close()
	blocks := print.sample()
	if !same || check != nil {
		blocks = print.all()
	}
	where, err = print.difference(file, blocks, check)
	return same && where == "", where, err
}

// known returns an error if a file was learned.
func (p *Past) known(path string) error {
	for _, in := range p.inputs() {
		same, err := in.is(path)
		if err != nil {
			return err
		}
		if same {
			return remedy.Errorf("learn once more", "%s was learned before: %s of %s", path, text.Counted(in.Rows, "row"), in.Name)
		}
	}
	return nil
}
