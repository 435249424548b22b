package serve

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream"
)

// crowd is a group of clients that send requests until they are told to stop. A client without an answer sends the same request again
// under the same key until it gets one.
type crowd struct {
	http    *http.Client
	url     atomic.Pointer[string] // of the server that runs now; nil while there is none
	stop    atomic.Bool
	retries atomic.Int64
	group   sync.WaitGroup

	mu   sync.Mutex
	said []*asking // requests that the server has acknowledged
}

// start starts clients. Client k of n takes the visits k, k+n, k+2n, …
func (c *crowd) start(t *testing.T, n int) {
	c.http = client(n)
	for k := range n {
		c.group.Go(func() {
			r := rand.New(rand.NewPCG(uint64(k), 1))
			next := func() int { v := k; k += n; return v }
			for request := 0; !c.stop.Load(); request++ {
				key := fmt.Sprintf("client %d, request %d\xff", k%n, request/100) + string([]byte{0x80 + byte(request%100)}) // not UTF-8
				if r.IntN(4) > 0 {
					visits := []int{next()}
					for r.IntN(3) == 0 {
						visits = append(visits, next())
					}
					c.send(t, toLearn(key, visits...))
					continue
				}
				v := next()
				c.send(t, toAsk(key, v))
				c.send(t, toLabel(key+", label", v))
			}
		})
	}
}

// send sends a request until it is acknowledged.
func (c *crowd) send(t *testing.T, q *asking) {
	for first := true; ; first = false {
		if !first {
			c.retries.Add(1)
			time.Sleep(5 * time.Millisecond)
		}
		url := c.url.Load()
		if url == nil {
			continue
		}
		answer, err := post(c.http, *url+q.path, q.body, q.key)
		if err != nil || answer.status == 503 || answer.status == 429 {
			continue
		}
		q.take(t, answer)
		c.mu.Lock()
		c.said = append(c.said, q)
		c.mu.Unlock()
		return
	}
}

// outlive kills the server of the clients after some time.
func (c *crowd) outlive(t *testing.T, server *child, life time.Duration) {
	t.Helper()
	c.url.Store(&server.url)
	time.AfterFunc(life, func() { _ = server.Process.Kill() })
	_ = server.Wait()
	c.url.Store(nil)
	filetest.Want(t, server.Errors.String(), "", "what the server says")
}

// check checks that a learner has learned every acknowledged row exactly once. Its bits must equal the bits of a learner that was never
// disturbed. The order comes from the answers, since each gives the number of rows that the model had afterwards.
func (c *crowd) check(t *testing.T, got *stream.Learner) (rows int64) {
	t.Helper()
	want := mustLearner(t)
	slices.SortStableFunc(c.said, (*asking).compare)
	for _, q := range c.said {
		q.enter(t, want)
	}
	wantSame(t, got, want, "the model of the acknowledged rows")
	return want.Rows()
}

// TestKill kills a server at random moments while clients learn, ask and label. Each server has other options than the one before. No
// acknowledged row is lost or counted twice, and the belief is bit for bit the undisturbed one.
func TestKill(t *testing.T) {
	kills, clients := 5, 8
	if filetest.Long() {
		kills, clients = 60, 16
	}
	folder := filetest.Folder(t)
	r := rand.New(rand.NewPCG(1, 2)) // the moments also depend on the machine
	var c crowd
	c.start(t, clients)
	starting := 0
	for kill := range kills {
		after := time.Duration(0)
		if kill%5 == 4 {
			after = time.Duration(1+r.IntN(60)) * time.Millisecond // as it starts and replays
		}
		role := []string{"serve", "serve with few keys", "serve without checkpoints"}[kill%3]
		server, served := startChild(t, role, folder, after)
		if !served {
			starting++
			continue
		}
		c.outlive(t, server, time.Duration(50+r.IntN(400))*time.Millisecond)
	}
	server, _ := startChild(t, "serve", folder, 0)
	c.url.Store(&server.url)
	c.stop.Store(true)
	c.group.Wait()
	for _, q := range c.said[max(0, len(c.said)-100):] { // late retries, after all kills
		again := filetest.Must(post(c.http, server.url+q.path, q.body, q.key))(t)
		again.is(t, 200)
		filetest.Want(t, again.body, q.answer.body, "the answer to %q", q.key)
	}
	server.stop(t)
	rows := c.check(t, saved(t, folder))
	t.Logf("%d kills, %d of them as the server started; %d requests, %d rows, %d retries",
		kills, starting, len(c.said), rows, c.retries.Load())
	filetest.True(t, len(c.said) >= 5*kills, "only %d requests", len(c.said))
}

// TestStop ends servers by SIGTERM while clients learn. A server answers the requests under way, saves a checkpoint and says so. The
// checkpoint alone must hold the whole belief.
func TestStop(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no SIGTERM")
	}
	folder := filetest.Folder(t)
	var c crowd
	c.start(t, 8)
	for stop := range 3 {
		server, _ := startChild(t, "plain", folder, 0)
		c.url.Store(&server.url)
		acknowledged := func() int { c.mu.Lock(); defer c.mu.Unlock(); return len(c.said) }
		before := acknowledged()
		await(t, "requests of this server", func() bool { return acknowledged() > before+8 })
		if stop == 2 {
			c.stop.Store(true)
			c.group.Wait()
		}
		server.stop(t)
		c.url.Store(nil)
		if server.Errors.Len() > 0 {
			t.Fatal(&server.Errors)
		}
	}
	rows := c.check(t, saved(t, folder))
	var log lines
	s := mustOpen(t, folder, Options{Log: log.add})
	filetest.WantNone(t, log.String(), "replayed")
	filetest.Want(t, s.own.learner.Rows(), rows, "rows after the stops")
	t.Logf("%d requests, %d rows, %d retries", len(c.said), rows, c.retries.Load())
}

// roles are the programs of children, which get the folder of a model. Files with build constraints add theirs in init.
var roles = map[string]func(folder string) error{
	"serve": func(folder string) error {
		return serveChild(folder, newLearner, Options{Checkpoint: 40 * time.Millisecond}, nil)
	},
	"serve with few keys": func(folder string) error {
		few := Limits{Queue: 20, MaxBody: 4 << 10, MaxRecords: 30}
		return serveChild(folder, newLearner, Options{Limits: few, Checkpoint: 15 * time.Millisecond, Keys: 200}, nil)
	},
	"serve without checkpoints": func(folder string) error {
		return serveChild(folder, newLearner, Options{Checkpoint: time.Hour, Keys: 2000}, nil)
	},
	"plain": func(folder string) error { return serveChild(folder, newLearner, Options{}, nil) },
}

func TestMain(m *testing.M) {
	filetest.Main(m, func(role, folder string) error { return roles[role](folder) })
}

// serveChild serves the model in a folder and prints the address, until a signal comes.
func serveChild(folder string, begin func() (*stream.Learner, error), o Options, opened func() error) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s, err := Open(filepath.Join(folder, "model"), begin, o)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if opened != nil {
		if err := opened(); err != nil {
			return err
		}
	}
	fmt.Printf("http://%s.\n", listener.Addr())
	return s.Run(ctx, listener)
}

// child is a server in a process of its own.
type child struct {
	*filetest.Child
	url string
}

// startChild starts a server. It returns false if the child ended before it served, since it was killed.
func startChild(t testing.TB, role, folder string, killAfter time.Duration) (*child, bool) {
	t.Helper()
	c := &child{Child: filetest.Start(t, role, folder, nil)}
	if killAfter > 0 {
		time.AfterFunc(killAfter, func() { _ = c.Process.Kill() })
	}
	c.Lines.Scan()
	if url, served := strings.CutSuffix(c.Lines.Text(), "."); served {
		c.url = url
		return c, true
	}
	err := c.Wait()
	if killAfter == 0 || c.Errors.Len() > 0 {
		t.Fatalf("the server does not start: %v: %s", err, &c.Errors)
	}
	return c, false
}

// stop sends SIGTERM and waits for the end.
func (c *child) stop(t testing.TB) {
	t.Helper()
	filetest.Check(t, c.Process.Signal(syscall.SIGTERM))
	if err := c.Wait(); err != nil {
		t.Fatalf("after SIGTERM: %v: %s", err, &c.Errors)
	}
}

// client returns an HTTP client with enough open connections for a number of goroutines.
func client(goroutines int) *http.Client {
	return &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConns: goroutines, MaxIdleConnsPerHost: goroutines}}
}
