package cluster

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/pkg/errors"
)

// fedKey holds the number of chunks of a stream of rows that has ended.
const fedKey = "fed"

// A feeder has at most feedWindow chunks, and at most feedBytes, that the servers have not confirmed.
const (
	feedWindow = 256
	feedBytes  = 16 << 20
)

// Fed returns the number of chunks that were fed, and whether the stream of rows has ended. A feeder goes on with chunk chunks+1.
func (l *Log) Fed(ctx context.Context) (chunks uint64, ended bool, err error) {
	if err := l.await(ctx); err != nil {
		return 0, false, err
	}
	chunks, err = l.lastSequence(ctx, l.o.rowsStream())
	if err != nil {
		return 0, false, err
	}
	err = l.again(ctx, "reading the end of the rows", func(ctx context.Context) error {
		entry, err := l.kv.Get(ctx, fedKey)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil
		}
		if err == nil {
			ended = string(entry.Value()) == strconv.FormatUint(chunks, 10)
		}
		return err
	})
	return chunks, ended, err
}

// lastSequence returns the number of the last message of a log.
func (l *Log) lastSequence(ctx context.Context, stream string) (last uint64, err error) {
	info, err := l.streamInfo(ctx, stream)
	if err != nil {
		return 0, err
	}
	return info.State.LastSeq, nil
}

func (l *Log) streamInfo(ctx context.Context, name string) (info *jetstream.StreamInfo, err error) {
	err = l.again(ctx, "reading the log "+name, func(ctx context.Context) error {
		stream, err := l.js.Stream(ctx, name)
		if err == nil {
			info = stream.CachedInfo()
		}
		return err
	})
	return info, err
}

// Feed appends chunks to the log of rows. next returns the chunk of a number, and io.EOF after the last one. Feed asks for each number
// once, in order, beginning after the chunks that are there. Each message carries the number that it must follow. So a feeder that
// died and starts again neither skips nor doubles a chunk, if next returns the same bytes for a number each time.
func (l *Log) Feed(ctx context.Context, next func(chunk uint64) ([]byte, error)) error {
	chunks, _, err := l.Fed(ctx)
	if err != nil {
		return err
	}
	f := feeder{log: l, sent: chunks}
	for {
		body, err := next(f.sent + 1)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			for len(f.open) > 0 && ctx.Err() == nil && f.confirm(ctx) == nil { // what was sent before stays
			}
			return errors.WithMessagef(err, "chunk %d", f.sent+1)
		}
		if err := f.add(ctx, body); err != nil {
			return err
		}
	}
	for len(f.open) > 0 {
		if err := f.confirm(ctx); err != nil {
			return err
		}
	}
	return l.again(ctx, "storing the end of the rows", func(ctx context.Context) error {
		_, err := l.kv.PutString(ctx, fedKey, strconv.FormatUint(f.sent, 10))
		return err
	})
}

// feeder sends chunks ahead of their confirmations.
type feeder struct {
	log  *Log
	sent uint64 // number of the last chunk that was sent
	open []sentChunk
	size int // bytes of open
}

// sentChunk is a chunk without a confirmation.
type sentChunk struct {
	number uint64
	body   []byte
	future jetstream.PubAckFuture
	err    error // of sending
}

// add sends the next chunk, and waits while too many are without a confirmation.
func (f *feeder) add(ctx context.Context, body []byte) error {
	f.sent++
	f.open = append(f.open, sentChunk{number: f.sent, body: body})
	f.size += len(body)
	f.send(&f.open[len(f.open)-1])
	for len(f.open) > feedWindow || f.size > feedBytes {
		if err := f.confirm(ctx); err != nil {
			return err
		}
	}
	return nil
}

// send sends a chunk. Its failure shows when the chunk is confirmed.
func (f *feeder) send(c *sentChunk) {
	c.future, c.err = f.log.js.PublishAsync(f.log.o.rowsSubject(), c.body, jetstream.WithExpectLastSequence(c.number-1))
}

// confirm waits until the first open chunk is stored. If it was not, it sends all open chunks again.
func (f *feeder) confirm(ctx context.Context) error {
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := f.open[0].wait(ctx, f.log.closed)
		if err == nil {
			f.drop()
			return nil
		}
		if ctx.Err() != nil {
			return errors.Wrapf(ctx.Err(), "feeding chunk %d", f.open[0].number)
		}
		if !transient(err) && !errors.Is(err, errOrder) {
			return errors.Wrapf(err, "feeding chunk %d", f.open[0].number)
		}
		rest(ctx, pause)
		before := len(f.open)
		if err := f.resume(ctx); err != nil {
			return err
		}
		if len(f.open) < before {
			return nil
		}
	}
}

// drop forgets the first open chunk.
func (f *feeder) drop() {
	f.size -= len(f.open[0].body)
	f.open = f.open[1:]
}

// errOrder says that a message did not follow the message that it must follow.
var errOrder = &jetstream.APIError{ErrorCode: jetstream.JSErrCodeStreamWrongLastSequence}

// wait returns nil when the server has stored the chunk.
func (c *sentChunk) wait(ctx context.Context, closed <-chan struct{}) error {
	if c.err != nil {
		return c.err
	}
	select {
	case <-c.future.Ok():
		return nil
	case err := <-c.future.Err():
		return err
	case <-time.After(callTimeout):
		return nats.ErrTimeout
	case <-closed:
		return nats.ErrConnectionClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// resume finds out which of the open chunks were stored, and sends the others again.
func (f *feeder) resume(ctx context.Context) error {
	stream := f.log.o.rowsStream()
	last, err := f.log.lastSequence(ctx, stream)
	if err != nil {
		return err
	}
	if first := f.open[0].number; last+1 < first {
		return errors.Errorf("the log of rows ends at chunk %d, but chunk %d was stored: the log has lost its end; start the feeder again",
			last, first-1)
	}
	for len(f.open) > 0 && f.open[0].number <= last {
		there, err := f.log.message(ctx, stream, f.open[0].number)
		if err != nil {
			return err
		}
		if !bytes.Equal(there.Data, f.open[0].body) {
			return errors.Errorf("chunk %d of the log has other rows than this feeder sent; one belief takes one feeder", f.open[0].number)
		}
		f.drop()
	}
	for i := range f.open {
		f.send(&f.open[i])
	}
	return nil
}

// Chunk returns a chunk of the log of rows, so that a feeder can go on after the last one.
func (l *Log) Chunk(ctx context.Context, number uint64) ([]byte, error) {
	m, err := l.message(ctx, l.o.rowsStream(), number)
	if err != nil {
		return nil, err
	}
	return m.Data, nil
}

// message returns a message of a log.
func (l *Log) message(ctx context.Context, stream string, number uint64) (m *jetstream.RawStreamMsg, err error) {
	err = l.again(ctx, fmt.Sprintf("reading message %d of %s", number, stream), func(ctx context.Context) error {
		s, err := l.js.Stream(ctx, stream)
		if err == nil {
			m, err = s.GetMsg(ctx, number)
		}
		return err
	})
	return m, err
}
