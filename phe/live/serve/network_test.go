package serve

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
)

// listen runs a server on a port of this machine until the test ends. stop ends it earlier.
func listen(t *testing.T, s *Server) (address string, stop func() error) {
	t.Helper()
	l := filetest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, l) }()
	t.Cleanup(cancel)
	return l.Addr().String(), func() error {
		cancel()
		return <-ended
	}
}

// health is a request.
const health = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"

// announce returns the header of a request with a body of some bytes.
func announce(path string, bytes int) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", path, bytes)
}

// learnRequest returns a request to learn visit 1.
func learnRequest() string { return announce("/v1/learn", len(learnBody(1))) + learnBody(1) }

// status returns the status that a client was told within some time; 0 for none.
func status(t *testing.T, c net.Conn, within time.Duration) (code int) {
	t.Helper()
	filetest.Check(t, c.SetReadDeadline(time.Now().Add(within)))
	line, _ := bufio.NewReader(c).ReadString('\n')
	_, _ = fmt.Sscanf(line, "HTTP/1.1 %d", &code)
	return code
}

// dial opens a connection and sends some text.
func dial(t *testing.T, address, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err == nil {
		_, err = io.WriteString(c, text)
	}
	filetest.Check(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

// TestSlow: a client that sends slowly or not at all loses its connection. It does not delay other clients.
func TestSlow(t *testing.T) {
	s := mustOpen(t, filetest.Folder(t), Options{Limits: Limits{ReadTimeout: 150 * time.Millisecond, Queue: 1}})
	address, _ := listen(t, s)
	for what, text := range map[string]string{
		"no request":    "",
		"half a header": "POST /v1/learn HTTP/1.1\r\nHost: localhost\r\nContent-",
		"half a body":   announce("/v1/learn", 100) + "{\"record\":",
	} {
		var answer []byte
		for again := true; again; again = strings.Contains(string(answer), `"code":"busy"`) { // the other client had the only place
			c := dial(t, address, text)
			posted(t, client(1), "http://"+address+"/v1/learn", learnBody(1)).is(t, 200)
			filetest.Check(t, c.SetReadDeadline(time.Now().Add(5*time.Second)))
			var err error
			if answer, err = io.ReadAll(c); err != nil {
				t.Errorf("%s: the connection stays open: %v", what, err)
			}
		}
		filetest.True(t, strings.HasPrefix(what, "half a body") == strings.Contains(string(answer), `"code":"slow"`),
			"%s is answered %q", what, answer)
	}
}

// TestLarge: a body that is too large is refused without being read, and so is a large header.
func TestLarge(t *testing.T) {
	s := mustOpen(t, filetest.Folder(t), Options{Limits: Limits{MaxBody: 1000}})
	address, _ := listen(t, s)
	const post, end = "POST /v1/learn HTTP/1.1\r\n", "\r\n\r\n"
	const ours, json = post + "Host: localhost\r\n", "Content-Type: application/json\r\n"
	for text, want := range map[string]int{
		announce("/v1/learn", 1000000000000):                                                     413,
		ours + json + "Content-Length: 1000000\r\nExpect: 100-continue" + end:                    413,
		ours + json + "Transfer-Encoding: chunked" + end + "7d0\r\n" + strings.Repeat(" ", 2000): 413,
		"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 40<<10) + end:    431,
		post + "Host: elsewhere\r\n" + json + "Content-Length: 900" + end:                        421,
		ours + "Content-Type: text/plain\r\nContent-Length: 900" + end:                           415,
		"nonsense\r\n\r\n": 400,
	} {
		c := dial(t, address, "")
		_, _ = io.WriteString(c, text) // the server may end the connection before all has come
		filetest.Want(t, status(t, c, soon), want, "%.80q is answered", text)
		c.Close()
	}
}

// TestConnections: if there is no room, a new client takes the place of the connection that has been idle longest. It waits while the
// server works for all others.
func TestConnections(t *testing.T) {
	s := mustOpen(t, filetest.Folder(t), Options{Limits: Limits{Connections: 2}})
	address, stop := listen(t, s)
	answered := func(c net.Conn, what string) {
		t.Helper()
		filetest.Want(t, status(t, c, soon), 200, "%s gets", what)
	}
	first := dial(t, address, health)
	answered(first, "the first client")
	second := dial(t, address, health)
	answered(second, "the second client")
	third := dial(t, address, health)
	answered(third, "the third client")
	if _, err := first.Read(make([]byte, 1000)); err == nil { // the rest of the answer
		_, err = first.Read(make([]byte, 1))
		filetest.True(t, err != nil && !errors.Is(err, os.ErrDeadlineExceeded), "the first client, which is idle, keeps its place: %v", err)
	}

	s.own.order.Lock() // all requests that learn are under way from here on
	learners := []net.Conn{dial(t, address, learnRequest()), dial(t, address, learnRequest())}
	await(t, "the requests that learn", func() bool { return len(s.slots) == 2 })
	fourth := dial(t, address, health)
	filetest.Check(t, fourth.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	_, err := fourth.Read(make([]byte, 1))
	filetest.True(t, errors.Is(err, os.ErrDeadlineExceeded), "the fourth client need not wait: %v", err)
	s.own.order.Unlock()
	for _, c := range learners {
		answered(c, "a client that learns")
	}
	answered(fourth, "the fourth client")
	filetest.Check(t, stop())
}

// counted is a listener that counts the connections that its server has accepted.
type counted struct {
	net.Listener
	accepted atomic.Int32
}

func (l *counted) Accept() (net.Conn, error) { defer l.accepted.Add(1); return l.Listener.Accept() }

// TestStopWithoutRoom: a client that waits for a place does not hold up a stop, nor does a request that is never answered.
func TestStopWithoutRoom(t *testing.T) {
	var log lines
	s := mustOpen(t, filetest.Folder(t), Options{Limits: Limits{Connections: 1, Timeout: 200 * time.Millisecond}, Log: log.add})
	l := &counted{Listener: filetest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)}
	address, stopped := l.Addr().String(), make(chan error, 1)
	ctx, stop := context.WithCancel(t.Context())
	go func() { stopped <- s.Run(ctx, l) }()
	s.own.order.Lock() // the request that learns is under way from here on
	release := sync.OnceFunc(s.own.order.Unlock)
	defer release()
	dial(t, address, learnRequest())
	await(t, "the request that learns", func() bool { return len(s.slots) == 1 })
	waits := dial(t, address, health)
	await(t, "the client that waits", func() bool { return l.accepted.Load() == 2 })
	stop()
	await(t, "the end of the server's patience", func() bool { return strings.Contains(log.String(), "some requests were cut off") })
	filetest.Check(t, waits.SetReadDeadline(time.Now().Add(5*time.Second)))
	if n, err := waits.Read(make([]byte, 1)); n > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the client that waits gets %d bytes, %v; want the end of its connection", n, err)
	}
	release()
	filetest.Check(t, <-stopped)
}

// TestCrowd: an ordinary request is answered although there are silent viewers and slow bodies, more of each than the server has
// connections.
func TestCrowd(t *testing.T) {
	connections, viewers, bodies := 64, 70, 75
	if filetest.Long() {
		connections, viewers, bodies = 0, 1030, 1100
	}
	s := mustOpen(t, filetest.Folder(t), Options{Limits: Limits{Connections: connections}, Page: true})
	address, stop := listen(t, s)
	var crowd []net.Conn
	seen := 0
	for n := range viewers {
		crowd = append(crowd, dial(t, address, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"))
		if n == 0 && status(t, crowd[0], soon) == 200 { // the server may be slow to begin, and lose the others
			seen++
		}
	}
	for range bodies {
		crowd = append(crowd, dial(t, address, announce("/v1/learn", 1000)+"{"))
	}
	c := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	began := time.Now()
	for n := range 10 {
		posted(t, c, "http://"+address+"/v1/learn", learnBody(n)).is(t, 200)
	}
	took := time.Since(began)
	for _, c := range crowd[1:viewers] { // the others are told that there are too many, or have lost their places
		if status(t, c, soon) == 200 {
			seen++
		}
	}
	t.Logf("ten requests took %v; %d viewers", took, seen)
	filetest.True(t, seen != 0 && seen <= s.options.Connections/4, "%d viewers of %d connections", seen, s.options.Connections)
	for _, c := range crowd { // a stop would wait for the bodies
		c.Close()
	}
	filetest.Check(t, stop())
}

// TestStopUnderWay: a request that is under way when the server stops is answered, and the next one finds no server.
func TestStopUnderWay(t *testing.T) {
	folder := filetest.Folder(t)
	var log lines
	s := mustOpen(t, folder, Options{Log: log.add})
	address, stop := listen(t, s)
	request := learnRequest()
	c := dial(t, address, request[:len(request)-10])
	tryPatience(t, s, 1)
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	await(t, "the stop", func() bool { return s.stopping.Load() })
	filetest.Must(io.WriteString(c, request[len(request)-10:]))(t)
	filetest.Want(t, status(t, c, soon), 200, "the request under way is told")
	filetest.Check(t, <-stopped)
	err := filetest.Failure(net.Dial("tcp", address))
	filetest.True(t, err != nil, "the server still listens")
	filetest.Want(t, saved(t, folder).Rows(), 1, "rows")
	filetest.WantWords(t, log.String(), "serving ")
	filetest.True(t, strings.HasSuffix(strings.TrimSpace(log.String()), "keeps 1 row"), "the log: %s", &log)
	refused(t, s, 503, "the server stops", "POST", "/v1/learn", learnBody(2))
	call(t, s, "GET", "/readyz", "").is(t, 503)
}

// closing is a listener that takes nobody, and says at its second end, which is Shutdown's, that it was closed.
type closing struct {
	net.Listener
	begins func()
	ends   chan bool
}

func (c closing) Accept() (net.Conn, error) {
	c.begins()
	<-c.ends
	<-c.ends
	return nil, net.ErrClosed
}
func (c closing) Close() error { c.ends <- true; return net.ErrClosed }

// TestStopClosed: a stop whose listener is closed already is no warning.
func TestStopClosed(t *testing.T) {
	var log lines
	s, l := mustOpen(t, filetest.Folder(t), Options{Log: log.add}), filetest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { l.Close() })
	ctx, stop := context.WithCancel(t.Context())
	filetest.Check(t, s.Run(ctx, closing{l, stop, make(chan bool, 9)}))
	filetest.WantWords(t, log.String(), "stopped")
	filetest.WantNone(t, log.String(), "warning")
}

// TestTLS: with a certificate the server speaks only TLS.
func TestTLS(t *testing.T) {
	key := filetest.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	later := time.Now().Add(time.Hour)
	template := x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: later, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	certificate := filetest.Must(x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key))(t)
	parsed := filetest.Must(x509.ParseCertificate(certificate))(t)
	var log lines
	own := tls.Certificate{Certificate: [][]byte{certificate}, PrivateKey: key}
	s := mustOpen(t, filetest.Folder(t), Options{Log: log.add, TLS: &tls.Config{Certificates: []tls.Certificate{own}}})
	address, stop := listen(t, s)
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}}
	posted(t, c, "https://"+address+"/v1/learn", learnBody(1)).is(t, 200)
	got, err := post(client(1), "http://"+address+"/v1/learn", learnBody(1), "")
	filetest.True(t, err != nil || got.status != 200, "the server also speaks without TLS")
	c.CloseIdleConnections()
	filetest.Check(t, stop())
	filetest.WantNone(t, log.String(), "warning")
}

// TestBeside: a page beside a learner has a bounded number of connections. One more takes the place of the one that is idle for longest.
func TestBeside(t *testing.T) {
	h, l := Beside(mustLearner(t), nil), filetest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	go h.Serve(l)
	t.Cleanup(func() { h.Close() })
	body := `{"record":` + asJSON(visit(1), 1) + `}`
	idle := dial(t, l.Addr().String(), announce("/v1/explain", len(body))+body)
	filetest.Want(t, status(t, idle, time.Minute), 200, "status of the first client")
	for range MaxBeside {
		dial(t, l.Addr().String(), "")
	}
	filetest.Check(t, idle.SetReadDeadline(time.Now().Add(20*time.Second))) // a server closes it by itself after two minutes
	_, err := io.Copy(io.Discard, idle)
	filetest.True(t, !errors.Is(err, os.ErrDeadlineExceeded), "the idle client keeps its connection")
}
