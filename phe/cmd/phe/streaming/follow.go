package streaming

import (
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"gophe/phe/internal/fold"
	"gophe/phe/live/cluster"
	"gophe/phe/live/cluster/shared"
	"gophe/phe/live/serve"
	"gophe/phe/stream"
)

// follow serves the shared model that --follow names.
func (f *serveFlags) follow(c *cobra.Command) error {
	listener, err := f.listen(c)
	if err != nil {
		return err
	}
	defer listener.Close()
	log, err := f.connect(c, 0)
	if err != nil {
		return err
	}
	defer log.Close()
	follower, err := log.Follow(c.Context(), shared.Open)
	if err != nil {
		return err
	}
	s, err := serve.Follow(f.name, &followed{Follower: follower}, f.serving)
	if err != nil {
		return err
	}
	return s.Run(c.Context(), listener)
}

// followed is a follower as a server reads it.
type followed struct {
	*cluster.Follower
	caughtUp atomic.Int64 // when the follower had last caught up, in milliseconds since 1970
}

// Read calls use with the learner and the position of one state.
func (f *followed) Read(use func(*stream.Learner, serve.Position)) error {
	m := f.Metrics()
	at := f.position(m)
	return read(f.Follower, func(s *fold.State, l *stream.Learner) error {
		at.Log, at.Rows, at.Behind = s.Position, l.Rows(), max(m.End, s.Position)-s.Position
		use(l, at)
		return nil
	})
}

// Position returns the position without the learner. A follower that had caught up a moment ago counts as caught up.
func (f *followed) Position() serve.Position { return f.position(f.Metrics()) }

func (f *followed) position(m cluster.FollowerMetrics) serve.Position {
	const moment = 5 * time.Second
	now := time.Now().UnixMilli()
	if m.CaughtUp {
		f.caughtUp.Store(now)
	}
	return serve.Position{Log: m.Position, Rows: int64(m.Rows), Behind: m.Behind, Age: m.Age, CaughtUp: now-f.caughtUp.Load() < moment.Milliseconds()}
}
