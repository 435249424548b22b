package store

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/live/broker"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// Newer returns a checkpoint that it has not returned before; one without a learner if there is none. A damaged one is an error once. One
// goroutine at a time calls it.
type Newer func(context.Context) (Checkpoint, error)

// Checkpoint is a checkpoint whose learner was read.
type Checkpoint struct {
	Learner    *stream.Learner
	Generation uint64    // number of the save in a store; 0 for a file
	Saved      time.Time // zero if it is unknown; the time of loading counts then
}

// Following says how far a program follows a model that another one learns.
type Following struct {
	Checkpoint uint64        // generation of the checkpoint that was loaded
	Rows       int64         // learned
	Age        time.Duration // since the checkpoint was saved or loaded
	// CaughtUp makes a server ready. A checkpoint that was written just now should not clear it: a load balancer would then take the server
	// out at each one.
	CaughtUp bool
}

// Follower keeps the learner of the newest checkpoint of a file or a store. All methods are safe for concurrent use.
type Follower struct {
	newer Newer
	stop  context.CancelFunc
	ended sync.WaitGroup

	mu     sync.Mutex // guards the fields below
	at     Checkpoint
	looked time.Time // when nothing newer was there
}

// moment is the time for which a follower counts as caught up.
const moment = 5 * time.Second

// Follow waits for the first checkpoint until ctx ends, and follows until Close. of names the store or the file in these lines.
func Follow(ctx context.Context, of string, newer Newer, say func(string)) (*Follower, error) {
	f := &Follower{newer: newer}
	for said := false; ; said = true {
		if err := f.look(ctx); err != nil {
			return nil, err
		}
		if f.at.Learner != nil {
			break
		}
		if !said {
			say("waits for the first checkpoint of " + of)
		}
		if broker.Sleep(ctx, lookEvery); ctx.Err() != nil {
			return nil, errors.WithStack(ctx.Err())
		}
	}
	ctx, f.stop = context.WithCancel(context.WithoutCancel(ctx))
	f.ended.Go(func() {
		for told := ""; ; {
			if broker.Sleep(ctx, lookEvery); ctx.Err() != nil {
				return
			}
			switch err := f.look(ctx); {
			case err == nil:
				told = ""
			case ctx.Err() == nil && told != err.Error():
				told = err.Error()
				say("warning: forecasts come from the model as it was: " + told)
			}
		}
	})
	return f, nil
}

// look takes the newest checkpoint if there is a newer one.
func (f *Follower) look(ctx context.Context) error {
	newest, err := f.newer(ctx)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looked = time.Now()
	records := func(of schema.Schema) string { return fmt.Sprint(of.Names(), of.Target, of.Commas()) }
	switch {
	case newest.Learner == nil:
		return nil
	case f.at.Learner != nil && records(f.at.Learner.Schema) != records(newest.Learner.Schema):
		return errors.New("the model has other columns, another target or other decimal commas now; start the server again")
	case newest.Saved.IsZero():
		newest.Saved = f.looked
	}
	f.at = newest
	return nil
}

// Read calls use with the learner and its place, which belong together. The learner stays as it is until use returns. use must not
// change it nor keep it.
func (f *Follower) Read(use func(*stream.Learner, Following)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.at.Learner
	use(l, Following{f.at.Generation, l.Rows(), time.Since(f.at.Saved), time.Since(f.looked) < moment})
}

// Position returns how far the follower has come.
func (f *Follower) Position() (at Following) {
	f.Read(func(_ *stream.Learner, now Following) { at = now })
	return at
}

// Close ends the following. The learner stays.
func (f *Follower) Close() {
	f.stop()
	f.ended.Wait()
}

// Newer returns a function that loads the checkpoints of a store.
func (s *NATS) Newer() Newer {
	tried := uint64(0)
	return func(ctx context.Context) (at Checkpoint, err error) {
		m, err := s.Look(ctx)
		if err != nil || m.Generation == 0 || m.Generation == tried {
			return at, err
		}
		payload, generation, err := s.Newest(ctx, 0)
		if err != nil {
			return at, err
		}
		tried = max(generation, m.Generation) // the newest may be damaged
		l, err := stream.Read(payload, &json.RawMessage{})
		return Checkpoint{Learner: l, Generation: generation}, errors.WithMessagef(err, "checkpoint %d of the store %s", generation, s.name)
	}
}
