// Package broker connects to NATS servers. Another connection takes the place of a lost one, and calls outlive a lost connection, a lost
// answer and the death of a leader.
package broker

import (
	"cmp"
	"context"
	"crypto/tls"
	"io/fs"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/remedy"
)

// Conn is a connection. Its methods may run concurrently.
type Conn struct {
	o      Options
	life   context.Context // ends with Close
	end    func()
	dials  sync.Mutex            // one dial at a time
	line   atomic.Pointer[line]  // the newest connection
	failed atomic.Pointer[error] // why the last dial failed; nil after a connection
	told   atomic.Int32          // 1 if the log was told that calls wait; 2 if also that somebody must mend something
	usual  atomic.Int64          // time of the longest recent call, in nanoseconds
}

// line is one connection to a server.
type line struct {
	js   jetstream.JetStream
	gone context.Context // ends with the connection; calls under way then start again
}

// Options say where the servers are, and who connects.
type Options struct {
	// URLs of the servers, separated by commas, such as nats://host:4222. They hold no secret.
	URLs string
	// Client is the name by which the servers know the connection.
	Client string
	// Patience is the longest time that a call waits for servers that do not answer. 0 waits until the call's context ends.
	Patience time.Duration

	TLS                *tls.Config
	Username, Password string
	Token              string
	CredentialsFile    string // a NATS .creds file, with a user's JWT and key

	Log func(string) // receives a line when a call begins and ends to wait for the servers; may be nil
}

// Validate returns an error that says what to change. It repeats no secret.
func (o Options) Validate() error {
	user, token, file := o.Username+o.Password != "", o.Token != "", o.CredentialsFile != ""
	switch {
	case user && token || user && file || token && file:
		return errors.New("give one of username with password, token, and credentials file")
	case o.URLs == "":
		return errors.New("there are no server URLs; give some such as nats://host:4222")
	case strings.Contains(o.URLs, "@"):
		return errSecret
	}
	return nil
}

var errSecret = remedy.Errorf("secret",
	"the servers' address holds a user, a password or a token, and everybody who lists processes sees it; take it out")

// Scheme begins an address on NATS servers.
const Scheme = "nats://"

// Address splits an address such as nats://host:4222/sales into the servers' URLs and the name behind them. Several servers stand in a row
// with commas: nats://a:4222,b:4222,c:4222/sales.
func Address(address string) (urls, name string, err error) {
	rest := strings.TrimPrefix(address, Scheme)
	at := strings.LastIndex(rest, "/")
	switch {
	case strings.Contains(rest, "@"):
		return "", "", errSecret
	case at <= 0 || at == len(rest)-1 || strings.Contains(strings.ReplaceAll(rest[:at], ","+Scheme, ","), "/"):
		return "", "", errors.Errorf("the address %s names no stream of a server; write nats://HOST/STREAM, such as "+
			"nats://localhost:4222/sales", address)
	}
	var all []string
	for host := range strings.SplitSeq(rest[:at], ",") {
		server := Scheme + strings.TrimPrefix(host, Scheme)
		u, err := url.Parse(server)
		if err == nil && u.Port() != "" {
			_, err = strconv.ParseUint(u.Port(), 10, 16)
		}
		if err != nil || u.Hostname() == "" || strings.Contains(u.Hostname(), ":") != strings.HasPrefix(u.Host, "[") {
			return "", "", errors.Errorf("the address %s names no server %q; write it as HOST or HOST:PORT with a port up to 65535, "+
				"such as localhost:4222 or [::1]:4222", address, host)
		}
		all = append(all, server)
	}
	return strings.Join(all, ","), rest[at+1:], nil
}

// Connect connects to the servers. It tries until ctx ends, and returns an error at once if the servers refuse the certificate or the
// credentials.
func Connect(ctx context.Context, o Options) (*Conn, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	c := &Conn{o: o}
	c.life, c.end = context.WithCancel(context.Background())
	c.usual.Store(int64(CallTimeout / 20))
	return c, c.dial(ctx)
}

// dial makes the first connection, and a new one after each loss. NATS's own reconnection gives up at the second refused login, and at an
// error that it does not know.
func (c *Conn) dial(ctx context.Context) error {
	return c.Retry(ctx, "the connection", func(context.Context) error {
		c.dials.Lock()
		defer c.dials.Unlock()
		urls, was := c.o.URLs, c.JS()
		if c.failed.Load() != nil { // also servers of the cluster that nobody configured
			urls = strings.Join(was.Conn().Servers(), ",")
		}
		gone, lose := context.WithCancel(context.Background())
		conn, err := nats.Connect(urls, c.setConnection, nats.ClosedHandler(func(*nats.Conn) {
			for lose(); c.life.Err() == nil && c.dial(c.life) != nil; { // patience is for calls
			}
		}))
		switch {
		case err == nil:
			js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(CallTimeout))
			c.line.Store(&line{js, gone})
			c.failed.Store(nil)
			if c.life.Err() != nil {
				conn.Close()
			}
			return errors.Wrap(err, "opening JetStream")
		case was != nil: // the servers accepted this program, and may accept it again
			c.failed.Store(&err)
			return nats.ErrDisconnected
		case refused(err):
			return errors.New("the servers " + refusal + err.Error())
		}
		return err
	})
}

// JS returns JetStream over the newest connection.
func (c *Conn) JS() jetstream.JetStream {
	if l := c.line.Load(); l != nil {
		return l.js
	}
	return nil
}

// cause returns why the servers answer no call; nil if nothing is known.
func (c *Conn) cause() error {
	js, failed := c.JS(), c.failed.Load()
	switch {
	case js == nil || js.Conn().IsConnected() && !errors.Is(js.Conn().LastError(), nats.ErrPermissionViolation):
		return nil
	case failed != nil:
		return *failed
	}
	return cmp.Or(js.Conn().LastError(), nats.ErrDisconnected)
}

// Why says why the servers answer no call; empty if nothing is known.
func (c *Conn) Why() string {
	if err := c.cause(); err != nil {
		return "the servers do not answer: " + inWords(err)
	}
	return ""
}

// setConnection sets the options of a connection.
func (c *Conn) setConnection(n *nats.Options) error {
	o := c.o
	n.Name, n.AllowReconnect = "phe "+o.Client, false
	n.Timeout, n.PingInterval = CallTimeout, 5*time.Second
	n.AsyncErrorCB = func(_ *nats.Conn, _ *nats.Subscription, err error) {
		if !errors.Is(err, nats.ErrPermissionViolation) { // the call that waits says so
			o.Log("NATS: " + err.Error())
		}
	}
	n.TLSConfig, n.Secure = o.TLS, o.TLS != nil
	n.User, n.Password, n.Token = o.Username, o.Password, o.Token
	if o.CredentialsFile != "" {
		if _, err := disk.ReadFile(o.CredentialsFile, disk.MaxSettings); err != nil && !errors.Is(err, fs.ErrNotExist) { // "~/a.creds"
			return err
		}
		return nats.UserCredentials(o.CredentialsFile)(n)
	}
	return nil
}

const refusal = "refuse the connection; check the certificate, the username and the password: "

var logins = regexp.MustCompile(`(?i)authorization violation|authentication (expired|revoked)`)

// refused reports whether trying again cannot help.
func refused(err error) bool {
	var alert *net.OpError
	return logins.MatchString(err.Error()) || IsAny(err, nats.ErrSecureConnRequired, nats.ErrSecureConnWanted) ||
		errors.As(err, new(*tls.CertificateVerificationError)) ||
		errors.As(err, &alert) && alert.Op == "remote error" // the other side ends the handshake
}

// Close ends the connection and the readers that wait for messages.
func (c *Conn) Close() {
	c.end()
	c.JS().Conn().Close()
}

// Say says a line to the connection's log.
func (c *Conn) Say(line string) { c.o.Log(line) }
