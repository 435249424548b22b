// Package broker connects to NATS servers. The connection comes back by itself, and calls over it outlive a lost connection, a lost answer
// and the death of a leader.
package broker

import (
	"context"
	"crypto/tls"
	"io/fs"
	"net"
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
	NATS *nats.Conn
	JS   jetstream.JetStream
	o    Options

	mu      sync.Mutex
	session context.Context // ends with the connection, and so do the calls under way: they start again
	end     func()          // ends the session
	waiting atomic.Bool     // the log was told that calls wait
	usual   atomic.Int64    // time of the longest of the last calls, in nanoseconds
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

// Scheme begins the address of something on NATS servers.
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
		all = append(all, Scheme+strings.TrimPrefix(host, Scheme))
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
	c := &Conn{o: o, end: func() {}}
	c.usual.Store(int64(CallTimeout / 20))
	c.newSession()
	err := c.Retry(ctx, "the connection", func(context.Context) (err error) {
		c.NATS, err = nats.Connect(o.URLs, c.setConnection)
		if refused(err) {
			return errors.Errorf("the servers refuse the connection; check the certificate, the username and the password: %v", err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	c.JS, err = jetstream.New(c.NATS, jetstream.WithDefaultTimeout(CallTimeout))
	return c, errors.Wrap(err, "opening JetStream")
}

// setConnection sets the options of a connection that comes back by itself.
func (c *Conn) setConnection(n *nats.Options) error {
	o := c.o
	n.Name, n.MaxReconnect, n.ReconnectWait = "phe "+o.Client, -1, 100*time.Millisecond
	n.Timeout, n.PingInterval = CallTimeout, 5*time.Second
	n.ReconnectBufSize = -1 // a call that fails at once is tried again; a call in a buffer would wait for its time limit
	n.DisconnectedErrCB = func(*nats.Conn, error) { c.newSession() }
	n.AsyncErrorCB = func(_ *nats.Conn, _ *nats.Subscription, err error) { o.Log("NATS: " + err.Error()) }
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

// refused reports whether trying again cannot help.
func refused(err error) bool {
	var alert *net.OpError
	return IsAny(err, nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrSecureConnRequired, nats.ErrSecureConnWanted) ||
		errors.As(err, new(*tls.CertificateVerificationError)) ||
		errors.As(err, &alert) && alert.Op == "remote error" // the other side ends the handshake
}

// Close ends the connection, and with it all that waits for messages.
func (c *Conn) Close() { c.NATS.Close() }

// Say says a line to the connection's log.
func (c *Conn) Say(line string) { c.o.Log(line) }
