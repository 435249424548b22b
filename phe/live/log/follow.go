package log

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/live/broker"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// Following says how far a program follows a model that another one learns.
type Following struct {
	Checkpoint uint64        // number of the checkpoint that was loaded
	Rows       int64         // learned
	Age        time.Duration // since the checkpoint was loaded
	// CaughtUp makes a server ready. A checkpoint that was written just now should not clear it: a load balancer would then take the server
	// out at each one.
	CaughtUp bool
}

// Newer returns the newest checkpoint's learner and number; nil if the number is not above the one that is known.
type Newer func(ctx context.Context, known uint64) (*stream.Learner, uint64, error)

// Follower keeps the learner of the newest checkpoint of a file or a store. All methods are safe for concurrent use. The context ends it.
type Follower struct {
	context.Context
	newer Newer
	say   func(string)

	mu             sync.Mutex // guards all below
	learner        *stream.Learner
	at             Following
	loaded, looked time.Time // when the learner was loaded, and when nothing newer was there
	told           string    // the last error
}

// moment is the time for which a follower counts as caught up.
const moment = 5 * time.Second

// Follow waits for the first checkpoint, and follows until ctx ends.
func Follow(ctx context.Context, newer Newer, say func(string)) (*Follower, error) {
	f := &Follower{Context: ctx, newer: newer, say: say}
	for f.learner == nil {
		if err := f.look(); err != nil {
			return nil, err
		}
		if broker.Sleep(ctx, lookEvery); ctx.Err() != nil {
			return nil, errors.WithStack(ctx.Err())
		}
	}
	go func() {
		for ; f.Err() == nil; broker.Sleep(f, lookEvery) {
			if err := f.look(); err != nil && f.Err() == nil && f.told != err.Error() {
				f.told = err.Error()
				say("warning: forecasts come from the model as it was: " + f.told)
			}
		}
	}()
	return f, nil
}

// look loads the newest checkpoint if it is not loaded.
func (f *Follower) look() error {
	l, number, err := f.newer(f, f.at.Checkpoint)
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case err != nil:
		return err
	case l == nil:
		f.looked = time.Now()
		return nil
	case f.learner != nil:
		if err := sameRecords(f.learner.Schema, l.Schema); err != nil {
			return err
		}
	}
	f.learner, f.at.Checkpoint, f.loaded, f.looked = l, number, time.Now(), time.Now()
	return nil
}

// sameRecords returns an error if a newer model reads other records than a server was begun with.
func sameRecords(was, now schema.Schema) error {
	records := func(of schema.Schema) string { return fmt.Sprint(of.Names(), of.Target, of.Commas()) }
	if records(was) != records(now) {
		return errors.New("the model has other columns, another target or other decimal commas now; start the server again")
	}
	return nil
}

// Read calls use with the learner and where it stands, which belong together. The learner stays as it is until use returns. use must not
// change it nor keep it.
func (f *Follower) Read(use func(*stream.Learner, Following)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := f.at
	at.Rows, at.Age, at.CaughtUp = f.learner.Rows(), time.Since(f.loaded), time.Since(f.looked) < moment
	use(f.learner, at)
}

// Position returns how far the follower has come.
func (f *Follower) Position() (at Following) {
	f.Read(func(_ *stream.Learner, now Following) { at = now })
	return at
}

// Newer implements Newer.
func (s *NATSStore) Newer(ctx context.Context, known uint64) (*stream.Learner, uint64, error) {
	m, err := s.Look(ctx)
	if err != nil || m.Generation <= known {
		return nil, known, err
	}
	payload, generation, err := s.Newest(ctx, known)
	if err != nil {
		return nil, known, err
	}
	var state State
	l, err := stream.Read(payload, &state)
	return l, max(generation, m.Generation), errors.WithMessagef(err, "checkpoint %d of the store %s", generation, s.name) // the newest may be damaged
}
