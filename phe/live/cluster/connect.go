package cluster

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"regexp"
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
			return errors.Errorf("the servers refuse the connection; check the certificate, the username and the password: %v", err)
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
	var alert *net.OpError
	return isAny(err, nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrSecureConnRequired, nats.ErrSecureConnWanted) ||
		errors.As(err, new(*tls.CertificateVerificationError)) ||
		errors.As(err, &alert) && alert.Op == "remote error" // the other side ends the handshake
}

// Close ends the connection. Followers and learners of the log end too.
func (l *Log) Close() { l.nc.Close() }

// defaultAckWait is the time after which the chunk of a silent learner goes to another one.
const defaultAckWait = 5 * time.Second

// Options say which belief a program shares, and where.
type Options struct {
	// Name of the belief: at most 64 lower-case letters, digits, hyphens and underscores. Capitals are not allowed, because some file
	// systems do not tell them apart.
	Name string
	// URLs of the servers, separated by commas, such as nats://host:4222.
	URLs string
	// Replicas is the number of servers that store each log: 1 or 3. 0 takes 1. Only Create reads it.
	Replicas int
	// AckWait is the time after which the chunk of a silent learner goes to another one. 0 takes 5 s. A learner that works
	// is not silent, however long it takes. Only the first learner of a belief sets it.
	AckWait time.Duration

	// Patience is the longest time that a call waits for servers that do not answer. 0 waits until the call's context ends.
	Patience time.Duration

	TLS                *tls.Config
	Username, Password string
	Token              string
	CredentialsFile    string // a NATS .creds file, with a user's JWT and key

	Log func(string) // receives a line when a call begins and ends to wait for the servers; may be nil
}

var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// validate returns an error that says what to change.
func (o Options) validate() error {
	if !nameForm.MatchString(o.Name) {
		return errors.Errorf("the belief's name is %q; use 1 to 64 lower-case letters, digits, hyphens and underscores, and "+
			"begin with a letter or digit", o.Name)
	}
	if o.Replicas != 0 && o.Replicas != 1 && o.Replicas != 3 {
		return errors.Errorf("there are %d replicas; use 1 for a single server and 3 for a cluster", o.Replicas)
	}
	if o.AckWait < 0 {
		return errors.Errorf("the wait for an acknowledgement is %v; use a positive time, or 0 for %v", o.AckWait, defaultAckWait)
	}
	user, token, file := o.Username+o.Password != "", o.Token != "", o.CredentialsFile != ""
	if user && token || user && file || token && file {
		return errors.New("give one of username with password, token, and credentials file")
	}
	if o.URLs == "" {
		return errors.New("there are no server URLs; give some such as nats://host:4222")
	}
	return nil
}

func (o Options) withDefaults() Options {
	o.Replicas, o.AckWait = cmp.Or(o.Replicas, 1), cmp.Or(o.AckWait, defaultAckWait)
	if o.Log == nil {
		o.Log = func(string) {}
	}
	return o
}

// The names of what a belief has on the servers. Each is a name of JetStream.

func (o Options) rowsStream() string           { return "phe_" + o.Name + "_rows" }
func (o Options) rowsSubject() string          { return "phe." + o.Name + ".rows" }
func (o Options) contributionsStream() string  { return "phe_" + o.Name + "_contributions" }
func (o Options) contributionsSubject() string { return "phe." + o.Name + ".contributions" }
func (o Options) bucket() string               { return "phe_" + o.Name } // of the key-value store and of the object store

// learnersConsumer is the durable consumer that gives out chunks.
const learnersConsumer = "learners"
