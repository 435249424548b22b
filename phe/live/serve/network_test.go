package serve

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
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
	s := mustOpen(t, filetest.Folder(t), Options{ReadTimeout: 150 * time.Millisecond, Queue: 1})
	address, _ := listen(t, s)
	for what, text := range map[string]string{
		"no request":    "",
		"half a header": "POST /v1/learn HTTP/1.1\r\nHost: localhost\r\nContent-",
		"half a body":   "POST /v1/learn HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"record\":",
	} {
		var answer []byte
		for again := true; again; again = strings.Contains(string(answer), `"code":"busy"`) { // the other client had the only place
			c := dial(t, address, text)
			if status, _, err := post(client(1), "http://"+address+"/v1/learn", learnBody(1), ""); err != nil || status != 200 {
				t.Errorf("%s: another client gets %d, %v", what, status, err)
			}
			filetest.Check(t, c.SetReadDeadline(time.Now().Add(5*time.Second)))
			var err error
			if answer, err = io.ReadAll(c); err != nil {
				t.Errorf("%s: the connection stays open: %v", what, err)
			}
		}
		if strings.HasPrefix(what, "half a body") != strings.Contains(string(answer), `"code":"slow"`) {
			t.Errorf("%s is answered %q", what, answer)
		}
	}
}

// TestLarge: a body that is too large is refused without being read, and so is a large header.
func TestLarge(t *testing.T) {
	s := mustOpen(t, filetest.Folder(t), Options{MaxBody: 1000})
	address, _ := listen(t, s)
	for text, want := range map[string]string{
		"POST /v1/learn HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000000000\r\n\r\n":                                 " 413 ",
		"POST /v1/learn HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n":               " 413 ",
		"POST /v1/learn HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n" + strings.Repeat(" ", 2000): " 413 ",
		"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 40<<10) + "\r\n\r\n":                                                            " 431 ",
		"POST /v1/learn HTTP/1.1\r\nHost: elsewhere\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n":                                           " 421 ",
		"POST /v1/learn HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 900\r\n\r\n":                                                 " 415 ",
		"nonsense\r\n\r\n": " 400 ",
	} {
		c := dial(t, address, text)
		filetest.Check(t, c.SetReadDeadline(time.Now().Add(5*time.Second)))
		first, err := bufio.NewReader(c).ReadString('\n')
		if err != nil || !strings.Contains(first, want) {
			t.Errorf("%.80q is answered %q, %v; want %s", text, first, err, want)
		}
		c.Close()
	}
}

// TestConnections: if there is no room, a new client takes the place of the connection that has been idle longest. It waits while the
// server works for all others.
func TestConnections(t *testing.T) {
	s := mustOpen(t, filetest.Folder(t), Options{Connections: 2})
	address, stop := listen(t, s)
	answered := func(c net.Conn, what string) {
		t.Helper()
		filetest.Check(t, c.SetReadDeadline(time.Now().Add(10*time.Second)))
		if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.Contains(line, "200") {
			t.Errorf("%s gets %q, %v", what, line, err)
		}
	}
	first := dial(t, address, health)
	answered(first, "the first client")
	second := dial(t, address, health)
	answered(second, "the second client")
	third := dial(t, address, health)
	answered(third, "the third client")
	if _, err := first.Read(make([]byte, 1000)); err == nil { // the rest of the answer
		_, err = first.Read(make([]byte, 1))
		if err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the first client, which is idle, keeps its place: %v", err)
		}
	}

	s.order.Lock() // all requests that learn are under way from here on
	body := learnBody(1)
	learn := "POST /v1/learn HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	learners := []net.Conn{dial(t, address, learn), dial(t, address, learn)}
	await(t, "the requests that learn", func() bool { return len(s.slots) == 2 })
	fourth := dial(t, address, health)
	filetest.Check(t, fourth.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	if _, err := fourth.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the fourth client need not wait: %v", err)
	}
	s.order.Unlock()
	for _, c := range learners {
		answered(c, "a client that learns")
	}
	answered(fourth, "the fourth client")
	filetest.Check(t, stop())
}

// TestStopWithoutRoom: a client that waits for a place does not hold up a stop, nor does a request that is never answered.
func TestStopWithoutRoom(t *testing.T) {
	var log lines
	s := mustOpen(t, filetest.Folder(t), Options{Connections: 1, Timeout: 200 * time.Millisecond, Log: log.add})
	address, stop := listen(t, s)
	s.order.Lock() // the request that learns is under way from here on
	release := sync.OnceFunc(s.order.Unlock)
	defer release()
	body := learnBody(1)
	dial(t, address, "POST /v1/learn HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+body)
	await(t, "the request that learns", func() bool { return len(s.slots) == 1 })
	waits := dial(t, address, health)
	time.Sleep(50 * time.Millisecond)
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
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
	s := mustOpen(t, filetest.Folder(t), Options{Connections: connections, Page: true})
	address, stop := listen(t, s)
	var crowd []net.Conn
	seen := 0
	for n := range viewers {
		crowd = append(crowd, dial(t, address, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"))
		if n == 0 && status(t, crowd[0], 5*time.Second) == 200 { // the server may be slow to begin, and lose the others
			seen++
		}
	}
	for range bodies {
		crowd = append(crowd, dial(t, address, "POST /v1/learn HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"))
	}
	c := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	began := time.Now()
	for n := range 10 {
		status, answer, err := post(c, "http://"+address+"/v1/learn", learnBody(n), "")
		if err != nil || status != 200 {
			t.Fatalf("%d %s, %v", status, answer, err)
		}
	}
	took := time.Since(began)
	for _, c := range crowd[1:viewers] { // the others are told that there are too many, or have lost their places
		filetest.Check(t, c.SetReadDeadline(time.Now().Add(5*time.Second)))
		if line, err := bufio.NewReader(c).ReadString('\n'); err == nil && strings.Contains(line, " 200 ") {
			seen++
		}
	}
	t.Logf("ten requests took %v; %d viewers", took, seen)
	if seen == 0 || seen > s.options.Connections/4 {
		t.Errorf("%d viewers of %d connections", seen, s.options.Connections)
	}
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
	body := learnBody(1)
	c := dial(t, address, "POST /v1/learn HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+body[:10])
	time.Sleep(50 * time.Millisecond)
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	time.Sleep(50 * time.Millisecond)
	filetest.Must(io.WriteString(c, body[10:]))(t)
	if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.Contains(line, "200") {
		t.Errorf("the request under way is answered %q, %v", line, err)
	}
	filetest.Check(t, <-stopped)
	if _, err := net.Dial("tcp", address); err == nil {
		t.Error("the server still listens")
	}
	if rows := saved(t, folder).Rows(); rows != 1 {
		t.Errorf("%d rows", rows)
	}
	if !strings.Contains(log.String(), "serving ") || !strings.HasSuffix(strings.TrimSpace(log.String()), "keeps 1 row") {
		t.Errorf("the log: %s", &log)
	}
	refused(t, s, 503, "the server stops", "POST", "/v1/learn", learnBody(2))
	if got := call(t, s, "GET", "/readyz", ""); got.status != 503 {
		t.Errorf("readyz: %d", got.status)
	}
}

// TestTLS: with a certificate the server speaks TLS, and nothing else.
func TestTLS(t *testing.T) {
	key := filetest.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	certificate := filetest.Must(x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key))(t)
	parsed := filetest.Must(x509.ParseCertificate(certificate))(t)
	var log lines
	s := mustOpen(t, filetest.Folder(t), Options{Log: log.add, TLS: &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}}}})
	address, stop := listen(t, s)
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}}
	if status, _, err := post(c, "https://"+address+"/v1/learn", learnBody(1), ""); err != nil || status != 200 {
		t.Errorf("%d, %v", status, err)
	}
	if status, _, err := post(client(1), "http://"+address+"/v1/learn", learnBody(1), ""); err == nil && status == 200 {
		t.Error("the server also speaks without TLS")
	}
	c.CloseIdleConnections()
	filetest.Check(t, stop())
	if strings.Contains(log.String(), "warning") {
		t.Errorf("the log: %s", &log)
	}
}
