package cluster

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/pkg/errors"

	"gophe/phe/internal/fold"
)

// ensureEvery is the time between two checks of the consumer that gives out chunks.
const ensureEvery = time.Second

// ensure makes sure that the consumer that gives out chunks exists. It is durable, and all learners of a belief share it. Unless
// forced, ensure asks the server once a second.
func (l *learner) ensure(ctx context.Context, force bool) error {
	if !force && time.Since(l.ensured) < ensureEvery {
		return nil
	}
	l.ensured = time.Now()
	log, rows := l.log, l.log.o.rowsStream()
	err := log.retry(ctx, "the consumer of chunks", func(ctx context.Context) (err error) {
		l.consumer, err = log.js.Consumer(ctx, rows, learnersConsumer)
		if errors.Is(err, jetstream.ErrConsumerNotFound) {
			l.consumer, err = log.js.CreateConsumer(ctx, rows, l.consumerConfig())
		}
		if errors.Is(err, jetstream.ErrConsumerExists) { // another learner was first, and found another ledger
			l.consumer, err = log.js.Consumer(ctx, rows, learnersConsumer)
		}
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			err = errLost
		}
		return err
	})
	if err != nil {
		return err
	}
	return l.repair(ctx, l.consumer.CachedInfo())
}

// consumerConfig returns a new consumer. It gives out one chunk at a time, and begins after the chunks that the ledger has without a gap.
func (l *learner) consumerConfig() jetstream.ConsumerConfig {
	c := jetstream.ConsumerConfig{Durable: learnersConsumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: l.log.o.AckWait,
		MaxAckPending: 1, DeliverPolicy: jetstream.DeliverAllPolicy}
	l.follower.Read(func(s *fold.State) {
		if s.Ledger.Low > 0 {
			c.DeliverPolicy, c.OptStartSeq = jetstream.DeliverByStartSequencePolicy, s.Ledger.Low+1
		}
	})
	return c
}

// repair starts the consumer anew if it has given out everything and the ledger still lacks chunks. The log of contributions may have
// lost its end, or a chunk was acknowledged and never learned.
func (l *learner) repair(ctx context.Context, info *jetstream.ConsumerInfo) error {
	log := l.log
	if info.NumAckPending > 0 {
		return nil
	}
	var next uint64
	l.follower.Read(func(s *fold.State) { next = s.Ledger.Low + 1 })
	if err := log.missing(ctx, log.o.rowsStream(), next); err != nil || info.NumPending > 0 {
		return err
	}
	// A chunk is acknowledged after its contribution was published. So every acknowledged chunk is in the log up to here.
	end, err := log.lastSequence(ctx, log.o.contributionsStream())
	if err != nil {
		return err
	}
	var missing uint64
	l.follower.Read(func(s *fold.State) {
		if s.Position >= end && s.Ledger.Low < info.Delivered.Stream {
			missing = s.Ledger.Low + 1
		}
	})
	if missing == 0 {
		return nil
	}
	log.o.Log(fmt.Sprintf("chunk %d was given out and acknowledged, and the belief lacks it; the chunks are given out again", missing))
	if err := log.ForgetDeliveries(ctx); err != nil {
		return err
	}
	return l.ensure(ctx, true)
}
