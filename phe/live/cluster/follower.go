package cluster

import (
	"context"
	"encoding/binary"
	"math"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/pkg/errors"

	"gophe/phe/internal/fold"
	"gophe/phe/live/broker"
)

// checkEvery is the time between two looks at the end of the log, which may have been lost.
const checkEvery = 5 * time.Second

// Follower folds the log of contributions as it grows. It holds the only copy of the belief in its process, if learners and keepers
// share it.
type Follower struct {
	log  *Log
	open fold.Open
	done chan struct{}

	mu      sync.Mutex
	changed sync.Cond // the state has changed, or the follower has stopped
	state   *fold.State
	message uint32 // checksum of the last message that was folded
	folded  time.Time
	live    bool // the follower was at the end of the log once
	recent  recent
	err     error // why the follower stopped

	caughtUp time.Time       // when the metrics last found that nothing was behind
	metrics  FollowerMetrics // of these only End, Learner, Saved and SavedAt
}

// Follow starts from the newest checkpoint, or from the start state, and folds until ctx ends. It waits until the belief was created.
func (l *Log) Follow(ctx context.Context, open fold.Open) (*Follower, error) {
	if err := l.await(ctx); err != nil {
		return nil, err
	}
	s, err := l.newest(ctx, open)
	if err != nil {
		return nil, err
	}
	f := newFollower(l, open, s)
	if err := f.check(ctx); err != nil {
		return nil, err
	}
	go f.run(ctx)
	return f, nil
}

// newFollower returns a follower that does not run yet.
func newFollower(l *Log, open fold.Open, s snapshot) *Follower {
	f := &Follower{log: l, open: open, done: make(chan struct{}), state: s.state, message: s.message, folded: time.Now()}
	f.changed.L = &f.mu
	return f
}

// Read calls a function with the state. The function must not change the state nor keep it. The follower waits meanwhile.
func (f *Follower) Read(read func(*fold.State)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	read(f.state)
}

// Err returns why the follower stopped. It is nil while the follower runs.
func (f *Follower) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Done is closed when the follower has stopped.
func (f *Follower) Done() <-chan struct{} { return f.done }

// wait waits until a condition on the state holds. It returns an error if ctx ends or the follower stops before.
func (f *Follower) wait(ctx context.Context, holds func(*fold.State) bool) error {
	defer context.AfterFunc(ctx, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.changed.Broadcast()
	})()
	f.mu.Lock()
	defer f.mu.Unlock()
	for !holds(f.state) {
		if f.err != nil {
			return f.err
		}
		if ctx.Err() != nil {
			return errors.Wrap(ctx.Err(), "waiting for the log of contributions")
		}
		f.changed.Wait()
	}
	return nil
}

// run folds until ctx ends or the log cannot be followed.
func (f *Follower) run(ctx context.Context) {
	defer close(f.done)
	var err error
	for err == nil {
		if err = f.follow(ctx); ctx.Err() != nil {
			err = errors.Wrap(ctx.Err(), "the follower was stopped")
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
	f.changed.Broadcast()
}

// errJumped says that the follower's state no longer ends before the next message.
var errJumped = errors.New("the state has jumped")

// follow reads from the state's position until the messages stop. It returns nil if reading again may help.
func (f *Follower) follow(ctx context.Context) error {
	if err := f.check(ctx); err != nil {
		return err
	}
	f.mu.Lock()
	from := f.state.Position + 1
	f.mu.Unlock()
	info, err := f.log.streamInfo(ctx, f.log.o.contributionsStream())
	if err != nil {
		return err
	}
	checked := time.Now()
	_, err = f.log.readSome(ctx, info, from, math.MaxUint64, f.fold, func() error {
		if time.Since(checked) < checkEvery {
			return nil
		}
		checked = time.Now()
		return f.check(ctx)
	})
	return broker.Except(err, errJumped)
}

// contribution reads a message of the log of contributions.
func contribution(place *jetstream.MsgMetadata, message []byte) (c fold.Contribution, err error) {
	err = c.UnmarshalBinary(message)
	return c, errors.WithMessagef(err, "contribution %d of the log", place.Sequence.Stream)
}

// checksum returns the checksum that ends a contribution. It tells one message from another.
func checksum(contribution []byte) uint32 {
	if len(contribution) < 4 {
		return 0
	}
	return binary.LittleEndian.Uint32(contribution[len(contribution)-4:])
}

// fold folds a message.
func (f *Follower) fold(place *jetstream.MsgMetadata, message []byte) error {
	c, err := contribution(place, message)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if place.Sequence.Stream != f.state.Position+1 {
		return errJumped
	}
	f.state.Fold(c)
	f.message = checksum(message)
	f.metrics.End = max(f.metrics.End, f.state.Position+place.NumPending)
	f.folded = time.Now()
	lag := time.Duration(-1)
	if f.live {
		lag = max(0, f.folded.Sub(place.Timestamp)) // clocks of two machines may differ
	}
	f.recent.add(measurement{f.folded, lag, f.state.Rows})
	f.live = f.live || f.state.Position == f.metrics.End
	f.changed.Broadcast()
	return nil
}

// check compares the state with the log. A log that ends before the state, or that has another message at its position, has lost its
// end: its next contributions are not this state's. A log that was cut after the state's position needs a newer checkpoint.
func (f *Follower) check(ctx context.Context) error {
	f.mu.Lock()
	at, message := f.state.Position, f.message
	f.mu.Unlock()
	info, err := f.log.streamInfo(ctx, f.log.o.contributionsStream())
	if err != nil {
		return err
	}
	log := info.State
	if log.LastSeq < at {
		return errors.Errorf("the log ends at contribution %d, and this belief has folded %d: the log has lost its end. %s",
			log.LastSeq, at, lostEnd)
	}
	if at > 0 && at >= log.FirstSeq && log.Msgs > 0 {
		m, err := f.log.Message(ctx, f.log.o.contributionsStream(), at)
		if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
			return err
		}
		if err == nil && checksum(m.Data) != message {
			return errors.Errorf("contribution %d of the log is not the one that this belief has folded: the log has lost its end. %s", at, lostEnd)
		}
	}
	f.mu.Lock()
	f.metrics.End = max(f.metrics.End, log.LastSeq)
	f.live = f.live || f.state.Position == f.metrics.End
	f.mu.Unlock()
	if log.FirstSeq > at+1 {
		return f.reload(ctx, log.FirstSeq)
	}
	return nil
}

const lostEnd = "A server lost power before it had synced its disk. Restore the log from a copy, or start a new belief from the raw rows"

// reload takes the newest checkpoint, because the log now begins after the state's position.
func (f *Follower) reload(ctx context.Context, first uint64) error {
	s, err := f.log.checkpoint(ctx, f.open)
	if err != nil {
		return err
	}
	if s.state == nil || s.state.Position+1 < first {
		return errors.Errorf("the log begins at contribution %d, and no checkpoint reaches it; restore the log or a checkpoint from a copy",
			first)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.state, f.message = s.state, s.message
	f.changed.Broadcast()
	return nil
}
