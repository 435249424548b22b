package serve

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
)

// mustAnswer sends an honest request over a connection of its own.
func mustAnswer(t *testing.T, c *http.Client, url string) {
	t.Helper()
	posted(t, c, url+"/v1/predict", `{"record":{"customer":"c1"}}`).is(t, 200)
}

// TestFullBeforeBody: while all places are taken, a header is answered 429 before its body comes. A client that is slow to send its body
// gets the same answer when the last place is taken.
func TestFullBeforeBody(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, filetest.Folder(t), Options{Limits: Limits{Queue: 1}})
	address, _ := listen(t, s)
	slow := dial(t, address, announce("/v1/predict", 1000)+"{")
	tryPatience(t, s, 1)
	filetest.True(t, len(s.slots) == 0, "a body that is not whole has a place")
	mustAnswer(t, client(1), "http://"+address) // it takes the only place
	filetest.Want(t, status(t, slow, soon), 429, "a client that was slow when all places were taken is told")
	s.slots <- struct{}{}
	filetest.Want(t, status(t, dial(t, address, announce("/v1/predict", 1000)+"{"), soon), 429, "without a place, a header is told")
	<-s.slots
	mustAnswer(t, client(1), "http://"+address)
}

// TestBodiesShareMemory: bodies that come and stop take no more memory than they may. The one that stopped first makes room for the next.
// One that still comes keeps its memory, and an honest request is answered. In the end all memory is back.
func TestBodiesShareMemory(t *testing.T) {
	t.Parallel()
	for _, mounted := range []bool{false, true} {
		s := mustOpen(t, filetest.Folder(t), Options{Limits: Limits{MaxBody: 64 << 10, BodyMemory: 1 << 20}})
		var address string
		if mounted {
			host := httptest.NewServer(s.Handler())
			defer host.Close()
			address = strings.TrimPrefix(host.URL, "http://")
		} else {
			address, _ = listen(t, s)
		}
		comes := dial(t, address, announce("/v1/predict", 64<<10))
		var stopped []net.Conn
		for range 30 {
			part, began := strings.Repeat(" ", 2*chunk), time.Now()
			stopped = append(stopped, dial(t, address, announce("/v1/predict", 64<<10)+part+part+part))
			filetest.Must(io.WriteString(comes, part[:2000]))(t)
			await(t, "a body of six chunks, and the memory of those that were dropped", func() bool {
				s.seats.mu.Lock()
				defer s.seats.mu.Unlock()
				filetest.True(t, s.seats.free >= 0, "%d bytes more than there are", -s.seats.free)
				came, back := false, true
				for _, at := range s.seats.taken {
					came, back = came || len(at.body) >= 6 && at.since.After(began), back && !(at.dropped && at.body != nil)
				}
				return came && back
			})
		}
		mustAnswer(t, client(1), "http://"+address)
		first, last := status(t, stopped[0], soon), status(t, stopped[29], 20*time.Millisecond)
		filetest.Must(io.WriteString(comes, strings.Repeat(" ", 64<<10-60_000)))(t)
		if still := status(t, comes, soon); first != 429 || last != 0 || still != 400 { // 400: it has only spaces
			t.Errorf("mounted %t: the client that stopped first is told %d, the last one %d, and one that did not stop %d", mounted,
				first, last, still)
		}
		for _, c := range stopped {
			c.Close()
		}
		await(t, "the memory", func() bool {
			s.seats.mu.Lock()
			defer s.seats.mu.Unlock()
			return s.seats.free == 1<<20 && s.seats.spare == 1<<17
		})
	}
}

// TestNoMemoryLeft: while the server works on bodies that take all the memory, a header is answered 429. Nothing is dropped for it.
func TestNoMemoryLeft(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, filetest.Folder(t), Options{Limits: Limits{MaxBody: 1000, BodyMemory: 4*chunk + 2000}})
	address, _ := listen(t, s)
	s.own.order.Lock() // requests to learn are under way from here on
	learners := []net.Conn{dial(t, address, learnRequest()), dial(t, address, learnRequest())}
	await(t, "the requests that learn", func() bool { return len(s.slots) == 2 })
	filetest.Want(t, status(t, dial(t, address, announce("/v1/predict", 1000)), soon), 429, "without memory, a header is told")
	s.own.order.Unlock()
	for _, c := range learners {
		filetest.Want(t, status(t, c, soon), 200, "a request under way is told")
	}
}

// TestStreams: the streams of an HTTP/2 connection take seats like connections. Streams that stop make room for others, and no stream
// takes the seat of a connection.
func TestStreams(t *testing.T) {
	t.Parallel()
	lender := httptest.NewTLSServer(nil)
	lender.Close()
	s := mustOpen(t, filetest.Folder(t), Options{Limits: Limits{Connections: 5}, TLS: &tls.Config{Certificates: lender.TLS.Certificates}})
	address, _ := listen(t, s)
	dialer := func() *http.Client {
		return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}}
	}
	idle := filetest.Must(tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true}))(t)
	defer idle.Close()
	answers := bufio.NewReader(idle)
	isAnswered := func() {
		t.Helper()
		filetest.Must(io.WriteString(idle, health))(t)
		r := filetest.Must(http.ReadResponse(answers, nil))(t)
		filetest.Must(io.Copy(io.Discard, r.Body))(t)
		filetest.Want(t, r.StatusCode, 200, "a connection that waits beside the streams is told")
	}
	isAnswered()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	many, told := dialer(), make(chan int, 8)
	mustAnswer(t, many, "https://"+address)
	for n := range cap(told) {
		if n == 4 {
			tryPatience(t, s, 4)
		}
		body, to := io.Pipe()
		r := filetest.Must(http.NewRequestWithContext(ctx, "POST", "https://"+address+"/v1/predict", body))(t)
		go io.WriteString(to, "{")
		r.Header.Set("Content-Type", "application/json")
		r.ContentLength = 1000
		go func() {
			answer, err := many.Do(r)
			if err == nil {
				answer.Body.Close()
				told <- answer.StatusCode
			} else if ctx.Err() == nil {
				t.Errorf("a stream ends without an answer: %v", err)
			}
		}()
	}
	for range cap(told) - 4 { // seats: two connections and four streams
		select {
		case code := <-told:
			filetest.Want(t, code, 429, "a stream without a seat is told")
		case <-time.After(soon):
			t.Fatal("more streams than seats")
		}
	}
	s.seats.mu.Lock()
	seats := len(s.seats.taken)
	s.seats.mu.Unlock()
	filetest.True(t, seats <= 6, "%d seats are taken", seats)
	isAnswered()
	mustAnswer(t, dialer(), "https://"+address)
}
