package cluster

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/pkg/errors"

	"gophe/phe/belief"
)

// tendEvery is the time between two looks of a learner at the consumer that gives out chunks.
const tendEvery = time.Second

// outlet is the durable consumer that gives out chunks. All learners share it on the servers, and each tends it.
type outlet struct {
	learner  *Learner
	consumer jetstream.Consumer
	tended   time.Time
}

// tend makes sure that the consumer exists. Unless forced it asks the server once a second.
func (o *outlet) tend(ctx context.Context, force bool) error {
	if !force && time.Since(o.tended) < tendEvery {
		return nil
	}
	o.tended = time.Now()
	l := o.learner.log
	var info *jetstream.ConsumerInfo
	err := l.again(ctx, "the consumer of chunks", func(ctx context.Context) error {
		consumer, err := l.js.Consumer(ctx, l.o.rowsStream(), learnersConsumer)
		if errors.Is(err, jetstream.ErrConsumerNotFound) {
			consumer, err = l.js.CreateConsumer(ctx, l.o.rowsStream(), o.config())
		}
		if errors.Is(err, jetstream.ErrConsumerExists) { // another learner was first, and found another ledger
			consumer, err = l.js.Consumer(ctx, l.o.rowsStream(), learnersConsumer)
		}
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			err = errLost
		}
		if err != nil {
			return err
		}
		info = consumer.CachedInfo()
		if info.Config.AckWait != l.o.AckWait {
			config := info.Config
			config.AckWait = l.o.AckWait
			if consumer, err = l.js.UpdateConsumer(ctx, l.o.rowsStream(), config); err != nil {
				return err
			}
			info = consumer.CachedInfo()
		}
		o.consumer = consumer
		return nil
	})
	if err != nil {
		return err
	}
	return o.mend(ctx, info)
}

// config returns a new consumer. It gives out one chunk at a time, and begins after the chunks that the ledger has without a gap.
func (o *outlet) config() jetstream.ConsumerConfig {
	c := jetstream.ConsumerConfig{Durable: learnersConsumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: o.learner.log.o.AckWait,
		MaxAckPending: 1, DeliverPolicy: jetstream.DeliverAllPolicy}
	o.learner.follower.Read(func(s *belief.State) {
		if s.Ledger.Low > 0 {
			c.DeliverPolicy, c.OptStartSeq = jetstream.DeliverByStartSequencePolicy, s.Ledger.Low+1
		}
	})
	return c
}

// mend starts the consumer anew if it has given out everything and the ledger still lacks chunks. That happens if the log of
// contributions lost its end, or if somebody acknowledged a chunk that nobody learned.
func (o *outlet) mend(ctx context.Context, info *jetstream.ConsumerInfo) error {
	l, f := o.learner.log, o.learner.follower
	if info.NumAckPending > 0 {
		return nil
	}
	var next uint64
	f.Read(func(s *belief.State) { next = s.Ledger.Low + 1 })
	if err := l.missing(ctx, l.o.rowsStream(), next); err != nil || info.NumPending > 0 {
		return err
	}
	// A chunk is acknowledged after its contribution was published. So every acknowledged chunk is in the log up to here.
	end, err := l.lastSequence(ctx, l.o.contributionsStream())
	if err != nil {
		return err
	}
	var missing uint64
	f.Read(func(s *belief.State) {
		if s.Position >= end && s.Ledger.Low < info.Delivered.Stream {
			missing = s.Ledger.Low + 1
		}
	})
	if missing == 0 {
		return nil
	}
	l.o.Log(fmt.Sprintf("chunk %d was given out and acknowledged, and the belief lacks it; the chunks are given out again", missing))
	if err := l.ForgetDeliveries(ctx); err != nil {
		return err
	}
	return o.tend(ctx, true)
}
