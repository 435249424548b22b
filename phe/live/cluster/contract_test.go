package cluster

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/clustertest"
	"gophe/phe/internal/fold"
	"gophe/phe/live/broker"
)

const (
	chunkRows = 50
	numChunks = 24
	numRows   = chunkRows*numChunks - 7 // the last chunk is shorter
)

// place is a server with one belief.
type place struct {
	t      *testing.T
	folder string
	url    string // of the server
	stop   func() // ends the server
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{t: t, folder: t.TempDir()}
	p.startServer()
	return p
}

func (p *place) startServer() {
	p.t.Helper()
	var err error
	p.url, p.stop, err = startServer(p.folder)
	filetest.Check(p.t, err)
	p.t.Cleanup(p.stop)
}

// startServer starts a server on a free port. It leaves the time of writing to the system.
func startServer(folder string) (url string, stop func(), err error) {
	return Server{Folder: folder, Address: "127.0.0.1:0", Sync: "later"}.Start()
}

// log connects to the belief.
func (p *place) log(options ...func(*Options)) *Log {
	p.t.Helper()
	o := Options{Name: "test", URLs: p.url, Log: func(line string) { p.t.Log(line) }}
	for _, set := range options {
		set(&o)
	}
	l := filetest.Must(Connect(p.t.Context(), o))(p.t)
	p.t.Cleanup(l.Close)
	return l
}

func startState() *fold.State { return &fold.State{Belief: clustertest.New()} }

// chunks returns the source of the stream's chunks.
func chunks(rows uint64) func(uint64) ([]byte, error) {
	return func(number uint64) ([]byte, error) {
		if b := clustertest.Chunk(number, rows, chunkRows); len(b) > 0 {
			return b, nil
		}
		return nil, io.EOF
	}
}

// fed creates the belief and feeds all rows.
func (p *place) fed(options ...func(*Options)) *Log {
	p.t.Helper()
	l := p.log(options...)
	filetest.Check(p.t, l.Create(p.t.Context(), startState()))
	filetest.Check(p.t, l.Feed(p.t.Context(), chunks(numRows)))
	return l
}

func follow(t *testing.T, ctx context.Context, l *Log) *Follower {
	t.Helper()
	f := filetest.Must(l.Follow(ctx, clustertest.Open))(t)
	return f
}

// background runs a role until the test ends.
func background(t *testing.T, ctx context.Context, run func(context.Context) error) {
	t.Helper()
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func limited(t *testing.T) context.Context {
	ctx, stop := context.WithTimeout(t.Context(), 60*time.Second)
	t.Cleanup(stop)
	return ctx
}

// waitAll waits until the stream of rows has ended and all its chunks are in the belief.
func (f *Follower) waitAll(ctx context.Context) error {
	for {
		s, err := f.log.Status(ctx)
		if err == nil && s.Ended {
			return f.wait(ctx, func(folded *fold.State) bool { return folded.Ledger.Len() >= s.Chunks })
		}
		if broker.Sleep(ctx, 20*time.Millisecond); err != nil || ctx.Err() != nil {
			return errors.Errorf("the rows do not end: %v", err)
		}
	}
}

// complete waits until all chunks are learned, and checks that each counted once.
func complete(t *testing.T, l *Log, f *Follower) *Verification {
	t.Helper()
	ctx := limited(t)
	filetest.Check(t, f.waitAll(ctx))
	v := filetest.Must(l.Verify(ctx, clustertest.Open, clustertest.Count))(t)
	if v.Learned != numChunks || v.Counted != numChunks || v.Rows != numRows {
		t.Fatalf("%d chunks and %d rows are in the belief, by %d contributions; want %d and %d", v.Learned, v.Rows, v.Counted, numChunks, numRows)
	}
	s := filetest.Must(l.Replay(ctx, clustertest.Open))(t)
	if d := s.Belief.(*clustertest.Linear).From(numRows); d > 1e-12 {
		t.Fatalf("the posterior is %+v off", d)
	}
	return v
}

// The whole life on one machine: feeder, learners, follower and keeper in this process.
func TestOneMachine(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l := p.fed()
	var followers []*Follower
	for range 3 {
		f := follow(t, t.Context(), l)
		followers = append(followers, f)
		background(t, t.Context(), newLearner(f).run)
	}
	background(t, t.Context(), func(ctx context.Context) error { return followers[0].Keep(ctx, 10*time.Millisecond) })
	complete(t, l, followers[0])
	filetest.Check(t, followers[0].save(t.Context()))
	if v := complete(t, l, followers[1]); v.Checkpoint != v.Position {
		t.Fatalf("the checkpoint is at %d and the log at %d", v.Checkpoint, v.Position)
	}
	status := filetest.Must(l.Status(t.Context()))(t)
	if status.Chunks != numChunks || !status.Ended || status.Behind != 0 || status.Replicas != 1 {
		t.Fatalf("%+v", status)
	}
}
