package store

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/broker"
	"gophe/phe/live/broker/brokertest"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// follow follows a store.
func follow(t *testing.T, url string) (*Follower, *heard) {
	t.Helper()
	told := &heard{}
	f := filetest.Must(Follow(t.Context(), "the store test", openStore(t, url, told.say).Newer(), told.say))(t)
	t.Cleanup(f.Close)
	return f, told
}

// save saves a learner into the store that this program holds.
func save(t *testing.T, s *NATS, l *stream.Learner) {
	t.Helper()
	filetest.Check(t, s.Save(func(w io.Writer) error { return l.Write(w, Mark{Rows: l.Rows()}) }))
}

// await waits until a follower stands somewhere, and returns its bits.
func await(t *testing.T, f *Follower, there func(Following) bool) (bits []byte) {
	t.Helper()
	filetest.Until(t, "the follower comes there", func() bool { return there(f.Position()) })
	f.Read(func(l *stream.Learner, _ Following) { bits = bitsOf(t, l) })
	return bits
}

func bitsOf(t *testing.T, l *stream.Learner) []byte {
	t.Helper()
	var b bytes.Buffer
	filetest.Check(t, l.Write(&b))
	return b.Bytes()
}

// learner returns a learner of a label: a number, or classes.
func learner(label schema.TargetKind) (*stream.Learner, error) {
	of := schema.Schema{Target: schema.Target{Column: "label", Kind: label}, Columns: []schema.Column{
		{Name: "user", Kind: schema.Category}, {Name: "label", Kind: schema.Label}}}
	if label == schema.Classes {
		of.Target.Classes = []string{"0", "1"}
	}
	return stream.New(of, stream.Options{Memory: 8 << 10})
}

// learnRows learns rows up to a number.
func learnRows(t *testing.T, l *stream.Learner, to int64) {
	t.Helper()
	for i := l.Rows(); i < to; i++ {
		filetest.Check(t, l.Learn([]string{fmt.Sprint("u", i%7), fmt.Sprint(i % 5)}))
	}
}

// A follower waits for the first checkpoint, and says so once. It has the bits of each later one, and goes on with the one before if that
// is damaged. One with other columns is told, and forecasts go on.
func TestFollowLoads(t *testing.T) {
	t.Parallel()
	url, _ := brokertest.Start(t, t.TempDir())
	s, l := openStore(t, url, func(string) {}), filetest.Must(learner(schema.Amount))(t)
	filetest.Must(s.Load(t.Context()))(t)
	told, followed := &heard{}, make(chan *Follower, 1)
	newer := openStore(t, url, told.say).Newer()
	go func() {
		f, err := Follow(t.Context(), "the store test", newer, told.say)
		filetest.True(t, err == nil, "%v", err)
		followed <- f
	}()
	filetest.Until(t, "it waits", func() bool { return told.times("waits for the first checkpoint of the store test") == 1 })
	save(t, s, l)
	f := <-followed
	defer f.Close()
	at := f.Position()
	filetest.True(t, at.CaughtUp && at.Age >= 0 && at.Age < time.Minute, "it stands at %+v", at)
	filetest.Want(t, [2]int64{int64(at.Checkpoint), at.Rows}, [2]int64{1, 0}, "checkpoint and rows")
	learnRows(t, l, 41)
	save(t, s, l)
	want := bitsOf(t, l)
	got := await(t, f, func(at Following) bool { return at.Checkpoint == 2 })
	filetest.True(t, bytes.Equal(got, want), "other bits than the learner's")
	filetest.Want(t, told.times("waits for the first"), 1, "times that it says so")

	learnRows(t, l, 60)
	save(t, s, l)
	p, _, err := s.key(t.Context())
	filetest.Check(t, err)
	filetest.Check(t, s.b.Delete(t.Context(), p.Object))
	later, warned := follow(t, url)
	got = await(t, later, func(at Following) bool { return at.Rows == 41 && at.Checkpoint == 2 && at.CaughtUp })
	filetest.True(t, bytes.Equal(got, want), "the checkpoint before has other bits")
	filetest.WantWords(t, warned.text(), "is used in its place")
	again := openStore(t, url, func(string) {}).Newer()
	for _, first := range []bool{true, false} {
		filetest.Want(t, filetest.Must(again(t.Context()))(t).Learner != nil, first, "it loads a checkpoint")
	}

	save(t, s, filetest.Must(learner(schema.Classes))(t))
	filetest.Until(t, "it says that columns differ", func() bool { return warned.times("the model has other columns") > 0 })
	filetest.Want(t, later.Position().Rows, 41, "rows of the forecasts")
	filetest.Want(t, warned.times("forecasts come from the model as it was"), 1, "warnings")
}

// What is newer may fail. Each failure is told once, the follower is behind meanwhile, and catches up. A time of saving counts from there.
func TestFollowFails(t *testing.T) {
	t.Parallel()
	l, told := filetest.Must(learner(schema.Amount))(t), &heard{}
	steps := make(chan error)
	first := true
	f := filetest.Must(Follow(t.Context(), "a file", func(ctx context.Context) (at Checkpoint, err error) {
		if first {
			first = false
			return Checkpoint{Learner: l, Saved: time.Now().Add(-time.Hour)}, nil
		}
		select {
		case err = <-steps:
		case <-ctx.Done():
		}
		return at, err
	}, told.say))(t)
	at := f.Position()
	filetest.True(t, at.Age >= time.Hour && at.Age < 2*time.Hour && at.Checkpoint == 0, "it stands at %+v", at)
	for _, err := range []error{errors.New("one"), errors.New("one"), nil, errors.New("one"), errors.New("two"), nil} {
		steps <- err
	}
	f.Close()
	filetest.Want(t, told.times("the model as it was: one"), 2, "warnings of one")
	filetest.Want(t, told.times("the model as it was: two"), 1, "warnings of two")
	f.looked = f.looked.Add(-moment)
	filetest.True(t, !f.Position().CaughtUp, "it has caught up though nobody looks")

	wrong := errors.New("no model")
	_, err := Follow(t.Context(), "a file", func(context.Context) (Checkpoint, error) { return Checkpoint{}, wrong }, told.say)
	filetest.True(t, errors.Is(err, wrong), "the first look fails with %v", err)
	ctx, stop := context.WithCancel(t.Context())
	_, err = Follow(ctx, "a file", func(context.Context) (Checkpoint, error) { stop(); return Checkpoint{}, nil }, told.say)
	filetest.True(t, errors.Is(err, context.Canceled), "a follower that is stopped while it waits: %v", err)
}

// A follower that comes while the store is being made waits until it is made.
func TestFollowEarly(t *testing.T) {
	t.Parallel()
	url, _ := brokertest.Start(t, t.TempDir())
	conn := brokertest.Dial(t, broker.Options{URLs: url})
	filetest.Must(conn.JS().CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: Bucket("test")}))(t)
	filetest.Must(conn.JS().CreateObjectStore(t.Context(), jetstream.ObjectStoreConfig{Bucket: Bucket("test")}))(t)
	ctx, end := context.WithTimeout(t.Context(), 10*time.Second)
	defer end()
	newest := make(chan uint64, 1)
	go func() {
		s, err := OpenNATS(ctx, brokertest.Dial(t, broker.Options{URLs: url}), "test", 0)
		generation := uint64(0)
		if err == nil {
			_, generation, err = s.Newest(ctx, 0)
		}
		filetest.True(t, err == nil, "%v", err)
		newest <- generation
	}()
	time.Sleep(50 * time.Millisecond)
	s := openStore(t, url, func(string) {})
	filetest.Must(s.Load(t.Context()))(t)
	filetest.Check(t, s.Save(saying(1, "one")))
	filetest.Want(t, <-newest, 1, "the number of the newest checkpoint")
}

// NATS closes a connection for good at an error that it does not know, whichever answer it replaces. Learner and follower go on.
func TestFollowClosed(t *testing.T) {
	t.Parallel()
	url, _ := brokertest.Start(t, t.TempDir())
	lines := []*brokertest.Line{brokertest.NewLine(t, url), brokertest.NewLine(t, url)}
	lines[0].Last, lines[1].Last = "-ERR 'Unknown to all'\r\n", "-ERR 'Unknown to all'\r\n"
	s, l := openStore(t, lines[0].URL, func(string) {}), filetest.Must(learner(schema.Amount))(t)
	filetest.Must(s.Load(t.Context()))(t)
	save(t, s, l)
	f, told := follow(t, lines[1].URL)
	for k := int64(1); k <= 5; k++ {
		for _, line := range lines {
			line.Answer.Store(k)
		}
		learnRows(t, l, int64(2*k))
		save(t, s, l)
		await(t, f, func(at Following) bool {
			return at.Rows == 2*k && lines[0].Broken.Load() == k && lines[1].Broken.Load() == k
		})
	}
	filetest.WantWords(t, told.text(), "waits for the servers: ", "the servers answer again")
}
