// Package brokertest supplies the project's tests with NATS servers, and with lines to them that break.
package brokertest

import (
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
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/broker"
	"gophe/phe/live/cluster"
)

// Start starts a server on a free port. It leaves the time of writing to the system.
func Start(t testing.TB, folder string) (url string, stop func()) {
	t.Helper()
	url, stop, err := Try(folder)
	filetest.Check(t, err)
	t.Cleanup(stop)
	return url, stop
}

// Try starts a server whose folder may be damaged.
func Try(folder string) (url string, stop func(), err error) {
	return cluster.Server{Folder: folder, Address: "127.0.0.1:0", Sync: "later"}.Start()
}

// Dial connects to servers.
func Dial(t testing.TB, o broker.Options) *broker.Conn {
	t.Helper()
	if o.Log == nil {
		o.Log = func(line string) { t.Log(line) }
	}
	c := filetest.Must(broker.Connect(t.Context(), o))(t)
	t.Cleanup(c.Close)
	return c
}

// Stream creates a stream. A server that still clears the folder of a deleted stream of that name refuses at first.
func Stream(t testing.TB, conn *broker.Conn, config jetstream.StreamConfig) (s jetstream.Stream) {
	t.Helper()
	filetest.Check(t, conn.Retry(t.Context(), "creating "+config.Name, func(ctx context.Context) (err error) {
		s, err = conn.JS().CreateStream(ctx, config)
		return err
	}))
	return s
}

// freeAddresses returns addresses that are free.
func freeAddresses(t testing.TB, n int) (addresses []string) {
	t.Helper()
	for range n {
		l := filetest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
		defer l.Close() // after all are chosen, so that they differ
		addresses = append(addresses, l.Addr().String())
	}
	return addresses
}

// Nodes starts a cluster of three that wants a certificate and a password, from clients and from each other.
func Nodes(t testing.TB) (stops map[string]func(), o broker.Options) {
	t.Helper()
	secret, certificate, key := Secured(t)
	addresses := freeAddresses(t, 3)
	routes := "nats-route://phe:hush@" + strings.Join(addresses, ", nats-route://phe:hush@")
	stops = map[string]func(){}
	var urls []string
	for i, address := range addresses {
		name := fmt.Sprint("n", i)
		config := File(t, fmt.Sprintf("server_name: %s\n%s\ncluster {\nname: phe\nlisten: %q\nroutes: [%s]\n%s\n}\n", name, secret,
			address, routes, secret))
		url, stop, err := cluster.Server{Folder: t.TempDir(), Address: "127.0.0.1:0", Config: config}.Start()
		filetest.Check(t, err)
		t.Cleanup(stop)
		stops[name] = stop
		urls = append(urls, url)
	}
	return stops, broker.Options{URLs: strings.Join(urls, ","), Username: "phe", Password: "hush",
		TLS: Client(t, certificate, key)}
}

// File writes a file and returns its path.
func File(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	filetest.Check(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// Secured returns a configuration that wants a certificate and the password hush of clients, and the files of a certificate for 127.0.0.1
// that signs itself and of its key.
func Secured(t testing.TB) (config, certificate, key string) {
	t.Helper()
	private := filetest.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der := filetest.Must(x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private))(t)
	secret := filetest.Must(x509.MarshalPKCS8PrivateKey(private))(t)
	certificate = File(t, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	key = File(t, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})))
	return fmt.Sprintf("authorization { user: phe, password: hush }\ntls { cert_file: %q, key_file: %q, ca_file: %q, verify: true }",
		certificate, key, certificate), certificate, key
}

// Client returns the settings of a client that has a certificate, and trusts it.
func Client(t testing.TB, certificate, key string) *tls.Config {
	t.Helper()
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(filetest.Must(os.ReadFile(certificate))(t))
	return &tls.Config{Certificates: []tls.Certificate{filetest.Must(tls.LoadX509KeyPair(certificate, key))(t)}, RootCAs: pool}
}

// Line is a line to a server. It can break with an answer on it.
type Line struct {
	URL    string
	Answer atomic.Int64 // number of the answer that breaks the line, from now; 0: none
	Broken atomic.Int64 // number of times that the line broke
	Last   string       // what it brings in place of that answer, such as an error of NATS
}

// NewLine lays a line to the server of a URL, until the test ends.
func NewLine(t testing.TB, url string) *Line {
	t.Helper()
	at := filetest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	ctx, end := context.WithCancel(context.Background())
	t.Cleanup(func() { end(); at.Close() })
	l := &Line{URL: "nats://" + at.Addr().String()}
	go func() {
		for {
			client, err := at.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", strings.TrimPrefix(url, "nats://"))
			if err != nil {
				client.Close()
				continue
			}
			context.AfterFunc(ctx, func() { client.Close(); server.Close() })
			go func() {
				_, _ = io.Copy(server, client)
				server.Close()
			}()
			go func() {
				l.answer(client, server)
				client.Close()
				server.Close()
			}()
		}
	}()
	return l
}

// answer carries the answers until one breaks the line.
func (l *Line) answer(client, server net.Conn) {
	b := make([]byte, 64<<10)
	for {
		n, err := server.Read(b)
		if err != nil {
			return
		}
		if l.Answer.Load() > 0 && l.Answer.Add(-1) == 0 {
			_, _ = client.Write([]byte(l.Last)) // the client may have gone
			l.Broken.Add(1)
			return
		}
		if _, err := client.Write(b[:n]); err != nil {
			return
		}
	}
}
