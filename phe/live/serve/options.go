package serve

import (
	"cmp"
	"crypto/tls"
	"time"

	"gophe/phe/live/driver"

	"github.com/pkg/errors"
)

// Options say how a server behaves. The zero value of each field is its default. Checkpoint, Keys, Waiting and WaitingRows do not matter to
// a server that follows.
type Options struct {
	// Token is the token that a client must send in the header "Authorization: Bearer TOKEN". If it is empty, clients need none. The
	// server then answers requests for this machine's own names only, unless AnyHost is set.
	Token   string
	AnyHost bool
	TLS     *tls.Config // nil: no encryption

	Limits
	Drain time.Duration // time for which a server that stops still answers, and is not ready; 0
	// Checkpoint is the time between two checkpoints; 10 s. Nothing is lost by a long time, but a start after a kill takes longer.
	Checkpoint time.Duration
	// Keys bounds the number of answers that are kept for retries; 100,000. The oldest answers are forgotten, also when these answers and
	// their keys have more than 32 MiB.
	Keys int
	// ReadOnly makes a server that only forecasts, takes no lock and changes no file. Each request sees the newest checkpoint, as Peek.
	ReadOnly bool
	// LoseJournal begins a new journal if the old one is damaged or missing, and loses the requests that only the old one has. Without it
	// Open returns an error.
	LoseJournal bool
	// Settings are those by which Open begins a model, which keeps them. The settings of a model that exists must be the same.
	Settings driver.Settings
	// Waiting and WaitingRows replace the model's limits of the same names in stream.Options, now and for later starts; 0 keeps them.
	Waiting     int
	WaitingRows int64

	// Page shows a live page at /, in place of a list of the paths.
	Page bool
	// Log is called with a line for people about each start, stop and warning. It may be nil.
	Log func(line string)
	// Access is called with a line about each request. It may be nil.
	Access func(line string)
}

// Limits bound what requests may take. The zero value of each field is its default.
type Limits struct {
	MaxBody     int64         // bytes of a request's body; 1 MiB
	BodyMemory  int64         // bytes of memory of all bodies, each twice its size; the slowest is dropped if it is short. 64 MiB
	MaxRecords  int           // records of a request; 1,000
	Queue       int           // requests that may wait or be under way; a further request is answered 429. 256
	Connections int           // open connections, a quarter of them for viewers; a further one takes an idle or slow one's place. 1,024
	Timeout     time.Duration // longest time of answering a request; 10 s
	ReadTimeout time.Duration // longest time of reading a request; 10 s
}

// Bounds of the options.
const (
	maxBody    = 4 << 20 // a record of the journal must hold the body and the fields that the body leaves out
	maxRecords = 100_000
	maxQueue   = 1 << 20 // it takes memory at once
	maxFields  = 4 << 20 // records times columns; a record takes memory for the fields that it leaves out
	minToken   = 16      // characters
	maxKey     = 200
	maxID      = 500

	minRoom     = 64 << 20 // for records that wait for their labels
	maxKeyBytes = 32 << 20 // of the answers that are kept for retries, and their keys
)

func (o Options) withDefaults() Options {
	o.MaxBody = cmp.Or(o.MaxBody, 1<<20)
	o.BodyMemory = cmp.Or(o.BodyMemory, 64<<20)
	o.MaxRecords = cmp.Or(o.MaxRecords, 1000)
	o.Queue = cmp.Or(o.Queue, 256)
	o.Connections = cmp.Or(o.Connections, 1024)
	o.Timeout = cmp.Or(o.Timeout, 10*time.Second)
	o.ReadTimeout = cmp.Or(o.ReadTimeout, 10*time.Second)
	o.Checkpoint = cmp.Or(o.Checkpoint, 10*time.Second)
	o.Keys = cmp.Or(o.Keys, 100_000)
	if o.Log == nil {
		o.Log = func(string) {}
	}
	return o
}

// validate returns the first thing wrong with the options and what would be right.
func (o Options) validate() error {
	switch {
	case o.MaxBody < 0 || o.MaxBody > maxBody:
		return errors.Errorf("a body may have %d bytes; give 1 to %d", o.MaxBody, maxBody)
	case o.BodyMemory < 2*o.MaxBody+4*chunk:
		return errors.Errorf("all bodies may take %d bytes of memory; give at least %d, for the largest body and its copy",
			o.BodyMemory, 2*o.MaxBody+4*chunk)
	case o.MaxRecords < 0 || o.MaxRecords > maxRecords:
		return errors.Errorf("a request may have %d records; give 1 to %d", o.MaxRecords, maxRecords)
	case o.Waiting < 0 || o.WaitingRows < 0:
		return errors.Errorf("%d records may wait for their labels, for %d rows; give 1 or more, or 0 to keep the model's limits",
			o.Waiting, o.WaitingRows)
	case o.Queue < 0 || o.Queue > maxQueue || o.Connections < 0 || o.Keys < 0:
		return errors.Errorf("the queue is %d, at most %d, connections %d and keys %d; none may be negative", o.Queue, maxQueue,
			o.Connections, o.Keys)
	case o.Timeout < 0 || o.ReadTimeout < 0 || o.Checkpoint < 0 || o.Drain < 0:
		return errors.Errorf("the timeouts are %s and %s, checkpoints come every %s, and the drain takes %s; none may be negative",
			o.Timeout, o.ReadTimeout, o.Checkpoint, o.Drain)
	case o.Token != "" && len(o.Token) < minToken:
		return errors.Errorf("the token has %d characters; take at least %d that nobody can guess, such as those of `openssl rand -hex 20`",
			len(o.Token), minToken)
	}
	return nil
}
