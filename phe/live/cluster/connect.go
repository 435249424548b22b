package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
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
	if o.URLs == "" {
		return nil, errors.New("there are no server URLs; give some such as nats://host:4222, or start a server in this process")
	}
	return connect(ctx, o)
}

func connect(ctx context.Context, o Options, more ...nats.Option) (*Log, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	l := &Log{o: o.withDefaults(), end: func() {}}
	l.newSession()
	options := append(l.connection(), more...)
	err := l.retryWithin(ctx, "the connection", callTimeout, func(context.Context) (err error) {
		l.nc, err = nats.Connect(o.URLs, options...)
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

// connection returns the options of a connection that comes back by itself.
func (l *Log) connection() []nats.Option {
	o := l.o
	options := []nats.Option{nats.Name("phe " + o.Name), nats.MaxReconnects(-1), nats.ReconnectWait(100 * time.Millisecond),
		nats.Timeout(callTimeout), nats.PingInterval(5 * time.Second),
		nats.ReconnectBufSize(-1), // a call that fails at once is tried again; a call in a buffer would wait for its time limit
		nats.DisconnectErrHandler(func(*nats.Conn, error) { l.newSession() }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { o.Log("NATS: " + err.Error()) })}
	if o.TLS != nil {
		options = append(options, nats.Secure(o.TLS))
	}
	if o.Username != "" || o.Password != "" {
		options = append(options, nats.UserInfo(o.Username, o.Password))
	}
	if o.Token != "" {
		options = append(options, nats.Token(o.Token))
	}
	if o.CredentialsFile != "" {
		options = append(options, nats.UserCredentials(o.CredentialsFile))
	}
	return options
}

// refused reports whether trying again cannot help.
func refused(err error) bool {
	var (
		authority   x509.UnknownAuthorityError
		host        x509.HostnameError
		invalid     x509.CertificateInvalidError
		certificate *tls.CertificateVerificationError
		alert       *net.OpError
	)
	return errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) || errors.Is(err, nats.ErrSecureConnRequired) ||
		errors.Is(err, nats.ErrSecureConnWanted) || errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid) ||
		errors.As(err, &certificate) || errors.As(err, &alert) && alert.Op == "remote error" // the other side ends the handshake
}

// Close ends the connection. Followers and learners of the log end too.
func (l *Log) Close() { l.nc.Close() }
