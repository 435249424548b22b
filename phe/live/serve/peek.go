package serve

import (
	"fmt"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/internal/journal"
	"gophe/phe/live/checkpoint"
	"gophe/phe/live/feed"
	"gophe/phe/stream"
)

// Peek reads a model and changes no file. If a server was killed, Peek learns the requests of its journal, in memory. Beside a running
// server the learner is the last checkpoint. A damaged journal is no error: the learner then has the requests before the damage. log is
// called with sentences for people: where the learner comes from if it is not the newest checkpoint alone, and what it lacks. If there is
// no model the error is checkpoint.ErrNone.
func Peek(path string, log func(line string)) (*stream.Learner, feed.State, error) {
	for {
		loaded, err := checkpoint.Peek(path)
		if err != nil {
			return nil, feed.State{}, err
		}
		s, notes, broken, err := peek(path, loaded)
		if err != nil {
			return nil, feed.State{}, err
		}
		if broken != nil {
			// A server may have saved a newer checkpoint meanwhile, and removed what that one has from the journal.
			if now, err := checkpoint.Peek(path); err == nil && now.Generation != loaded.Generation {
				continue
			}
			notes = append(notes, fmt.Sprintf("warning: %s; the model lacks the requests that only the journal has", broken))
		}
		for _, note := range notes {
			log(note)
		}
		return s.learner, s.state, nil
	}
}

// peek reads the journal behind a checkpoint. broken is the fault of the journal.
func peek(path string, loaded checkpoint.Loaded) (s *Server, notes []string, broken, err error) {
	s, settled, err := restored(path, loaded)
	if err != nil {
		return nil, nil, nil, err
	}
	if loaded.Warning != "" {
		notes = append(notes, "warning: "+loaded.Warning)
	}
	if settled {
		return s, notes, nil, nil
	}
	held, err := checkpoint.Held(path)
	if err != nil {
		return nil, nil, nil, err
	}
	rows, applied := s.learner.Rows(), s.applied
	broken = journal.Read(journalOf(path), s.journalOptions(), s.applied, s.applyRecord)
	rows = s.learner.Rows() - rows
	switch {
	case held && s.applied > applied:
		s.learner, s.state, err = feed.Load(loaded.Payload)
		if rows > 0 {
			notes = append(notes, fmt.Sprintf("note: a server is learning %s; this is its checkpoint of %s, "+
				"which lacks %s rows that it has learned since",
				path, loaded.Saved.Format(time.RFC3339), stream.Grouped(rows)))
		}
	case rows > 0:
		notes = append(notes, fmt.Sprintf("note: the server of %s was killed; %s rows come from its journal, and no file is changed",
			path, stream.Grouped(rows)))
	}
	return s, notes, broken, errors.WithMessagef(err, "the model %s", path)
}

// restored returns a server with the state of a checkpoint and without its files. settled tells that the journal has nothing to add.
func restored(path string, loaded checkpoint.Loaded) (s *Server, settled bool, err error) {
	if s, err = newServer(path, Options{}); err != nil {
		return nil, false, err
	}
	last, err := s.decode(loaded.Payload)
	if err != nil || s.state.Served == nil {
		return s, true, err
	}
	s.restore(last)
	if !last.Closed || loaded.Warning != "" {
		return s, false, nil
	}
	later := journal.Read(journalOf(path), s.journalOptions(), s.applied, func(number uint64, _ []byte) error {
		return errors.Errorf("record %d comes after the checkpoint", number)
	})
	return s, later == nil, nil
}

// Settle prepares a model for a program that learns without a server. If a server was killed, Settle learns the requests of its journal
// and saves the model. It is an error if a server holds the model. log is called with lines for people.
func Settle(path string, log func(line string)) error {
	loaded, err := checkpoint.Peek(path)
	if errors.Is(err, checkpoint.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, settled, err := restored(path, loaded); err != nil || settled {
		return err
	}
	s, err := Open(path, nil, Options{Log: log})
	if err != nil {
		return err
	}
	return s.Close()
}
