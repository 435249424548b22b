package serve

import (
	"context"
	"net/http"
	"os"

	"github.com/pkg/errors"

	"gophe/phe/live/log"
	"gophe/phe/stream"
)

// describe returns the description of a model that is followed.
func describe(at log.Following) model {
	m := model{Rows: at.Rows, Checkpoint: &at.Checkpoint}
	if at.Rows > 0 {
		age := max(0, at.Age.Seconds())
		m.Age = &age
	}
	return m
}

// Follow makes a server that forecasts by a model that another program learns. It has no journal and saves no checkpoint, and refuses
// requests that would change the model. All forecasts of a request come from one state. name is the model's name for people. The
// owner of f stops f after the server has ended.
func Follow(name string, f *log.Follower, o Options) (*Server, error) {
	s, err := newServer(name, o)
	if err != nil {
		return nil, err
	}
	s.followed = f
	f.Read(func(l *stream.Learner, _ log.Following) { s.describeRecords(l.Schema) })
	s.start(name, s.followedMoment)
	s.ended.Go(s.watch)
	return s, nil
}

// readLearner calls a function with the learner. It returns the description of the model that the function saw, and the function's problem.
// The function must not ask for another description, since a followed model may be locked meanwhile.
func (s *Server) readLearner(use func(*stream.Learner) *problem) (m model, p *problem) {
	if s.followed == nil {
		p = use(s.learner)
		return s.model(now()), p
	}
	s.followed.Read(func(l *stream.Learner, at log.Following) { p, m = use(l), describe(at) })
	return m, p
}

// followedMoment takes a moment for the page.
func (s *Server) followedMoment() (m stream.Moment) {
	s.followed.Read(func(l *stream.Learner, _ log.Following) { m = l.Moment() })
	return m
}

// watch waits until the model is followed no more, or until the server closes.
func (s *Server) watch() {
	select {
	case <-s.followed.Done():
	case <-s.queue: // Close closes it
		return
	}
	if err := s.followed.Err(); !errors.Is(err, context.Canceled) { // the owner stopped it
		if err == nil {
			err = errors.New("it gives no reason")
		}
		s.options.Log("error: " + s.path + " is followed no more, and forecasts come from the last state; start the server again: " +
			err.Error())
	}
	if s.page != nil {
		s.page.Finish(false)
	}
}

// isFollowing returns false after the model was followed for the last time.
func (s *Server) isFollowing() bool {
	select {
	case <-s.followed.Done():
		return false
	default:
		return true
	}
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
	case s.followed == nil:
		return ""
	case !s.isFollowing():
		return "the model is followed no more, and forecasts come from its last state; if there was an error, the server's log has it"
	case !s.followed.Position().CaughtUp:
		return "the server has not caught up with the program that learns its model"
	}
	return ""
}

// refuseChange refuses a request that would change a model that other programs learn.
func (s *Server) refuseChange(*http.Request, []byte) (a answer, p *problem) {
	return a, refusing(http.StatusConflict, "read_only", "this server only reads the model %s, which another program learns; send rows with "+
		"their targets there, and ask for forecasts without ids. Nothing of this request was kept", s.path)
}

// newer returns a file's learner if the file is another one than before.
func newer(path string, say func(string)) log.Newer {
	return func(_ context.Context, known uint64) (*stream.Learner, uint64, error) {
		number := uint64(1) // a missing file has older generations
		if info, err := os.Stat(path); err == nil {
			number = uint64(info.ModTime().UnixNano())
		}
		if number == known {
			return nil, known, nil
		}
		l, _, err := Peek(path, say)
		return l, number, err
	}
}
