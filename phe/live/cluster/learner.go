package cluster

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/pkg/errors"

	"gophe/phe/internal/fold"
	"gophe/phe/live/broker"
	advice "gophe/phe/remedy"
)

// LearnerMetrics count the work of a follower's learner.
type LearnerMetrics struct {
	Learned uint64 // chunks that it learned
	Known   uint64 // chunks that the ledger had already, so that nothing was learned
	Refused uint64 // contributions that were refused, so that their chunks were learned again
}

// learner takes chunks of rows, learns them from its follower's belief, and publishes what it learned.
type learner struct {
	log      *Log
	follower *Follower

	// These fields belong to run's goroutine.
	consumer jetstream.Consumer // gives out chunks
	ensured  time.Time          // when the consumer was last checked

	// Tests replace at, which is called at each place where a death matters, and let the learner die there. They also silence the signs of
	// life that keep a chunk in hand.
	at     func(place string)
	silent bool
}

// Learn learns chunks of rows from the follower's belief until ctx ends, and publishes what it learned. The follower waits while it learns.
// Learn returns an error if the follower stopped, a chunk cannot be learned, or a contribution was refused.
//
// One learner of a belief works at a time, on any machine, and the others wait. A learner may die at any time. If it had not published,
// another learner gets the chunk. If it had, the ledger has the chunk, and the next learner only acknowledges it.
func (f *Follower) Learn(ctx context.Context) error {
	return newLearner(f).run(ctx)
}

func newLearner(f *Follower) *learner {
	return &learner{log: f.log, follower: f, at: func(string) {}}
}

// run learns until ctx ends.
func (l *learner) run(ctx context.Context) (err error) {
	for err == nil && ctx.Err() == nil {
		err = l.learnChunks(ctx)
	}
	return errUnlessEnded(ctx, err)
}

// learnChunks learns chunks until the consumer is lost.
func (l *learner) learnChunks(ctx context.Context) error {
	if err := l.ensure(ctx, true); err != nil {
		return err
	}
	chunks, err := l.consumer.Messages(jetstream.PullMaxMessages(1), broker.PullExpiry, broker.PullHeartbeat)
	if err != nil {
		return errors.Wrap(err, "taking chunks")
	}
	defer chunks.Stop()
	defer context.AfterFunc(ctx, chunks.Stop)()
	for {
		m, err := chunks.Next(jetstream.NextMaxWait(ensureEvery))
		if err == nil {
			err = l.learn(ctx, m)
			if err != nil {
				return err
			}
		} else if !broker.Transient(err) {
			return l.follower.Err() // the consumer was deleted, or everything ends
		}
		if err := l.follower.Err(); err != nil {
			return err
		}
		if err := l.ensure(ctx, err != nil); err != nil {
			return err
		}
	}
}

// learn turns a chunk into a counted contribution, and acknowledges it.
func (l *learner) learn(ctx context.Context, m jetstream.Msg) error {
	meta, err := m.Metadata()
	if err != nil {
		return errors.Wrap(err, "a chunk")
	}
	learning, done := context.WithCancel(ctx)
	defer done()
	go l.keepInHand(learning, m, l.consumer.CachedInfo().Config.AckWait)
	l.at("pulled")
	if err := l.count(ctx, meta.Sequence.Stream, m.Data()); err != nil {
		return err
	}
	l.at("ruled")
	l.acknowledge(ctx, m)
	l.at("acknowledged")
	return nil
}

// acknowledge tells the servers that a chunk is done. If they do not answer, the chunk comes again, and the ledger has it.
func (l *learner) acknowledge(ctx context.Context, m jetstream.Msg) {
	for range 3 {
		if l.log.Once(ctx, broker.CallTimeout/5, m.DoubleAck) == nil || ctx.Err() != nil {
			return
		}
		broker.Sleep(ctx, 100*time.Millisecond)
	}
}

// keepInHand tells the server from time to time that the learner has a chunk, until ctx ends. wait is the AckWait of the consumer, which
// another learner may have made.
func (l *learner) keepInHand(ctx context.Context, m jetstream.Msg, wait time.Duration) {
	for {
		if broker.Sleep(ctx, max(wait/3, time.Millisecond)); ctx.Err() != nil {
			return
		}
		if !l.silent {
			_ = m.InProgress() // a lost sign of life makes another learner repeat the chunk, and the ledger knows
		}
	}
}

// count learns a chunk until the belief has it. A contribution is refused if the belief has changed meanwhile, and the chunk is then
// learned again. A refusal by the belief that it was learned from is final.
func (l *learner) count(ctx context.Context, chunk uint64, rows []byte) error {
	var c fold.Contribution
	for tried := false; ; tried = true {
		var known, final bool
		var err error
		l.follower.Read(func(s *fold.State) {
			done := &l.follower.metrics.Learner
			known, final = s.Ledger.Has(chunk), tried && s.Version == c.Base
			switch {
			case known && tried:
				done.Learned++
			case known:
				done.Known++
			case tried:
				done.Refused++
			}
			if !known && !final {
				c, err = s.Learn(chunk, rows)
			}
		})
		switch {
		case known:
			return nil
		case final:
			return errors.Errorf("the belief refuses what was learned from chunk %d: a number is not finite, or a variance would not be positive; "+
				"lower the learning rate or take another preset", chunk)
		case err != nil:
			return errors.WithMessage(err, "no learner can learn these rows, and the belief stands still until they are mended")
		}
		l.at("learned")
		if err := l.publish(ctx, c); err != nil {
			return err
		}
	}
}

// publish appends a contribution to the log, and waits until this process has folded it.
//
// The message's id names the chunk and the version of the prior. So the server drops a message that was sent twice, and keeps a
// contribution that was learned again from a newer prior.
func (l *learner) publish(ctx context.Context, c fold.Contribution) error {
	body, err := c.MarshalBinary()
	if err != nil {
		return err
	}
	var number uint64
	what := fmt.Sprintf("publishing the contribution of chunk %d", c.Chunk)
	err = l.log.RetryWithin(ctx, what, transferTimeout(len(body)), func(ctx context.Context) error {
		ack, err := l.log.JS.Publish(ctx, l.log.o.contributionsSubject(), body, jetstream.WithMsgID(fmt.Sprintf("%d.%d", c.Chunk, c.Base)))
		if err == nil {
			number = ack.Sequence
		}
		return err
	})
	if errors.Is(err, nats.ErrMaxPayload) {
		return advice.With("chunk", errors.Wrapf(err, "the contribution of chunk %d has %d bytes; "+
			"raise max_payload of the NATS servers, or begin the model again with smaller chunks", c.Chunk, len(body)))
	}
	if err != nil {
		return err
	}
	l.at("published")
	return l.follower.wait(ctx, func(s *fold.State) bool { return s.Position >= number })
}

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
	err := log.Retry(ctx, "the consumer of chunks", func(ctx context.Context) (err error) {
		l.consumer, err = log.JS.Consumer(ctx, rows, learnersConsumer)
		if errors.Is(err, jetstream.ErrConsumerNotFound) {
			l.consumer, err = log.JS.CreateConsumer(ctx, rows, l.consumerConfig())
		}
		if errors.Is(err, jetstream.ErrConsumerExists) { // another learner was first, and found another ledger
			l.consumer, err = log.JS.Consumer(ctx, rows, learnersConsumer)
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
