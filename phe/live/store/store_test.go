package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/broker"
	"gophe/phe/live/broker/brokertest"
)

// saying is a function that writes a checkpoint of some rows with a learner's bits.
func saying(rows int64, bits string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "{\"rows\":%d,\"position\":{\"next\":%d},\"why\":\"other in each\"}\n%s", rows, rows+1, bits)
		return err
	}
}

// said returns what saying writes.
func said(rows int64, bits string) string {
	var b strings.Builder
	_ = saying(rows, bits)(&b)
	return b.String()
}

// heard keeps the lines of a connection.
type heard struct {
	mu  sync.Mutex
	all []string
}

func (l *heard) say(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, line)
}

// text returns the lines.
func (l *heard) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.all, "\n")
}

// times returns how often the lines have some words.
func (l *heard) times(words string) int { return strings.Count(l.text(), words) }

// openStore opens a store on a server, which beats fast.
func openStore(t *testing.T, url string, log func(string)) *NATS {
	t.Helper()
	s := filetest.Must(OpenNATS(t.Context(), brokertest.Dial(t, broker.Options{URLs: url, Log: log}), "test", 1))(t)
	s.Beat, s.Silence = 10*time.Millisecond, 100*time.Millisecond
	t.Cleanup(func() { s.Close() })
	return s
}

// A store keeps the newest checkpoint, for one program at a time.
func TestStore(t *testing.T) {
	t.Parallel()
	url, _ := brokertest.Start(t, t.TempDir())
	ctx, one, two := t.Context(), openStore(t, url, nil), openStore(t, url, nil)
	_, err := OpenNATS(ctx, brokertest.Dial(t, broker.Options{URLs: url}), "test", 3)
	filetest.WantError(t, err, "exists already with 1 replicas, and 3 are wanted")
	holds := func(s *NATS, want string) {
		t.Helper()
		filetest.Want(t, string(filetest.Must(s.Load(ctx))(t).Payload), want, "the checkpoint of who holds the store")
	}
	holds(one, "")
	early, stop := context.WithTimeout(ctx, 20*time.Millisecond)
	filetest.True(t, filetest.Failure(two.Load(early)) != nil, "two programs hold the store") // it waits, or it is refused
	_, _, err = two.Newest(early, 0)
	filetest.True(t, errors.Is(err, context.DeadlineExceeded), "without a checkpoint the newest is there, error %v", err)
	stop()
	filetest.Check(t, one.Save(saying(1, "one")))
	b, n, err := two.Newest(ctx, 0)
	filetest.Check(t, err)
	filetest.Want(t, string(b), said(1, "one"), "the newest checkpoint")
	failure := errors.New("no bits")
	err = one.Save(func(w io.Writer) error { _, _ = w.Write([]byte("{}\nha")); return failure })
	filetest.True(t, errors.Is(err, failure), "the error is %v", err)
	go func() {
		time.Sleep(10 * time.Millisecond) // the other one waits
		filetest.True(t, one.Save(saying(2, "two")) == nil, "the second save fails")
	}()
	b, after, err := two.Newest(ctx, n)
	filetest.Check(t, err)
	filetest.Want(t, string(b), said(2, "two"), "the next checkpoint")
	filetest.Want(t, after, n+1, "its generation")
	filetest.Check(t, one.Close())
	holds(two, said(2, "two"))
	filetest.Check(t, two.Save(saying(3, "three")))
	filetest.Check(t, two.Close())
	holds(one, said(3, "three"))
	filetest.Check(t, one.Close())
}

// chain is the least learner: its bits are a chain over the rows.
type chain struct {
	Rows int64  `json:"rows"`
	Bits uint32 `json:"bits"`
}

func (l *chain) learn() {
	l.Rows++
	l.Bits = crc32.Update(l.Bits, crc32.MakeTable(crc32.Castagnoli), fmt.Append(nil, l.Rows))
}

func (l *chain) write(w io.Writer) error { return saying(l.Rows, fmt.Sprint(l.Bits))(w) }

func (l *chain) read(payload []byte) error {
	if payload == nil {
		*l = chain{}
		return nil
	}
	line, bits, _ := bytes.Cut(payload, []byte("\n"))
	err := json.Unmarshal(line, l)
	if err == nil {
		_, err = fmt.Sscan(string(bits), &l.Bits)
	}
	return err
}

// learnTo learns until a checkpoint has a number of rows. It returns how often another learner fenced this one, and its saves.
func learnTo(ctx context.Context, s *NATS, rows int64, between func()) (fences, saves int, err error) {
	for {
		loaded, err := s.Load(ctx)
		var l chain
		if err == nil {
			err = l.read(loaded.Payload)
		}
		for err == nil && l.Rows < rows {
			for range 1 + rand.IntN(20) {
				if l.Rows < rows {
					l.learn()
				}
			}
			between()
			if err = s.Save(l.write); err == nil {
				saves++
			}
		}
		switch {
		case errors.Is(err, ErrFenced):
			fences++
		case err != nil:
			return fences, saves, err
		default:
			return fences, saves, s.Close()
		}
	}
}

// wantRows checks that the newest checkpoint has each row once.
func wantRows(t *testing.T, s *NATS, rows int64) {
	t.Helper()
	payload, _, err := s.Newest(t.Context(), 0)
	filetest.Check(t, err)
	var got, want chain
	for range rows {
		want.learn()
	}
	filetest.Check(t, got.read(payload))
	filetest.Want(t, got, want, "the newest checkpoint")
	p, _, err := s.key(t.Context())
	filetest.Check(t, err)
	filetest.True(t, p.Object != p.Previous, "the key is %+v", p)
	objects := filetest.Must(s.b.List(t.Context()))(t)
	filetest.True(t, len(objects) <= 2, "the store has %d checkpoints, want the newest two", len(objects))
}

// Learners whose patience is shorter than a beat take the store from each other all the time. No row is lost and none counts twice.
func TestLearnersFight(t *testing.T) {
	t.Parallel()
	url, _ := brokertest.Start(t, t.TempDir())
	some, rows := int64(400), int64(0)
	if filetest.Long() {
		some = 1_000
	}
	var fenced atomic.Int64
	for rows < 10*some && fenced.Load() == 0 { // on a busy machine the servers seem silent, and nobody is taken for dead
		rows += some
		var all sync.WaitGroup
		for range 3 {
			s := openStore(t, url, func(string) {})
			s.Beat, s.Silence = 20*time.Millisecond, time.Millisecond
			all.Go(func() {
				fences, saves, err := learnTo(t.Context(), s, rows, func() { time.Sleep(time.Duration(rand.IntN(8)) * time.Millisecond) })
				fenced.Add(int64(fences))
				filetest.True(t, err == nil, "%v", err)
				t.Logf("fenced %d times, saved %d times", fences, saves)
			})
		}
		all.Wait()
	}
	filetest.True(t, fenced.Load() > 0, "the learners did not fight")
	last := openStore(t, url, nil) // the one that was fenced last may have left a checkpoint, which the next save deletes
	_, _, err := learnTo(t.Context(), last, rows+1, func() {})
	filetest.Check(t, err)
	wantRows(t, last, rows+1)
}

// The line breaks while answers are on it, at every call of a learner's life. What was done is not done again.
func TestAnswersLost(t *testing.T) {
	t.Parallel()
	url, _ := brokertest.Start(t, t.TempDir())
	line := brokertest.NewLine(t, url)
	s := openStore(t, line.URL, func(string) {})
	s.Silence = time.Minute // the learner takes its own store from itself, or fails
	breaks := int64(2)
	if filetest.Long() {
		breaks = 100
	}
	rows, next := int64(0), int64(0)
	var l chain
	filetest.Check(t, l.read(filetest.Must(s.Load(t.Context()))(t).Payload))
	for line.Broken.Load() < breaks {
		if line.Answer.Load() <= 0 {
			next++
			line.Answer.Store(1 + next%12)
		}
		rows++
		l.learn()
		filetest.Check(t, s.Save(l.write))
		if rows%3 == 0 {
			filetest.Check(t, s.Close())
			filetest.Check(t, l.read(filetest.Must(s.Load(t.Context()))(t).Payload))
		}
	}
	line.Answer.Store(0)
	wantRows(t, openStore(t, url, nil), rows)
}

// A learner that hangs loses the store, and its save comes too late.
func TestLearnerHangs(t *testing.T) {
	t.Parallel()
	url, _ := brokertest.Start(t, t.TempDir())
	var told heard
	s, other := openStore(t, url, told.say), openStore(t, url, told.say)
	ctx := t.Context()
	filetest.Must(s.Load(ctx))(t)
	filetest.Check(t, s.Save(saying(7, "bits")))
	s.busy.Store(1) // it has learned for half a century
	want := Mark{Generation: 1, Rows: 7, Position: json.RawMessage(`{"next":8}`),
		CRC: crc32.Checksum([]byte("bits"), crc32.MakeTable(crc32.Castagnoli))}
	filetest.Want(t, filetest.Must(other.Look(ctx))(t), want, "the mark")
	filetest.Check(t, other.take(ctx))
	err := s.Save(saying(8, "more"))
	filetest.True(t, errors.Is(err, ErrFenced), "the one that hung saves, error %v", err)
	filetest.WantWords(t, told.text(), "rows wait, and none was learned for 30s", fmt.Sprintf("stands by: process %d of ", os.Getpid()),
		"has been silent for 100ms")
	filetest.Want(t, string(filetest.Must(other.load(ctx))(t)), said(7, "bits"), "what the successor loads")
}

// A learner that was fenced with rows in hand takes the store again long after. It does not hang while it loads.
func TestFencedTakesAgain(t *testing.T) {
	t.Parallel()
	url, _ := brokertest.Start(t, t.TempDir())
	one, two, three := openStore(t, url, nil), openStore(t, url, nil), openStore(t, url, nil)
	ctx := t.Context()
	filetest.Must(one.Load(ctx))(t)
	filetest.Check(t, one.Save(saying(1, "one")))
	one.end() // it sleeps
	filetest.Must(two.Load(ctx))(t)
	one.busy.Store(1) // it wakes with rows in hand
	err := one.Save(saying(2, "two"))
	filetest.True(t, errors.Is(err, ErrFenced), "the one that slept saves, error %v", err)
	filetest.Check(t, two.Close())
	filetest.Must(one.Load(ctx))(t)
	three.Silence *= 4 // a busy machine beats late
	loading, stop := context.WithTimeout(ctx, 2*three.Silence)
	defer stop()
	err = three.take(loading)
	filetest.True(t, errors.Is(err, context.DeadlineExceeded), "another program takes the store meanwhile, error %v", err)
}

// savedStore returns the folder of a server that has closed, with three saves in it.
func savedStore(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	url, stop := brokertest.Start(t, folder)
	s := openStore(t, url, nil)
	filetest.Must(s.Load(t.Context()))(t)
	var l chain
	for range 3 {
		l.learn()
		filetest.Check(t, s.Save(l.write))
	}
	filetest.Check(t, s.Close())
	s.c.Close()
	stop()
	return folder
}

// goOn opens a copy of a store, with a byte changed, and learns on.
func goOn(t *testing.T, folder, name string, change func([]byte), killed bool) (told *heard, err error) {
	t.Helper()
	copied := filetest.Folder(t)
	filetest.Check(t, os.CopyFS(copied, os.DirFS(folder)))
	for _, path := range filetest.Must(filepath.Glob(filepath.Join(copied, "jetstream/*/streams/*/msgs/index.db")))(t) {
		if killed {
			filetest.Check(t, os.Remove(path))
		}
	}
	b := filetest.Must(os.ReadFile(filepath.Join(copied, name)))(t)
	change(b)
	filetest.Check(t, os.WriteFile(filepath.Join(copied, name), b, 0o600))
	url, stop, err := brokertest.Try(copied)
	if err != nil {
		return nil, err
	}
	defer stop()
	told = &heard{}
	ctx, end := context.WithTimeout(t.Context(), 15*time.Second)
	defer end()
	c := filetest.Must(broker.Connect(ctx, broker.Options{URLs: url, Log: told.say}))(t)
	defer c.Close()
	s, err := OpenNATS(ctx, c, "test", 1)
	if err != nil {
		return told, err
	}
	defer s.Close()
	s.Silence = 50 * time.Millisecond // the key may say that somebody holds it
	if _, _, err = learnTo(ctx, s, 9, func() {}); err == nil {
		wantRows(t, s, 9)
	}
	filetest.True(t, ctx.Err() == nil, "it hangs: %v", err)
	return told, err
}

// With a damaged checkpoint, or a damaged key, the learner goes on from the newest that is whole, and says so.
func TestCheckpointDamaged(t *testing.T) {
	t.Parallel()
	folder := savedStore(t)
	flip := func(what string) func([]byte) {
		return func(b []byte) {
			at := bytes.LastIndex(b, []byte(what))
			if at < 0 {
				t.Fatalf("the store has no %q", what)
			}
			b[at+len(what)/2] ^= 4
		}
	}
	blk := func(stream string) string {
		path := filetest.Must(filepath.Glob(filepath.Join(folder, "jetstream/*/streams", stream, "msgs/*.blk")))(t)[0]
		return filetest.Must(filepath.Rel(folder, path))(t)
	}
	for _, killed := range []bool{false, true} {
		told, err := goOn(t, folder, blk("OBJ_phe-test"), flip("\x28\xb5\x2f\xfd"), killed) // zstd's magic number
		filetest.Check(t, err)
		filetest.WantWords(t, told.text(), "missing or damaged", "is used in its place")
		for _, change := range []func([]byte){flip(`"generation":3`), func(b []byte) { b[10] ^= 2 }} { // the value, or a message's number
			_, err = goOn(t, folder, blk("KV_phe-test"), change, killed)
			filetest.Check(t, err)
		}
	}
}

// If the key is damaged and the checkpoints are whole, followers and the next learner use the newest and say so. Both checkpoints stay
// until a newer one is whole.
func TestKeyDamaged(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"", "{}", "[3]", "no JSON", `{"name":"a dog"}`, `{"generation":3,"beat":7}`, `{"object":"dog","beat":7}`,
		`WHOLE,"generation":18446744073709551615}`, `WHOLE,"generation":1e30}`, `WHOLE,"rows":-1}`, `WHOLE,"beat":18446744073709551615}`,
		`WHOLE,"object":"00000000000000000003-gone"}`} {
		url, _ := brokertest.Start(t, t.TempDir())
		var told heard
		s := openStore(t, url, told.say)
		_, _, err := learnTo(t.Context(), s, 60, func() {})
		filetest.Check(t, err)
		before := filetest.Must(s.b.List(t.Context()))(t)
		value = strings.Replace(value, "WHOLE", strings.TrimSuffix(s.held.text(), "}"), 1)
		keys := filetest.Must(s.c.JS().KeyValue(t.Context(), Bucket("test")))(t)
		filetest.Must(keys.PutString(t.Context(), pointerKey, value))(t)
		if value == "" {
			filetest.Check(t, keys.Delete(t.Context(), pointerKey))
		}
		if m, err := s.Look(t.Context()); err != nil || m.Generation == 0 {
			t.Fatalf("after the key %s the store looks empty: %v", value, err)
		}
		wantRows(t, s, 60)
		filetest.Must(s.Load(t.Context()))(t)
		filetest.Want(t, fmt.Sprint(filetest.Must(s.b.List(t.Context()))(t)), fmt.Sprint(before), "the checkpoints after the key %s", value)
		_, _, err = learnTo(t.Context(), s, 90, func() {})
		filetest.Check(t, err)
		wantRows(t, s, 90)
		filetest.WantWords(t, told.text(), "missing or damaged; the checkpoint "+before[len(before)-1]+" is used in its place")
	}
}

// A flipped bit anywhere in the store is named or harmless, after a clean end of the server and after a kill.
func TestStoreBitFlips(t *testing.T) {
	if !filetest.Long() {
		t.Skip("minutes; GOPHE_TEST=long runs it")
	}
	folder := savedStore(t)
	files := filetest.Must(filepath.Glob(filepath.Join(folder, "jetstream/*/streams/*/*.*")))(t)
	logs := filetest.Must(filepath.Glob(filepath.Join(folder, "jetstream/*/streams/*/msgs/*.*")))(t)
	rng := rand.New(rand.NewPCG(50, 3))
	for i := range 200 {
		path := logs[rng.IntN(len(logs))]
		if i%5 == 0 {
			path = slices.Concat(files, logs)[rng.IntN(len(files)+len(logs))]
		}
		at, bit := rng.Int64(), rng.IntN(8)
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			name := filetest.Must(filepath.Rel(folder, path))(t)
			flip := func(b []byte) { b[at%int64(len(b))] ^= 1 << bit }
			told, err := goOn(t, folder, name, flip, i%2 == 1 && filepath.Base(path) != "index.db")
			filetest.True(t, err == nil || regexp.MustCompile("damaged|lost").MatchString(err.Error()), "%v", err)
			t.Logf("%s, killed: %v: %v, %v", name, i%2 == 1, err, told)
		})
	}
}

// Three servers keep the store. The one that orders its changes dies, with the learner or without it. The learner goes on, or the next one.
func TestLeaderDies(t *testing.T) {
	if !filetest.Long() {
		t.Skip("seconds; GOPHE_TEST=long runs it")
	}
	for _, both := range []bool{true, false} {
		t.Run(fmt.Sprint("both die: ", both), func(t *testing.T) {
			t.Parallel()
			stops, o := brokertest.Nodes(t)
			ctx := t.Context()
			open := func() *NATS { return filetest.Must(OpenNATS(ctx, brokertest.Dial(t, o), "test", 3))(t) }
			s, other := open(), open()
			filetest.Must(s.Load(ctx))(t)
			filetest.Check(t, s.Save(saying(5, "five")))
			stands, end := context.WithCancel(ctx)
			defer end()
			next := make(chan error, 1)
			go func() {
				_, err := other.Load(stands)
				if err == nil {
					err = other.Save(saying(6, "six"))
				}
				next <- err
			}()
			info := filetest.Must(s.c.Stream(ctx, "KV_phe-test"))(t)
			began := time.Now()
			if both {
				s.end() // as a dead one
			}
			stops[info.Cluster.Leader]()
			if both {
				filetest.Check(t, <-next)
			} else {
				filetest.Check(t, s.Save(saying(6, "six")))
				end()
				err := <-next
				filetest.True(t, errors.Is(err, context.Canceled), "the other learner took the store: %v", err)
			}
			t.Logf("%.1f s to the next checkpoint", time.Since(began).Seconds())
		})
	}
}
