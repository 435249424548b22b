package cluster

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/clustertest"
)

// A feeder that died resumes after its last chunk. Feeding again adds nothing.
func TestFeederResumes(t *testing.T) {
	t.Parallel()
	l := newPlace(t).log()
	filetest.Check(t, l.Create(t.Context(), startState()))
	died := errors.New("the feeder died")
	err := l.Feed(t.Context(), func(number uint64) ([]byte, error) {
		if number == 10 {
			return nil, died
		}
		return clustertest.Chunk(number, numRows, chunkRows), nil
	})
	if !errors.Is(err, died) {
		t.Fatal(err)
	}
	wantFed(t, l, 9, false)
	for range 2 {
		filetest.Check(t, l.Feed(t.Context(), chunks(numRows)))
	}
	wantFed(t, l, numChunks, true)
	learnAll(t, l)
}

// Answers are lost while the server is away. The feeder sends again what was not stored, and nothing twice.
func TestFeederOutlivesServer(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l := p.log()
	filetest.Check(t, l.Create(t.Context(), startState()))
	err := l.Feed(t.Context(), func(number uint64) ([]byte, error) {
		if number == 10 {
			l.NATS.Close()
		}
		return chunks(numRows)(number)
	})
	if err == nil {
		t.Fatal("feeding went on without a connection")
	}
	l = p.log()
	filetest.Check(t, l.Feed(t.Context(), chunks(numRows)))
	learnAll(t, l)
}

// wantFed checks the number of chunks that were fed, and whether the rows have ended.
func wantFed(t *testing.T, l *Log, chunks uint64, ended bool) {
	t.Helper()
	if s := filetest.Must(l.Status(t.Context()))(t); s.Chunks != chunks || s.Ended != ended {
		t.Fatalf("%d chunks are fed, the rows have ended: %v; want %d and %v", s.Chunks, s.Ended, chunks, ended)
	}
}

// cutting returns the source of the stream's rows in chunks of a size, after the rows that the log has, as a feeder of a pipe cuts them.
func cutting(t *testing.T, l *Log, size uint64) func(uint64) ([]byte, error) {
	var row uint64
	for number := range filetest.Must(l.lastSequence(t.Context(), l.o.rowsStream()))(t) {
		b := filetest.Must(l.Chunk(t.Context(), number+1))(t)
		n, _, _ := clustertest.Count(b)
		row += n
	}
	return func(uint64) ([]byte, error) {
		b := clustertest.Chunk(1, min(row+size, numRows), numRows)[row*24:]
		if row = min(row+size, numRows); len(b) == 0 {
			return nil, io.EOF
		}
		return b, nil
	}
}

// until returns the chunks up to a number. There the feeder calls there, and continues if it returns nil.
func until(number uint64, there func() error, next func(uint64) ([]byte, error)) func(uint64) ([]byte, error) {
	return func(n uint64) ([]byte, error) {
		if n == number {
			if err := there(); err != nil {
				return nil, err
			}
		}
		return next(n)
	}
}

// wantRows checks that the log has each row of the input once, in order, and has ended.
func wantRows(t *testing.T, l *Log) {
	t.Helper()
	s := filetest.Must(l.Status(t.Context()))(t)
	if !s.Ended {
		t.Fatal("the rows have not ended")
	}
	var rows []byte
	for number := range s.Chunks {
		rows = append(rows, filetest.Must(l.Chunk(t.Context(), number+1))(t)...)
	}
	if !bytes.Equal(rows, clustertest.Chunk(1, numRows, numRows)) {
		t.Error("the log has other rows than the input")
	}
}

// A feeder sleeps at a chunk, and its successor feeds some chunks with other cuts. Then both continue. The log has each row once, in order,
// and only the successor feeds.
func TestTwoFeeders(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	errPause := errors.New("it pauses")
	runs := 3
	if filetest.Long() {
		runs = 40
	}
	for run := range runs {
		sleep, successors := uint64(1+run%8), uint64(1+run%5)
		t.Run(fmt.Sprint(run), func(t *testing.T) {
			name := func(o *Options) { o.Name = fmt.Sprintf("two-%d", run) }
			l, other := p.log(name), p.log(name)
			filetest.Check(t, l.Create(t.Context(), startState()))
			feedOther := func() error {
				err := other.Feed(t.Context(), until(sleep+successors, func() error { return errPause }, cutting(t, other, 30)))
				if !errors.Is(err, errPause) {
					t.Errorf("the successor ends with %v", err)
				}
				return nil
			}
			slept := l.Feed(t.Context(), until(sleep, feedOther, cutting(t, l, 50)))
			filetest.WantError(t, slept, "another feeder feeds this belief now")
			filetest.Check(t, other.Feed(t.Context(), cutting(t, other, 30)))
			wantRows(t, l)
		})
	}
}

// A feeder that no longer owns the log stores no chunk and no end, even if no chunk was stored since.
func TestFeederOvertaken(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l, other := p.log(), p.log()
	filetest.Check(t, l.Create(t.Context(), startState()))
	takeOver := func() error {
		errPause := errors.New("it pauses")
		if err := other.Feed(t.Context(), func(uint64) ([]byte, error) { return nil, errPause }); !errors.Is(err, errPause) {
			t.Errorf("the successor ends with %v", err)
		}
		return nil
	}
	err := l.Feed(t.Context(), until(3, takeOver, chunks(numRows)))
	if !errors.Is(err, errOvertaken) {
		t.Errorf("the error is %v", err)
	}
	err = l.Feed(t.Context(), until(numChunks+1, takeOver, chunks(numRows)))
	if !errors.Is(err, errOvertaken) {
		t.Errorf("the error is %v", err)
	}
	wantFed(t, l, numChunks, false)
}

// sleeper is a connection that does something else before it sends a chunk.
type sleeper struct {
	jetstream.JetStream
	before func(chunk []byte)
}

func (s sleeper) PublishMsg(ctx context.Context, m *nats.Msg, o ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	s.before(m.Data)
	return s.JetStream.PublishMsg(ctx, m, o...)
}

// A feeder looked whether it owns the log, and slept before it sent its chunk. Its successor has stored a chunk there, or it finds the late
// chunk when it sends its own. Each says what happened, and no row is lost or comes twice.
func TestFeederSleepsBeforeItSends(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l, other := p.log(), p.log()
	filetest.Check(t, l.Create(t.Context(), startState()))
	errPause := errors.New("it pauses")
	js, sent := l.JS, 0
	l.JS = sleeper{js, func([]byte) {
		if sent++; sent == 3 {
			err := other.Feed(t.Context(), until(5, func() error { return errPause }, cutting(t, other, 30)))
			if !errors.Is(err, errPause) {
				t.Errorf("the successor ends with %v", err)
			}
		}
	}}
	filetest.WantError(t, l.Feed(t.Context(), cutting(t, l, 50)), "feeding chunk 3", "another feeder feeds this belief now")
	if sent != 3 {
		t.Errorf("the feeder went on to send %d chunks", sent)
	}

	l.JS = sleeper{js, func([]byte) { // a late chunk of a feeder that no longer owns the log
		if sent++; sent == 5 {
			late := &nats.Msg{Subject: l.o.rowsSubject(), Data: filetest.Must(cutting(t, other, 10)(0))(t), Header: nats.Header{feederHeader: {"2"}}}
			filetest.Must(js.PublishMsg(t.Context(), late))(t)
		}
	}}
	filetest.WantError(t, l.Feed(t.Context(), cutting(t, l, 50)), "which feeder 2 sent late", "start this feeder again")
	filetest.Check(t, l.Feed(t.Context(), cutting(t, l, 50)))
	wantRows(t, l)
}

// The log of rows loses its end while a feeder runs.
func TestRowsLoseTheirEnd(t *testing.T) {
	t.Parallel()
	l := newPlace(t).log()
	filetest.Check(t, l.Create(t.Context(), startState()))
	lose := func() error {
		var kept [][]byte
		for number := range uint64(5) {
			kept = append(kept, filetest.Must(l.Chunk(t.Context(), number+1))(t))
		}
		filetest.Check(t, l.JS.DeleteStream(t.Context(), l.o.rowsStream()))
		filetest.Check(t, l.createStreams(t.Context()))
		for _, b := range kept {
			filetest.Must(l.JS.Publish(t.Context(), l.o.rowsSubject(), b))(t)
		}
		return nil
	}
	err := l.Feed(t.Context(), until(10, lose, chunks(numRows)))
	filetest.WantError(t, err, "the log of rows ends at chunk 5, but chunk 9 was stored: the log has lost its end")
	filetest.Check(t, l.Feed(t.Context(), chunks(numRows)))
	wantRows(t, l)
}

// The start state is written once.
func TestCreateTwice(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l := p.log()
	for range 2 {
		filetest.Check(t, l.Create(t.Context(), startState()))
	}
	other := startState()
	other.Rows = 1
	filetest.WantError(t, p.log().Create(t.Context(), other), "started from another state")
	other.Position = 1
	filetest.WantError(t, l.Create(t.Context(), other), "a start state has folded none")
	three := p.log(func(o *Options) { o.Replicas = 3 })
	filetest.WantError(t, three.Create(t.Context(), startState()), "with 1 replicas")
	fresh := p.log(func(o *Options) { o.Name, o.Replicas = "fresh", 3 })
	filetest.WantError(t, fresh.Create(t.Context(), startState()), "3 need a cluster of three servers")
}

// Without a belief a reader waits, and the status is an error.
func TestBeliefMissing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l := p.log()
	_, err := l.Status(t.Context())
	filetest.WantError(t, err, "the belief does not exist")
	_, err = l.Replay(t.Context(), clustertest.Open)
	filetest.WantError(t, err, "the belief does not exist")
	followed := make(chan error, 1)
	go func() {
		_, err := l.Follow(t.Context(), clustertest.Open)
		followed <- err
	}()
	filetest.Check(t, p.log().Create(t.Context(), startState()))
	filetest.Check(t, <-followed)
}

// The logs outlive their server.
func TestServerRestarts(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l := p.fed()
	f := learnAll(t, l)
	filetest.Check(t, f.save(t.Context()))
	want := bytesOf(t, f)
	l.Close()
	p.stop()
	p.startServer()
	l = p.log()
	filetest.Check(t, l.Create(t.Context(), startState()))
	g := follow(t, t.Context(), l)
	if v := complete(t, l, g); v.Checkpoint != numChunks {
		t.Errorf("the checkpoint is at %d", v.Checkpoint)
	}
	if string(bytesOf(t, g)) != string(want) {
		t.Error("the belief is another one")
	}
}

func TestBadNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "Adult", "a.b", "a b", "a*", "a>", "-a", "_a", "ä", "a/b", strings.Repeat("a", 65)} {
		_, err := Connect(t.Context(), Options{Name: name, URLs: "nats://127.0.0.1:1"})
		filetest.WantError(t, err, "use 1 to 64 lower-case letters")
	}
	for _, name := range []string{"a", "adult-2_x", "9", strings.Repeat("a", 64)} {
		filetest.Check(t, (Options{Name: name, URLs: "nats://127.0.0.1:1"}).validate())
	}
}

func TestBadOptions(t *testing.T) {
	t.Parallel()
	for words, o := range map[string]Options{
		"use 1 for a single server":        {Name: "a", Replicas: 2},
		"use a positive time":              {Name: "a", AckWait: -1},
		"give one of username with":        {Name: "a", Token: "t", Username: "u"},
		"there are no server URLs":         {Name: "a"},
		"the connection: the servers did ": {Name: "a", URLs: "nats://127.0.0.1:1"}, // nobody listens on port 1
	} {
		ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, err := Connect(ctx, o)
		stop()
		filetest.WantError(t, err, words)
	}
	for words, s := range map[string]Server{
		"needs a folder":         {},
		"choose auto, always or": {Folder: "x", Sync: "never"},
		"no host:port":           {Folder: "x", Address: "localhost"},
		"the port of":            {Folder: "x", Address: "localhost:http"},
		"the configuration none": {Folder: "x", Config: "none"},
		"unknown field":          {Folder: "x", Config: file(t, "usr: gophe")},
	} {
		_, _, err := s.Start()
		filetest.WantError(t, err, words)
	}
}

// A call gives up after the log's patience, without a server from the beginning and without the server that was there.
func TestPatience(t *testing.T) {
	t.Parallel()
	patience := 50 * time.Millisecond
	_, err := Connect(t.Context(), Options{Name: "a", URLs: "nats://127.0.0.1:1", Patience: patience}) // nobody listens on port 1
	filetest.WantError(t, err, "the servers did not answer for 50ms; start them")
	p := newPlace(t)
	filetest.Check(t, p.log().Create(t.Context(), startState()))
	l := p.log(func(o *Options) { o.Patience = patience })
	p.stop()
	_, err = l.Status(t.Context())
	filetest.WantError(t, err, "the servers did not answer for 50ms; start them")
}

// file writes a file and returns its path.
func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	filetest.Check(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// secured returns a configuration that wants a certificate and a password of clients, a certificate for 127.0.0.1 that signs itself, and a
// pool that trusts it.
func secured(t *testing.T) (config string, mine tls.Certificate, pool *x509.CertPool) {
	t.Helper()
	key := filetest.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der := filetest.Must(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))(t)
	secret := filetest.Must(x509.MarshalPKCS8PrivateKey(key))(t)
	certificate := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	certificates := file(t, certificate)
	keys := file(t, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})))
	pool = x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(certificate))
	mine = filetest.Must(tls.LoadX509KeyPair(certificates, keys))(t)
	return fmt.Sprintf("authorization { user: phe, password: secret }\ntls { cert_file: %q, key_file: %q, ca_file: %q, verify: true }", certificates, keys, certificates),
		mine, pool
}

// With TLS and a password only those who know both get in, and the belief is learned as without.
func TestTLSAndPassword(t *testing.T) {
	t.Parallel()
	config, mine, pool := secured(t)
	url, stop, err := Server{Folder: t.TempDir(), Address: "127.0.0.1:0", Sync: "later", Config: file(t, config)}.Start()
	filetest.Check(t, err)
	t.Cleanup(stop)
	good := Options{Name: "test", URLs: url, Username: "phe", Password: "secret",
		TLS: &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{mine}}}
	l := filetest.Must(Connect(t.Context(), good))(t)
	t.Cleanup(l.Close)
	filetest.Check(t, l.Create(t.Context(), startState()))
	filetest.Check(t, l.Feed(t.Context(), chunks(numRows)))
	learnAll(t, l)
	for name, change := range map[string]func(*Options){
		"another password":  func(o *Options) { o.Password = "guess" },
		"no certificate":    func(o *Options) { o.TLS = &tls.Config{RootCAs: pool} },
		"an unknown server": func(o *Options) { o.TLS = &tls.Config{Certificates: []tls.Certificate{mine}} },
		"no TLS":            func(o *Options) { o.TLS = nil },
	} {
		o := good
		change(&o)
		_, err := Connect(limited(t), o)
		if err == nil {
			t.Errorf("%s: connected", name)
			continue
		}
		t.Logf("%s: %v", name, err)
		filetest.WantError(t, err, "the servers refuse the connection")
	}
}
