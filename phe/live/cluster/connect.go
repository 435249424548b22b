package cluster

import (
	"cmp"
	"context"
	"crypto/tls"
	"regexp"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/pkg/errors"

	"gophe/phe/live/broker"
)

// Log is one belief's place on a server or cluster. Its methods may run concurrently.
type Log struct {
	*broker.Conn
	o Options

	mu      sync.Mutex
	kv      jetstream.KeyValue // nil until the belief was found
	objects jetstream.ObjectStore
}

// Connect connects to the servers of Options.URLs. It tries until ctx ends, and returns an error at once if the servers refuse the
// certificate or the credentials. A lost connection comes back by itself.
func Connect(ctx context.Context, o Options) (*Log, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	l := &Log{o: o.withDefaults()}
	var err error
	l.Conn, err = broker.Connect(ctx, broker.Options{URLs: o.URLs, Client: o.Name, Patience: o.Patience, TLS: o.TLS, Username: o.Username,
		Password: o.Password, Token: o.Token, CredentialsFile: o.CredentialsFile, Log: o.Log})
	return l, err
}

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
