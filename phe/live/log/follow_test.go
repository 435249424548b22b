package log

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"gophe/data/records"
	"gophe/phe/disk/filetest"
	"gophe/phe/live/broker"
	"gophe/phe/live/broker/brokertest"
	"gophe/phe/stream"
)

// shop is a store, the stream of its rows, and the learner that holds the store.
type shop struct {
	t    *testing.T
	url  string
	conn *broker.Conn
	s    *NATSStore
	d    *driver
	rows []string // that are not in the stream yet
}

func newShop(t *testing.T) (of *shop, stop func()) {
	t.Helper()
	url, stop := brokertest.Start(t, t.TempDir())
	of = &shop{t: t, url: url, s: openStore(t, url, func(string) {}), rows: strings.Split(string(generate(400, "number")), "\n")[1:]}
	of.conn = of.s.c
	filetest.Must(of.conn.JS().CreateStream(t.Context(), jetstream.StreamConfig{Name: "rows", Subjects: []string{"rows"}}))(t)
	filetest.Must(of.s.Hold(t.Context()))(t)
	return of, stop
}

// publish appends rows to the stream, two in a message.
func (of *shop) publish(rows int) {
	of.t.Helper()
	for ; rows > 0; rows -= 2 {
		filetest.Must(of.conn.JS().Publish(of.t.Context(), "rows", []byte(strings.Join(of.rows[:2], "\n"))))(of.t)
		of.rows = of.rows[2:]
	}
}

// stream opens the stream.
func (of *shop) stream(follow bool) *JetStream {
	l := NewJetStream(of.conn, "rows", records.Options{Format: records.CSV, Header: records.HeaderNo, Comma: ','})
	l.Use(schemaOf("number").Names())
	l.Follow = follow
	return l
}

// learn learns up to a number of rows and saves a checkpoint.
func (of *shop) learn(rows int64) {
	of.t.Helper()
	if of.d == nil {
		of.d = newDriver(filetest.Must(learner("number"))(of.t), State{}, nil, of.stream(false), Options{})
	}
	for e, err := range of.d.log.Read(of.t.Context(), of.d.State.Position) {
		if of.d.State.Rows == rows {
			break
		}
		if filetest.Check(of.t, err); !e.Waits {
			filetest.Check(of.t, of.d.take(&reading{record: e.Record, after: e.After}))
		}
	}
	if of.d.after != nil {
		of.d.State.Position = of.d.after.Position()
	}
	of.save(of.d.Learner)
}

func (of *shop) save(l *stream.Learner) {
	of.t.Helper()
	filetest.Check(of.t, of.s.Save(func(w io.Writer) error { return l.Write(w, of.d.State) }))
}

// follow follows the store.
func (of *shop) follow(replay bool, o Options) (*Follower, *heard) {
	of.t.Helper()
	told := &heard{}
	var open Replay
	if replay {
		open = func(*stream.Learner, State) (Table, Options, error) { return of.stream(true), o, nil }
	}
	f := filetest.Must(Follow(of.t.Context(), openStore(of.t, of.url, told.say), open))(of.t)
	return f, told
}

// until waits until something holds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for began := time.Now(); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > 30*time.Second {
			t.Fatal("in vain: " + what)
		}
	}
}

// await waits until a follower stands somewhere, and returns its bits.
func await(t *testing.T, f *Follower, there func(Following) bool) (bits []byte) {
	t.Helper()
	until(t, "the follower comes there", func() bool { return there(f.Position()) })
	filetest.Check(t, f.Read(func(l *stream.Learner, _ Following) { bits = bitsOf(t, l) }))
	return bits
}

func bitsOf(t *testing.T, l *stream.Learner) []byte {
	t.Helper()
	var b bytes.Buffer
	filetest.Check(t, l.Write(&b))
	return b.Bytes()
}

// ulp changes the last bit of a learner's number.
func ulp(t *testing.T, l *stream.Learner) *stream.Learner {
	t.Helper()
	b := bitsOf(t, l)
	for at := len(b) - sha256.Size - 8; at > 0; at -= 8 {
		if b[at] == 0 && b[at+1] == 0 { // no number that was learned
			continue
		}
		changed := bytes.Clone(b[:len(b)-sha256.Size])
		changed[at] ^= 1
		sum := sha256.Sum256(changed)
		if other, err := stream.Read(append(changed, sum[:]...)); err == nil {
			return other
		}
	}
	t.Fatal("no number can change")
	return nil
}

// A follower waits for the first checkpoint, and has the bits of each later one. It goes on with the one before if that is damaged, and
// says how long the servers have not answered.
func TestFollowLoads(t *testing.T) {
	t.Parallel()
	of, stop := newShop(t)
	of.publish(60)
	told := &heard{}
	followed := make(chan *Follower, 1)
	go func() {
		f, err := Follow(t.Context(), openStore(t, of.url, told.say), nil)
		filetest.True(t, err == nil, "%v", err)
		followed <- f
	}()
	time.Sleep(20 * time.Millisecond)
	of.learn(0)
	f := <-followed
	at := f.Position()
	filetest.True(t, at.CaughtUp && !at.Replays, "it stands at %+v", at)
	filetest.Want(t, [2]int64{int64(at.Checkpoint), at.Rows}, [2]int64{1, 0}, "checkpoint and rows")
	of.learn(41)
	got := await(t, f, func(at Following) bool { return at.Checkpoint == 2 })
	filetest.True(t, bytes.Equal(got, bitsOf(t, of.d.Learner)), "other bits than the learner's")
	want := bitsOf(t, of.d.Learner)
	of.learn(60)
	p, _, err := of.s.key(t.Context())
	filetest.Check(t, err)
	filetest.Check(t, of.s.b.Delete(t.Context(), p.Object))
	later, warned := of.follow(false, Options{})
	got = await(t, later, func(at Following) bool { return at.Rows == 41 })
	filetest.True(t, bytes.Equal(got, want), "the checkpoint before has other bits")
	warned.want(t, "is used in its place")
	filetest.Check(t, of.s.Close())
	of.conn.Close()
	stop()
	f.silent.since(time.Now().Add(-15 * time.Second))
	until(t, "the connection ends", func() bool { return !f.store.c.JS().Conn().IsConnected() })
	ctx, end := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer end()
	f.silent.watch(ctx)
	told.want(t, "waits for the first checkpoint of the store test",
		"the last checkpoint of the store test came 15s ago: the servers do not answer")
}

// A replaying follower compares its bits at each checkpoint, also at one that it has passed, if that was announced. A changed row, a
// flipped bit, and arithmetic that is one ulp off at each row are found and said, once. The follower then has the learner's bits.
func TestFollowReplays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(f *Follower, record []string) // at a row
		again  bool                               // and the next checkpoint differs too
	}{
		"equal":    {nil, false},
		"row":      {func(f *Follower, r []string) { r[1] = "item 99, red" }, false},
		"bit":      {func(f *Follower, _ []string) { f.d.Learner = ulp(t, f.d.Learner) }, false},
		"each row": {func(f *Follower, _ []string) { f.d.Learner = ulp(t, f.d.Learner) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of, _ := newShop(t)
			of.publish(20)
			of.learn(11) // inside a message
			var f *Follower
			begun := make(chan struct{})
			f, told := of.follow(true, Options{Keep: func(r []string) bool {
				<-begun
				if rows := f.d.State.Rows; c.change != nil && (rows == 15 || c.again) {
					c.change(f, r)
				}
				return true
			}})
			close(begun)
			await(t, f, func(at Following) bool { return at.Rows == 20 && at.Behind == 0 })
			filetest.Check(t, of.s.Announce(25))
			until(t, "the next checkpoint is announced", func() bool {
				f.mu.Lock()
				defer f.mu.Unlock()
				return f.newest.Next == 25
			})
			of.publish(10)
			await(t, f, func(at Following) bool { return at.Rows == 30 })
			of.learn(25)
			differed := uint64(0)
			if c.change != nil {
				differed = 1
			}
			await(t, f, func(at Following) bool {
				return at.Compared == 1 && at.Differed == differed && at.Checkpoint == 2 && at.Rows == 30
			})
			of.learn(30)
			if c.again {
				differed = 2
			}
			got := await(t, f, func(at Following) bool { return at.Compared == 2 && at.Checkpoint == 3 && at.Rows == 30 })
			filetest.True(t, bytes.Equal(got, bitsOf(t, of.d.Learner)), "other bits than the learner's")
			filetest.Want(t, f.Position().Differed, differed, "checkpoints that differed")
			filetest.True(t, f.Position().CaughtUp, "it has not caught up")
			said := strings.Join(told.all, "\n")
			differs := strings.Count(said, "after 25 rows the bits here differ from checkpoint 2")
			filetest.Want(t, differs, int(min(differed, 1)), "times that it says so in %q", said)
			filetest.Want(t, strings.Contains(said, "agree again"), differed == 1, "it says that they agree again in %q", said)
			filetest.True(t, !c.again || !strings.Contains(said, "checkpoint 3"), "it says %q", said)
		})
	}
}

// A follower that comes while the store is being made waits until it is made.
func TestFollowEarly(t *testing.T) {
	t.Parallel()
	url, _ := brokertest.Start(t, t.TempDir())
	conn := brokertest.Dial(t, broker.Options{URLs: url})
	filetest.Must(conn.JS().CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: Bucket("test")}))(t)
	filetest.Must(conn.JS().CreateObjectStore(t.Context(), jetstream.ObjectStoreConfig{Bucket: Bucket("test")}))(t)
	opened := make(chan *NATSStore, 1)
	go func() {
		s, err := OpenNATS(t.Context(), brokertest.Dial(t, broker.Options{URLs: url}), "test", 0)
		filetest.True(t, err == nil, "%v", err)
		opened <- s
	}()
	time.Sleep(50 * time.Millisecond)
	s := openStore(t, url, func(string) {})
	filetest.Must(s.Hold(t.Context()))(t)
	filetest.Check(t, s.Save(saying(1, "one")))
	ctx, end := context.WithTimeout(t.Context(), 5*time.Second)
	defer end()
	_, generation, err := (<-opened).Newest(ctx, 0)
	filetest.Check(t, err)
	filetest.Want(t, generation, 1, "the number of the newest checkpoint")
}

// NATS closes a connection for good at an error that it does not know, whichever answer it replaces. Learner and follower go on.
func TestFollowClosed(t *testing.T) {
	t.Parallel()
	of, _ := newShop(t)
	filetest.Check(t, of.s.Close())
	lines := []*brokertest.Line{brokertest.NewLine(t, of.url), brokertest.NewLine(t, of.url)}
	lines[0].Last, lines[1].Last = "-ERR 'Unknown to all'\r\n", "-ERR 'Unknown to all'\r\n"
	of.s = openStore(t, lines[0].URL, func(string) {})
	filetest.Must(of.s.Hold(t.Context()))(t)
	of.learn(0)
	of.url = lines[1].URL
	f, told := of.follow(false, Options{})
	for k := int64(1); k <= 5; k++ {
		for _, line := range lines {
			line.Answer.Store(k)
		}
		of.publish(2)
		of.learn(2 * k)
		await(t, f, func(at Following) bool {
			return at.Rows == 2*k && lines[0].Broken.Load() == k && lines[1].Broken.Load() == k
		})
	}
	told.want(t, "waits for the servers: ", "the servers answer again")
}

// A log that is not the model's is an error at the start. A later checkpoint of other columns is said, and forecasts go on.
func TestFollowAnother(t *testing.T) {
	t.Parallel()
	of, _ := newShop(t)
	of.publish(10)
	of.learn(10)
	f, told := of.follow(false, Options{})
	filetest.Must(of.conn.JS().CreateStream(t.Context(), jetstream.StreamConfig{Name: "other", Subjects: []string{"other"}}))(t)
	_, err := Follow(t.Context(), openStore(t, of.url, func(string) {}), func(*stream.Learner, State) (Table, Options, error) {
		l := of.stream(true)
		l.stream = "other"
		return l, Options{}, nil
	})
	filetest.WantError(t, err, "the model learns the stream rows, and this is other")
	of.save(filetest.Must(learner("two classes"))(t))
	until(t, "the follower says that columns differ", func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.told != ""
	})
	told.want(t, "forecasts come from the model as it was: the model of the store test has other columns")
	filetest.Want(t, f.Position().Checkpoint, 1, "the checkpoint of the forecasts")
	filetest.Want(t, f.Position().Rows, 10, "their rows")
}
