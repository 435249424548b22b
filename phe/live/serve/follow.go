package serve

import (
	"cmp"
	"context"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/live/log"
	"gophe/phe/stream"
)

// Followed is a model that another program learns and this process follows, such as a log.Follower. All methods are safe for concurrent
// use.
type Followed interface {
	// Read calls use with the learner and where it stands, which belong together. The learner stays as it is until use returns. use must
	// not change the learner nor keep it. An error means that the learner cannot be read, and use was not called. The last state can be
	// read after Done.
	Read(use func(*stream.Learner, log.Following)) error
	// Position returns where the learner stands. It works where Read does not.
	Position() log.Following
	// Done is closed when the model is followed no more.
	Done() <-chan struct{}
	// Err returns the reason after Done. It wraps context.Canceled if the owner stopped the follower.
	Err() error
}

// describe returns the description of a model that is followed.
func describe(at log.Following) model {
	m := model{Rows: at.Rows}
	if !at.File {
		m.Checkpoint = &at.Checkpoint
	}
	if at.Replays {
		m.Behind = &at.Behind
	}
	if at.Rows > 0 {
		age := max(0, at.Age.Seconds())
		m.Age = &age
	}
	return m
}

// Follow makes a server that forecasts by a model that another program learns. It has no journal and saves no checkpoint, and refuses
// requests that would change the model. All forecasts of a request come from one state. name is the model's name for people. The
// owner of f stops f after the server has ended.
func Follow(name string, f Followed, o Options) (*Server, error) {
	s, err := newServer(name, o)
	if err != nil {
		return nil, err
	}
	s.followed = f
	if err := f.Read(func(l *stream.Learner, _ log.Following) { s.describeRecords(l.Schema) }); err != nil {
		return nil, errors.WithMessagef(err, "reading the model %s", name)
	}
	s.start(name, s.followedMoment())
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
	if err := s.followed.Read(func(l *stream.Learner, at log.Following) { p, m = use(l), describe(at) }); err != nil {
		p = fault(err)
	}
	return m, p
}

// followedMoment returns the function that takes moments for the page. A page cannot show an error. It shows the last moment instead.
func (s *Server) followedMoment() func() stream.Moment {
	var last stream.Moment
	return func() stream.Moment {
		if err := s.followed.Read(func(l *stream.Learner, _ log.Following) { last = l.Moment() }); err != nil {
			s.options.Log("warning: the page cannot read " + s.path + ": " + err.Error())
		}
		return last
	}
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
	at := s.followed.Position()
	code, does := "follower", "follows the model in the store %s, which another program learns"
	who := "feeder of " + cmp.Or(at.Learned, s.path)
	if at.File {
		code, does, who = "read_only", "reads the model %s", "program that learns it"
	}
	return a, refusing(http.StatusConflict, code, "this server only "+does+"; send rows with their targets to the %s, "+
		"and ask for forecasts without ids. Nothing of this request was kept", s.path, who)
}

// file is a model's file that a server follows, since another program may save it. The context never ends.
type file struct {
	context.Context
	path    string
	say     func(string)
	mu      sync.Mutex // guards the fields below
	learner *stream.Learner
	saved   time.Time // when the file that was loaded was saved; zero if it was missing
	looked  time.Time // the same of the file that was tried last
}

// look loads the model if its file is another one than before. It keeps the learner if there is an error.
func (f *file) look() error {
	var saved time.Time
	if info, err := os.Stat(f.path); err == nil {
		saved = info.ModTime()
	}
	if f.learner != nil && saved.Equal(f.looked) {
		return nil
	}
	f.looked = saved // so that no other request reads a damaged file
	l, _, err := Peek(f.path, f.say)
	if was := f.learner; err == nil && was != nil {
		err = log.SameRecords(f.path, was.Schema, l.Schema)
	}
	if err == nil {
		f.learner, f.saved = l, saved
	}
	return err
}

// Read implements Followed.
func (f *file) Read(use func(*stream.Learner, log.Following)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.look(); err != nil {
		f.say("warning: forecasts come from the model as it was: " + err.Error())
	}
	use(f.learner, log.Following{Rows: f.learner.Rows(), Age: time.Since(f.saved), CaughtUp: true, File: true})
	return nil
}

// Position implements Followed.
func (f *file) Position() (at log.Following) {
	_ = f.Read(func(_ *stream.Learner, p log.Following) { at = p }) // it never fails
	return at
}
