package cluster

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/clustertest"
	"gophe/phe/internal/fold"
)

// checkpoints returns the names of the checkpoints in the object store.
func checkpoints(t *testing.T, l *Log) (names []string) {
	t.Helper()
	objects := filetest.Must(l.objects.List(t.Context()))(t)
	for _, o := range objects {
		if strings.HasPrefix(o.Name, objectPrefix) {
			names = append(names, o.Name)
		}
	}
	return names
}

// With two keepers the pointer moves forward only, and a reader finds a whole checkpoint at any time.
func TestTwoKeepers(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l := p.fed()
	f, g := follow(t, t.Context(), l), follow(t, t.Context(), p.log())
	background(t, t.Context(), func(ctx context.Context) error { return f.Keep(ctx, 5*time.Millisecond) })
	background(t, t.Context(), func(ctx context.Context) error { return g.Keep(ctx, 5*time.Millisecond) })
	background(t, t.Context(), newLearner(f).run)
	for last := uint64(0); last < numChunks; {
		s := filetest.Must(l.newest(limited(t), clustertest.Open))(t)
		if s.state.Position < last {
			t.Fatalf("the pointer went from %d back to %d", last, s.state.Position)
		}
		last = s.state.Position
	}
	complete(t, l, f)
}

// A state behind the pointer is not stored. Older checkpoints are deleted, except the previous one.
func TestKeeperForwardOnly(t *testing.T) {
	t.Parallel()
	l := newPlace(t).fed()
	f := learnAll(t, l)
	body := bytesOf(t, f)
	save := func(position uint64) bool {
		stored := filetest.Must(l.save(t.Context(), pointer{Position: position}, body))(t)
		return stored
	}
	for _, c := range []struct {
		position uint64
		want     bool
	}{{5, true}, {5, false}, {4, false}, {6, true}, {9, true}, {8, false}} {
		if got := save(c.position); got != c.want {
			t.Errorf("position %d is stored: %v, want %v", c.position, got, c.want)
		}
	}
	if names := checkpoints(t, l); len(names) != 2 {
		t.Errorf("the store has the checkpoints %q, want the newest two", names)
	}
	// A keeper that died before it moved the pointer left an object.
	filetest.Check(t, l.putObject(t.Context(), objectPrefix+"00000000000000000007-left", body))
	filetest.Check(t, l.sweep(t.Context()))
	if names := checkpoints(t, l); len(names) != 2 {
		t.Errorf("the store has the checkpoints %q after the sweep, want the newest two", names)
	}
}

// Keepers that save at once leave one pointer, and the winner's object is there.
func TestKeepersRace(t *testing.T) {
	t.Parallel()
	l := newPlace(t).fed()
	body := bytesOf(t, learnAll(t, l))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for position := uint64(1); position <= numChunks; position++ {
				if _, err := l.save(t.Context(), pointer{Position: position}, body); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	p, err := l.pointer(t.Context())
	filetest.Check(t, err)
	if b, err := l.getObject(t.Context(), p.Object); err != nil || p.Position != numChunks || !bytes.Equal(b, body) {
		t.Errorf("the pointer is %+v, error %v", p, err)
	}
	if names := checkpoints(t, l); len(names) != 2 {
		t.Errorf("the store has the checkpoints %q, want the newest two", names)
	}
}

// busy is an object store that does something else before it stores an object.
type busy struct {
	jetstream.ObjectStore
	before func()
}

func (b busy) PutBytes(ctx context.Context, name string, body []byte) (*jetstream.ObjectInfo, error) {
	b.before()
	return b.ObjectStore.PutBytes(ctx, name, body)
}

// Another keeper stores a newer checkpoint while one is on its way. The pointer stays, and the older object is deleted.
func TestAnotherKeeperWasFirst(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l := p.fed()
	body := bytesOf(t, learnAll(t, l))
	other := p.log()
	filetest.Check(t, other.find(t.Context()))
	l.objects = busy{l.objects, func() {
		if stored, err := other.save(t.Context(), pointer{Position: 9}, body); err != nil || !stored {
			t.Errorf("the other keeper stored: %v, error %v", stored, err)
		}
	}}
	if stored, err := l.save(t.Context(), pointer{Position: 5}, body); err != nil || stored {
		t.Errorf("the older checkpoint is stored: %v, error %v", stored, err)
	}
	if there, err := l.pointer(t.Context()); err != nil || there.Position != 9 || len(checkpoints(t, l)) != 1 {
		t.Errorf("the pointer is %+v, the store has the checkpoints %q, error %v", there, checkpoints(t, l), err)
	}
}

// A pointer that names the checkpoint of another position is refused.
func TestPointerToAnotherPosition(t *testing.T) {
	t.Parallel()
	l := newPlace(t).fed()
	f := learnAll(t, l)
	filetest.Must(l.save(t.Context(), pointer{Position: numChunks - 1, Message: f.message}, bytesOf(t, f)))(t)
	_, err := l.Follow(t.Context(), clustertest.Open)
	filetest.WantError(t, err, "the checkpoint at contribution 23", "it holds the state after contribution 24")
}

// A damaged checkpoint is refused. Without it the belief is there again, and so is the next checkpoint.
func TestCheckpointDamaged(t *testing.T) {
	t.Parallel()
	l := newPlace(t).fed()
	f := learnAll(t, l)
	body := bytesOf(t, f)
	body[len(body)/2] ^= 1
	filetest.Must(l.save(t.Context(), pointer{Position: numChunks, Message: f.message}, body))(t)
	_, err := l.Follow(t.Context(), clustertest.Open)
	filetest.WantError(t, err, "this checkpoint is damaged")
	_, err = l.Verify(t.Context(), clustertest.Open, clustertest.Count)
	filetest.WantError(t, err, "this checkpoint is damaged")
	filetest.Check(t, l.ForgetCheckpoint(t.Context()))
	g := follow(t, t.Context(), l)
	complete(t, l, g)
	filetest.Check(t, g.save(t.Context()))
	if v := complete(t, l, g); v.Checkpoint != numChunks {
		t.Errorf("the checkpoint is at %d", v.Checkpoint)
	}
}

// A checkpoint of another belief shows in Verify.
func TestVerifyFindsAnotherBelief(t *testing.T) {
	t.Parallel()
	l := newPlace(t).fed()
	f := learnAll(t, l)
	f.Read(func(s *fold.State) { s.Belief.(*clustertest.Linear).Natural[3]++ })
	filetest.Check(t, f.save(t.Context()))
	v, err := l.Verify(t.Context(), clustertest.Open, clustertest.Count)
	filetest.WantError(t, err, "are not the belief of the whole log")
	v.SameBytes = true
	if err := v.err(); err != nil {
		t.Errorf("the rows are whole, and the error is %v", err)
	}
	v.Fingerprint++
	filetest.WantError(t, v.err(), "a row was lost")
	v.Rows++
	filetest.WantError(t, v.err(), "its chunks have")
}

func TestKeeperNeedsAPeriod(t *testing.T) {
	t.Parallel()
	l := newPlace(t).fed()
	filetest.WantError(t, follow(t, t.Context(), l).Keep(t.Context(), 0), "use a positive time")
}
