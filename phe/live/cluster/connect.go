package cluster

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/pkg/errors"
)

// Log is one belief's place on a server or cluster. Its methods may run concurrently.
type Log struct {
	o  Options
	nc *nats.Conn
	js jetstream.JetStream

	mu      sync.Mutex
	kv      jetstream.KeyValue // nil until the belief was found
	objects jetstream.ObjectStore
	session context.Context // ends with the connection, and so do the calls under way: they start again
	end     func()          // ends the session
	waiting atomic.Bool     // the log was told that calls wait
}

// Connect connects to the servers of Options.URLs. It tries until ctx ends, and returns an error at once if the servers refuse the
// certificate or the credentials. A lost connection comes back by itself.
func Connect(ctx context.Context, o Options) (*Log, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	l := &Log{o: o.withDefaults(), end: func() {}}
	l.newSession()
	err := l.retryWithin(ctx, "the connection", callTimeout, func(context.Context) (err error) {
		l.nc, err = nats.Connect(o.URLs, l.setConnection)
		if refused(err) {
			return permanent{errors.Wrap(err, "the servers refuse the connection; check the certificate, the username and the password")}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	l.js, err = jetstream.New(l.nc, jetstream.WithDefaultTimeout(callTimeout))
	return l, errors.Wrap(err, "opening JetStream")
}

// setConnection sets the options of a connection that comes back by itself.
func (l *Log) setConnection(c *nats.Options) error {
	o := l.o
	c.Name, c.MaxReconnect, c.ReconnectWait = "phe "+o.Name, -1, 100*time.Millisecond
	c.Timeout, c.PingInterval = callTimeout, 5*time.Second
	c.ReconnectBufSize = -1 // a call that fails at once is tried again; a call in a buffer would wait for its time limit
	c.DisconnectedErrCB = func(*nats.Conn, error) { l.newSession() }
	c.AsyncErrorCB = func(_ *nats.Conn, _ *nats.Subscription, err error) { o.Log("NATS: " + err.Error()) }
	c.TLSConfig, c.Secure = o.TLS, o.TLS != nil
	c.User, c.Password, c.Token = o.Username, o.Password, o.Token
	if o.CredentialsFile != "" {
		return nats.UserCredentials(o.CredentialsFile)(c)
	}
	return nil
}

// refused reports whether trying again cannot help.
func refused(err error) bool {
	for _, refusal := range []error{nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrSecureConnRequired, nats.ErrSecureConnWanted} {
		if errors.Is(err, refusal) {
			return true
		}
	}
	var alert *net.OpError
	return errors.As(err, new(*tls.CertificateVerificationError)) ||
		errors.As(err, &alert) && alert.Op == "remote error" // the other side ends the handshake
}

// Close ends the connection. Followers and learners of the log end too.
func (l *Log) Close() { l.nc.Close() }
