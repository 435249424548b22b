package serve

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"gophe/phe/live/page"
	"gophe/phe/live/store"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// Server serves one model. Open makes a server that learns, and Follow a server that follows other machines.
type Server struct {
	options Options
	name    string // the model's path, or the name of the store that is followed

	own      *durable        // the model that the server learns; nil for a server that follows, or has no model yet
	followed *store.Follower // nil for a server that learns

	layout  *layout
	reasons reasons
	page    *page.Page // nil without Options.Page
	routes  []route
	metrics *metrics
	growth  growth
	seats   *seats
	slots   chan struct{} // one element for each request under way

	stopping atomic.Bool // Run ends soon
	closed   atomic.Bool
	early    func() (*Server, error) // makes the server that takes the place of one without a model; nil for one with a model
	next     atomic.Pointer[Server]  // what early has made
}

// Open opens the model at a path and its journal, the folder PATH.journal. If there is no model, begin makes the learner of a new one, and
// a nil begin makes that an error. Open replays the operations that the last checkpoint lacks.
func Open(path string, begin func() (*stream.Learner, error), o Options) (*Server, error) {
	if o.ReadOnly {
		say := o.withDefaults().Log
		f, err := store.Follow(context.Background(), path, newer(path, say), say)
		if err != nil {
			return nil, err
		}
		return Follow(path, f, o)
	}
	s, err := newServer(path, o)
	if err != nil {
		return nil, err
	}
	if s.own, err = openDurable(path, begin, s.options); err != nil {
		return nil, err
	}
	s.start(filepath.Base(path), s.own.learner.Schema, s.own.learner.Moment)
	return s, nil
}

// newer returns a function that reads a model's file when the file has changed. A damaged file is read once.
func newer(path string, say func(string)) store.Newer {
	read, last := false, time.Time{}
	return func(context.Context) (at store.Checkpoint, err error) {
		if info, err := os.Stat(path); err == nil { // without it, there may be an older generation
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
	var of schema.Schema
	f.Read(func(l *stream.Learner, _ store.Following) { of = l.Schema })
	warnNames(of, s.options.Log)
	s.start(name, of, func() (m stream.Moment) {
		f.Read(func(l *stream.Learner, _ store.Following) { m = l.Moment() })
		return m
	})
	return s, nil
}

// newServer returns a server without a model.
func newServer(name string, o Options) (*Server, error) {
	o = o.withDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	return &Server{options: o, name: name, slots: make(chan struct{}, o.Queue),
		seats:   &seats{taken: map[peer]*seat{}, free: int(o.BodyMemory), spare: int(o.BodyMemory / 8)},
		metrics: &metrics{paths: map[string]*requests{}},
		growth:  growth{seen: map[string]float64{}, grown: map[string]float64{}}}, nil
}

// start makes the page and the paths of a server that has its model.
func (s *Server) start(title string, records schema.Schema, moment func() stream.Moment) {
	s.layout = newLayout(records, s.options.MaxRecords)
	if s.options.Page {
		s.page = page.New(moment, page.Options{Title: title, Viewers: max(1, s.options.Connections/4), Serving: true, Asks: records})
	}
	s.routes = s.allRoutes()
	_, _ = s.showMetrics(nil, nil)
	clear(s.growth.grown) // counters begin at 0
}

// closePage shows on the page that the server stops, and then closes the page.
func (s *Server) closePage() {
	if s.page != nil {
		s.page.Finish(false)
		s.page.Close()
	}
}

// Close applies the operations in the queue, saves a checkpoint and closes the model. A server that follows has none of these. The
// server must get no more requests.
func (s *Server) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.closePage()
	if s.followed != nil {
		s.followed.Close()
		return nil
	}
	return s.own.close()
}
