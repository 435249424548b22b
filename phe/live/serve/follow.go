package serve

import (
	"context"
	"os"
	"time"

	"gophe/phe/live/store"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

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
