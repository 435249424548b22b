package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
	"github.com/pkg/errors"

	"gophe/phe/internal/fold"
	"gophe/phe/live/broker"
	advice "gophe/phe/remedy"
)

// pointerKey names the newest checkpoint in the key-value store.
const pointerKey = "checkpoint"

// objectPrefix begins the names of checkpoints.
const objectPrefix = "checkpoint-"

// pointer is the value of pointerKey.
type pointer struct {
	Object   string `json:"object"`
	Position uint64 `json:"position"` // contributions that the checkpoint has folded
	Message  uint32 `json:"message"`  // checksum of the last one: another log has another
	Previous string `json:"previous,omitempty"`

	revision uint64    // of the key
	saved    time.Time // by the clock of the server
}

// snapshot is a state with the checksum of the last message that it folded.
type snapshot struct {
	state   *fold.State
	message uint32
}

// value returns the value of a key and its revision. Both are empty if there is none.
func (l *Log) value(ctx context.Context, key string) (value string, revision uint64, err error) {
	entry, err := l.entry(ctx, key)
	if err != nil || entry == nil {
		return "", 0, err
	}
	return string(entry.Value()), entry.Revision(), nil
}

// record reads the value of a key from JSON. It returns the entry; nil if there is none.
func (l *Log) record(ctx context.Context, key string, to any) (jetstream.KeyValueEntry, error) {
	entry, err := l.entry(ctx, key)
	if err == nil && entry != nil {
		err = errors.Wrapf(json.Unmarshal(entry.Value(), to), "the value of the key %s", key)
	}
	return entry, err
}

// entry returns the entry of a key; nil if there is none.
func (l *Log) entry(ctx context.Context, key string) (jetstream.KeyValueEntry, error) {
	get := func(ctx context.Context) (jetstream.KeyValueEntry, error) { return l.kv.Get(ctx, key) }
	return broker.Ask(ctx, l.Conn, "reading the key "+key, jetstream.ErrKeyNotFound, get)
}

// swap replaces the value of a revision. errSwap tells whether there was another revision. The swap may have happened even so, and its
// answer was lost.
func (l *Log) swap(ctx context.Context, key, value string, revision uint64) error {
	return l.Retry(ctx, "changing the key "+key, func(ctx context.Context) error {
		if revision == 0 {
			_, err := l.kv.Create(ctx, key, []byte(value))
			if _, unread := l.kv.Get(ctx, key); errSwap(err) && errors.Is(unread, jetstream.ErrKeyNotFound) { // its message is damaged
				l.o.Log("the store has damaged the value of " + key + ", and it is stored anew")
				if err = l.kv.Delete(ctx, key); err == nil {
					_, err = l.kv.Create(ctx, key, []byte(value))
				}
			}
			return err
		}
		_, err := l.kv.Update(ctx, key, []byte(value), revision)
		return err
	})
}

// errSwap reports whether an error of swap says that there was another revision. A cluster has an error of its own for it.
func errSwap(err error) bool {
	return errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyRevisionMismatch)
}

// pointer returns the newest pointer. It is zero if there is no checkpoint.
func (l *Log) pointer(ctx context.Context) (p pointer, err error) {
	entry, err := l.record(ctx, pointerKey, &p)
	if entry != nil {
		p.revision, p.saved = entry.Revision(), entry.Created()
	}
	return p, err
}

// checkpoint returns the newest checkpoint. Its state is nil if there is none.
func (l *Log) checkpoint(ctx context.Context, open fold.Open) (snapshot, error) {
	for tries := 1; ; tries++ {
		p, err := l.pointer(ctx)
		if err != nil || p.Object == "" {
			return snapshot{}, err
		}
		s, err := l.load(ctx, p, open)
		// A keeper may have stored newer checkpoints and removed this one, even while it was read. A copy of the pointer may be older than
		// the pointer, too.
		hurt, removed := errors.As(err, new(damaged)), errors.Is(err, jetstream.ErrObjectNotFound)
		if hurt && !removed {
			newer, failed := l.pointer(ctx)
			removed = failed == nil && newer.Object != p.Object
		}
		if tries == 10 || !removed {
			if hurt {
				err = advice.Errorf("forget checkpoint", "it is missing or damaged (%v)", err)
			}
			return s, errors.WithMessagef(err, "the checkpoint at contribution %d", p.Position)
		}
		if broker.Sleep(ctx, 50*time.Millisecond); ctx.Err() != nil {
			return snapshot{}, errors.WithStack(ctx.Err())
		}
	}
}

// load reads the checkpoint of a pointer.
func (l *Log) load(ctx context.Context, p pointer, open fold.Open) (snapshot, error) {
	body, err := l.getObject(ctx, p.Object)
	if err != nil {
		return snapshot{}, err
	}
	s, err := fold.LoadState(body, open)
	if err != nil {
		return snapshot{}, err
	}
	if s.Position != p.Position {
		return snapshot{}, errors.Errorf("it holds the state after contribution %d; replay the log", s.Position)
	}
	return snapshot{s, p.Message}, nil
}

// newest returns the newest checkpoint, or the start state if there is none.
func (l *Log) newest(ctx context.Context, open fold.Open) (snapshot, error) {
	s, err := l.checkpoint(ctx, open)
	if err != nil || s.state != nil {
		return s, err
	}
	s.state, err = l.start(ctx, open)
	return s, err
}

// Keep stores a checkpoint each time that a period has passed and the state has changed, until ctx ends. Several keepers may run.
func (f *Follower) Keep(ctx context.Context, every time.Duration) error {
	if !(every > 0) {
		return errors.Errorf("the time between checkpoints is %v; use a positive time", every)
	}
	err := f.log.sweep(ctx)
	for err == nil {
		if broker.Sleep(ctx, every); ctx.Err() != nil {
			return nil
		}
		err = f.save(ctx)
	}
	return errUnlessEnded(ctx, err)
}

// save stores a checkpoint now, unless the last one of this follower is as new as its state.
func (f *Follower) save(ctx context.Context) error {
	f.mu.Lock()
	p, unchanged, err := pointer{Position: f.state.Position, Message: f.message}, f.state.Position <= f.metrics.SavedAt, f.err
	var body []byte
	if err == nil && !unchanged {
		body, err = f.state.MarshalBinary()
	}
	f.mu.Unlock()
	if err != nil || unchanged {
		return err
	}
	stored, err := f.log.save(ctx, p, body)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		f.metrics.SavedAt = p.Position
	}
	if stored {
		f.metrics.Saved++
	}
	return err
}

// errUnlessEnded returns nil if the error came because ctx ended.
func errUnlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// save stores an object with a name of its own and then points at it. So a reader finds the old checkpoint or the new one, whole. The
// pointer moves forward only, by compare-and-swap. save keeps the previous checkpoint for those who are reading it, and deletes the
// one before.
func (l *Log) save(ctx context.Context, p pointer, body []byte) (stored bool, err error) {
	there, err := l.pointer(ctx)
	if err != nil || there.Object != "" && there.Position >= p.Position {
		return false, err
	}
	p.Object = fmt.Sprintf("%s%020d-%s", objectPrefix, p.Position, nuid.Next())
	if err := l.putObject(ctx, p.Object, body); err != nil {
		return false, err
	}
	for {
		p.Previous = there.Object
		value, err := json.Marshal(p)
		if err == nil {
			err = l.swap(ctx, pointerKey, string(value), there.revision)
		}
		if err == nil {
			return true, l.deleteObject(ctx, there.Previous)
		}
		if !errSwap(err) {
			return false, err
		}
		broker.Sleep(ctx, 20*time.Millisecond) // the move of another keeper, or an earlier one of this call, may be under way
		if ctx.Err() != nil {
			return false, errors.WithStack(ctx.Err())
		}
		if there, err = l.pointer(ctx); err != nil {
			return false, err
		}
		if there.Object == p.Object { // the pointer moved, and the answer was lost
			return true, nil
		}
		if there.Position >= p.Position { // another keeper was first
			return false, l.deleteObject(ctx, p.Object)
		}
	}
}

// deleteObject deletes an object if it is there.
func (l *Log) deleteObject(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	return l.Retry(ctx, "deleting "+name, func(ctx context.Context) error {
		return broker.Except(l.objects.Delete(ctx, name), jetstream.ErrObjectNotFound)
	})
}

// sweep deletes the checkpoints that keepers stored before they died, and that no pointer names. A checkpoint behind the pointer will
// never be named, because the pointer moves forward only.
func (l *Log) sweep(ctx context.Context) error {
	p, err := l.pointer(ctx)
	if err != nil || p.Object == "" {
		return err
	}
	list := func(ctx context.Context) ([]*jetstream.ObjectInfo, error) { return l.objects.List(ctx) }
	objects, err := broker.Ask(ctx, l.Conn, "listing the checkpoints", jetstream.ErrNoObjectsFound, list)
	if err != nil {
		return err
	}
	behind := fmt.Sprintf("%s%020d", objectPrefix, p.Position)
	for _, o := range objects {
		if strings.HasPrefix(o.Name, objectPrefix) && o.Name < behind && o.Name != p.Previous {
			if err := l.deleteObject(ctx, o.Name); err != nil {
				return err
			}
		}
	}
	return nil
}
