package cluster

import (
	"bytes"
	"context"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/clustertest"
	"gophe/phe/internal/fold"
)

// bytesOf returns the state's checkpoint.
func bytesOf(t *testing.T, f *Follower) (b []byte) {
	t.Helper()
	f.Read(func(s *fold.State) {
		var err error
		if b, err = s.MarshalBinary(); err != nil {
			t.Fatal(err)
		}
	})
	return b
}

// ruled returns the number of contributions of a verdict.
func ruled(f *Follower, v fold.Verdict) (n uint64) {
	f.Read(func(s *fold.State) { n = s.Verdicts[v] })
	return n
}

// learnAll learns the whole stream and returns the follower that learned it.
func learnAll(t *testing.T, l *Log) *Follower {
	t.Helper()
	f := follow(t, t.Context(), l)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- newLearner(f).run(ctx) }()
	complete(t, l, f)
	stop()
	filetest.Check(t, <-ended)
	return f
}

// A follower equals the learner to the last bit, whether it came early or late.
func TestFollowerEqualsLearner(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l := p.fed()
	early := follow(t, t.Context(), p.log())
	learner := learnAll(t, l)
	late := follow(t, t.Context(), p.log())
	for name, f := range map[string]*Follower{"early": early, "late": late} {
		filetest.Check(t, f.waitAll(limited(t)))
		if !bytes.Equal(bytesOf(t, f), bytesOf(t, learner)) {
			t.Errorf("the %s follower has another belief", name)
		}
		m := f.Metrics()
		if m.Position != numChunks || m.Behind != 0 || !m.CaughtUp || m.Rows != numRows || ruled(f, fold.Counted) != numChunks {
			t.Errorf("%s: %+v", name, m)
		}
	}
	if m := early.Metrics(); !(m.LagP99 > 0) {
		t.Errorf("the early follower's lag is %v", m.LagP99)
	}
}

// cut removes the contributions up to a number.
func cut(t *testing.T, l *Log, to uint64) {
	t.Helper()
	stream := filetest.Must(l.JS.Stream(t.Context(), l.o.contributionsStream()))(t)
	filetest.Check(t, stream.Purge(t.Context(), jetstream.WithPurgeSequence(to+1)))
}

// The log was cut after a follower's position. It continues from the newest checkpoint; without one it returns an error.
func TestLogCut(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l := p.fed()
	learned := learnAll(t, l)
	// A follower at position 0 whose log is gone.
	start := filetest.Must(l.start(t.Context(), clustertest.Open))(t)
	behind := func() *Follower {
		return newFollower(l, clustertest.Open, snapshot{state: start})
	}
	cut(t, l, 10)
	filetest.WantError(t, behind().check(t.Context()), "no checkpoint reaches it")
	filetest.Check(t, learned.save(t.Context()))
	f := behind()
	go f.run(t.Context())
	filetest.Check(t, f.waitAll(limited(t)))
	if !bytes.Equal(bytesOf(t, f), bytesOf(t, learned)) {
		t.Error("the belief after the cut is another one")
	}
	_, err := l.Replay(t.Context(), clustertest.Open)
	filetest.WantError(t, err, "it was cut")
}

// loseEnd deletes the log of contributions and writes its first messages again, as a server does that had not synced its disk.
func loseEnd(t *testing.T, l *Log, keep uint64) {
	t.Helper()
	ctx := t.Context()
	var kept [][]byte
	for number := uint64(1); number <= keep; number++ {
		m := filetest.Must(l.Message(ctx, l.o.contributionsStream(), number))(t)
		kept = append(kept, m.Data)
	}
	filetest.Check(t, l.JS.DeleteStream(ctx, l.o.contributionsStream()))
	filetest.Check(t, l.createStreams(ctx))
	for _, b := range kept {
		filetest.Must(l.JS.Publish(ctx, l.o.contributionsSubject(), b))(t)
	}
}

// The log lost its end: a checkpoint ahead of it is refused, and so is a running follower.
func TestLogLostEnd(t *testing.T) {
	t.Parallel()
	l := newPlace(t).fed()
	f := learnAll(t, l)
	filetest.Check(t, f.save(t.Context()))
	loseEnd(t, l, 10)
	_, err := l.Follow(t.Context(), clustertest.Open)
	filetest.WantError(t, err, "the log has lost its end")
	_, err = l.Verify(t.Context(), clustertest.Open, clustertest.Count)
	filetest.WantError(t, err, "the log has lost its end")
	filetest.WantError(t, f.check(t.Context()), "the log has lost its end")
	<-f.Done() // it lost its consumer, and finds no log or a shorter one
	if f.Err() == nil {
		t.Error("the follower stopped without an error")
	}
}

// The log lost its end and grew again, so that only the messages' bytes show it.
func TestLogGrewAgain(t *testing.T) {
	t.Parallel()
	l := newPlace(t).fed()
	f := learnAll(t, l)
	filetest.Check(t, f.save(t.Context()))
	message := func(number uint64) []byte {
		m := filetest.Must(l.Message(t.Context(), l.o.contributionsStream(), number))(t)
		return m.Data
	}
	last := message(numChunks - 1)
	loseEnd(t, l, numChunks-1)
	filetest.Must(l.JS.Publish(t.Context(), l.o.contributionsSubject(), last))(t)
	filetest.WantError(t, f.check(t.Context()), "is not the one that this belief has folded")
	_, err := l.Follow(t.Context(), clustertest.Open)
	filetest.WantError(t, err, "is not the one that this belief has folded")
}

// large is a belief whose deltas and states are as large as a dense delta of 460,414 numbers, the largest table of the paper.
type large struct{ *clustertest.Linear }

var padding = make([]byte, 8*460_414)

func (l large) Learn(chunk []byte) (fold.Contribution, error) {
	learned, err := l.Linear.Learn(chunk)
	learned.Delta = append(learned.Delta, padding...)
	return learned, err
}

func (l large) Add(delta []byte) error { return l.Linear.Add(delta[:len(delta)-len(padding)]) }

func (l large) MarshalBinary() ([]byte, error) {
	b, err := l.Linear.MarshalBinary()
	return append(b, padding...), err
}

func openLarge(b []byte) (fold.Shared, error) {
	s, err := clustertest.Open(b[:len(b)-len(padding)])
	return large{s.(*clustertest.Linear)}, err
}

// A large delta passes. NATS's own limit is 1 MiB.
func TestLargeDelta(t *testing.T) {
	t.Parallel()
	l := newPlace(t).log()
	start := startState()
	start.Belief = large{clustertest.New()}
	filetest.Check(t, l.Create(t.Context(), start))
	filetest.Check(t, l.Feed(t.Context(), chunks(3*chunkRows)))
	f := filetest.Must(l.Follow(t.Context(), openLarge))(t)
	background(t, t.Context(), newLearner(f).run)
	filetest.Check(t, f.waitAll(limited(t)))
	filetest.Check(t, f.save(t.Context()))
	v := filetest.Must(l.Verify(t.Context(), openLarge, clustertest.Count))(t)
	if v.Checkpoint != 3 || v.Counted != 3 {
		t.Errorf("%+v", v)
	}
}
