package cluster

import (
	"context"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"gophe/phe/live/broker"
)

// Status describes a belief on the servers.
type Status struct {
	Name          string
	Chunks        uint64 // chunks of rows that were fed
	Ended         bool   // the stream of rows has ended
	RowsBytes     uint64
	Contributions uint64 // number of the last contribution of the log
	First         uint64 // number of the first one that is still there
	LogBytes      uint64
	Checkpoint    uint64    // contributions that the newest checkpoint has folded
	Saved         time.Time // when it was stored; zero if there is none
	Behind        uint64    // contributions that a new follower folds after the checkpoint
	Learners      Deliveries
	Replicas      int
	Leader        string // server that orders the contributions; empty without a cluster
	Peers         []Peer // the other servers that store them
}

// Deliveries are the chunks that the consumer gives out to learners.
type Deliveries struct {
	Waiting     uint64 // chunks that were not given out yet
	InHand      int    // chunks that learners have
	Redelivered int    // chunks in hand that were given out more than once
}

// Peer is a server that stores a copy of the log.
type Peer struct {
	Name    string
	Current bool // it has the whole log
	Lag     uint64
}

// Status asks the servers. It returns an error if the belief does not exist.
func (l *Log) Status(ctx context.Context) (*Status, error) {
	if err := l.find(ctx); err != nil {
		return nil, err
	}
	rows, err := l.streamInfo(ctx, l.o.rowsStream())
	if err != nil {
		return nil, err
	}
	fed, _, err := l.value(ctx, fedKey)
	if err != nil {
		return nil, err
	}
	log, err := l.streamInfo(ctx, l.o.contributionsStream())
	if err != nil {
		return nil, err
	}
	p, err := l.pointer(ctx)
	if err != nil {
		return nil, err
	}
	s := &Status{Name: l.o.Name, Chunks: rows.State.LastSeq, Ended: fed == strconv.FormatUint(rows.State.LastSeq, 10), RowsBytes: rows.State.Bytes,
		Contributions: log.State.LastSeq, First: log.State.FirstSeq, LogBytes: log.State.Bytes, Replicas: log.Config.Replicas,
		Checkpoint: p.Position, Saved: p.saved, Behind: max(log.State.LastSeq, p.Position) - p.Position}
	if log.Cluster != nil {
		s.Leader = log.Cluster.Leader
		for _, p := range log.Cluster.Replicas {
			s.Peers = append(s.Peers, Peer{p.Name, p.Current, p.Lag})
		}
	}
	s.Learners, err = l.deliveries(ctx)
	return s, err
}

// deliveries asks for the chunks that the consumer gives out. All is 0 before the first learner.
func (l *Log) deliveries(ctx context.Context) (d Deliveries, err error) {
	read := func(ctx context.Context) (jetstream.Consumer, error) {
		return l.JS.Consumer(ctx, l.o.rowsStream(), learnersConsumer)
	}
	consumer, err := broker.Ask(ctx, l.Conn, "reading the consumer of chunks", jetstream.ErrConsumerNotFound, read)
	if err == nil && consumer != nil {
		i := consumer.CachedInfo()
		d = Deliveries{i.NumPending, i.NumAckPending, i.NumRedelivered}
	}
	return d, err
}

// ForgetDeliveries deletes what the servers know of chunks given out and acknowledged. Learners then get every chunk that the ledger
// lacks. Only time depends on it.
func (l *Log) ForgetDeliveries(ctx context.Context) error {
	return l.Retry(ctx, "deleting the consumer of chunks", func(ctx context.Context) error {
		return broker.Except(l.JS.DeleteConsumer(ctx, l.o.rowsStream(), learnersConsumer), jetstream.ErrConsumerNotFound)
	})
}

// ForgetCheckpoint deletes the pointer to the newest checkpoint, such as a damaged one. The next follower folds the log from the start
// state, and the next keeper stores a new checkpoint.
func (l *Log) ForgetCheckpoint(ctx context.Context) error {
	if err := l.find(ctx); err != nil {
		return err
	}
	return l.Retry(ctx, "deleting the pointer to the checkpoint", func(ctx context.Context) error {
		return l.kv.Delete(ctx, pointerKey)
	})
}
