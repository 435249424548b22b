package broker

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/pkg/errors"
)

// A pull request can get lost, above all while a cluster elects leaders. By default a client notices it after 30 seconds.
const (
	PullExpiry    = jetstream.PullExpiry(2 * time.Second)
	heartbeat     = 500 * time.Millisecond
	PullHeartbeat = jetstream.PullHeartbeat(heartbeat)

	// Silence is the time without a message after which a reader asks whether the next one is there. A reader that waits no longer than two
	// heartbeats does not notice that its consumer is lost.
	Silence = 3 * heartbeat

	prefetchBytes = 16 << 20 // bounds the messages that wait to be read
)

// Stream asks the servers for a stream.
func (c *Conn) Stream(ctx context.Context, name string) (*jetstream.StreamInfo, error) {
	return Ask(ctx, c, "reading the log "+name, func(ctx context.Context) (*jetstream.StreamInfo, error) {
		stream, err := c.JS().Stream(ctx, name)
		if err != nil {
			return nil, err
		}
		return stream.CachedInfo(), nil
	})
}

// WarnOf warns of a stream that no server keeps on its disk.
func (c *Conn) WarnOf(s jetstream.StreamConfig) {
	if s.Storage == jetstream.MemoryStorage {
		c.Say(fmt.Sprintf("warning: the stream %s is in memory alone, and its messages are gone when the servers stop; copy it to disk: "+
			"nats stream add NAME --source %[1]s --storage file", s.Name))
	}
}

// IfThere returns the error of a message to a stream. If nobody answered since the stream was deleted, the error says so.
func (c *Conn) IfThere(ctx context.Context, name string, err error) error {
	if errors.Is(err, jetstream.ErrNoStreamResponse) {
		if _, gone := c.JS().Stream(ctx, name); errors.Is(gone, jetstream.ErrStreamNotFound) {
			return errors.Wrapf(gone, "%s is there no more; somebody has deleted it", name)
		}
	}
	return err
}

// Message returns a message of a stream, or the next one after it that the options admit.
func (c *Conn) Message(ctx context.Context, stream string, number uint64, o ...jetstream.GetMsgOpt) (*jetstream.RawStreamMsg, error) {
	what := fmt.Sprintf("reading message %d of %s", number, stream)
	return Ask(ctx, c, what, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
		s, err := c.JS().Stream(ctx, stream)
		if err != nil {
			return nil, err
		}
		return s.GetMsg(ctx, number, o...)
	})
}

// Messages reads a stream from a message's number on. It also returns the number of messages that the stream had from there on. The server
// forgets the consumer.
func (c *Conn) Messages(ctx context.Context, stream *jetstream.StreamInfo, from uint64) (messages jetstream.MessagesContext,
	there uint64, err error) {
	prefetch := 16
	if n := stream.State.Msgs; n > 0 {
		prefetch = max(2, min(512, int(prefetchBytes/(stream.State.Bytes/n+1))))
	}
	name := stream.Config.Name
	err = c.Retry(ctx, "reading the log "+name, func(ctx context.Context) error {
		consumer, err := c.JS().CreateConsumer(ctx, name, jetstream.ConsumerConfig{DeliverPolicy: jetstream.DeliverByStartSequencePolicy,
			OptStartSeq: from, AckPolicy: jetstream.AckNonePolicy, InactiveThreshold: 10 * time.Second, MemoryStorage: true, Replicas: 1})
		if err != nil {
			return err
		}
		there = consumer.CachedInfo().NumPending
		messages, err = consumer.Messages(jetstream.PullMaxMessages(prefetch), PullExpiry, PullHeartbeat)
		return err
	})
	return messages, there, err
}
