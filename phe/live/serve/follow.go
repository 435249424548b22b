package serve

import (
	"context"
	"net/http"
	"os"
	"time"

	"gophe/phe/live/store"
	"gophe/phe/stream"
)

// describe returns the description of a model that is followed.
func describe(at store.Following) model {
	m := model{Rows: at.Rows}
	if at.Checkpoint > 0 {
		m.Checkpoint = &at.Checkpoint
	}
	if at.Rows > 0 {
		age := max(0, at.Age.Seconds())
		m.Age = &age
	}
	return m
}

// Follow makes a server that forecasts by a model that another program learns. It has no journal and saves no checkpoint, and refuses
// requests that would change the model. All forecasts of a request come from one state. name is the model's name for people. Close
// closes f too.
func Follow(name string, f *store.Follower, o Options) (*Server, error) {
	s, err := newServer(name, o)
	if err != nil {
		f.Close()
		return nil, err
	}
	s.followed = f
	f.Read(func(l *stream.Learner, _ store.Following) { s.describeRecords(l.Schema) })
	s.start(name, func() (m stream.Moment) {
		f.Read(func(l *stream.Learner, _ store.Following) { m = l.Moment() })
		return m
	})
	return s, nil
}

// readLearner calls a function with the learner. It returns the description of the model that the function saw, and the function's problem.
// The function must not ask for another description, since a followed model may be locked meanwhile.
func (s *Server) readLearner(use func(*stream.Learner) *problem) (m model, p *problem) {
	if s.followed == nil {
		p = use(s.learner)
		return s.model(now()), p
	}
	s.followed.Read(func(l *stream.Learner, at store.Following) { p, m = use(l), describe(at) })
	return m, p
}

// unready returns why the server is not ready; empty if it is. Clients without a token may know the reason, so it has no details.
func (s *Server) unready() string {
	switch {
	case s.early != nil:
		return "the server has no model yet: it loads the model, or waits for the first checkpoint of its store"
	case s.followed != nil && !s.ready.Load() || s.stopping.Load():
		return "the server stops"
	case !s.ready.Load():
		return "the server stops, or its disk has failed; its log says which"
	case s.followed != nil && !s.followed.Position().CaughtUp:
		return "the server has not caught up with the program that learns its model"
	}
	return ""
}

// refuseChange refuses a request that would change a model that other programs learn.
func (s *Server) refuseChange(*http.Request, []byte) (a answer, p *problem) {
	return a, refusing(http.StatusConflict, "read_only", "this server only reads the model %s, which another program learns; send rows "+
		"with their targets to that program, and ask for forecasts without ids. Nothing of this request was kept", s.path)
}

// newer returns a function that reads a model's file when it is another one than before. A damaged one is read once.
func newer(path string, say func(string)) store.Newer {
	read, last := false, time.Time{}
	return func(context.Context) (at store.Checkpoint, err error) {
		if info, err := os.Stat(path); err == nil { // else there may be an older generation
			at.Saved = info.ModTime()
		}
		if read && at.Saved.Equal(last) {
			return at, nil
		}
		read, last = true, at.Saved
		at.Learner, _, err = Peek(path, say)
		return at, err
	}
}
