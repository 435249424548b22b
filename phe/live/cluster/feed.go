package cluster

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
	"github.com/pkg/errors"

	"gophe/phe/live/broker"
)

const (
	// fedKey holds the number of chunks of a stream of rows that has ended.
	fedKey = "fed"
	// feederKey names the feeder that owns the log of rows. Its revision is the feeder's number.
	feederKey = "feeder"
)

// lastSequence returns the number of the last message of a log.
func (l *Log) lastSequence(ctx context.Context, stream string) (last uint64, err error) {
	info, err := l.streamInfo(ctx, stream)
	if err == nil {
		last = info.State.LastSeq
	}
	return last, err
}

func (l *Log) streamInfo(ctx context.Context, name string) (*jetstream.StreamInfo, error) {
	info, err := l.Stream(ctx, name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		err = errors.WithMessage(errLost, "reading the log "+name)
	}
	return info, err
}

// errOvertaken says that another feeder has taken the log over.
var errOvertaken = errors.New("another feeder feeds this belief now, and one belief takes one feeder; this one ends")

// Feed appends chunks to the log of rows. next returns the chunk of a number, and io.EOF after the last one. Feed asks for each number
// once, in order, beginning after the chunks that are there. So a feeder that died and starts again neither skips nor doubles a chunk, if
// next returns the same bytes for a number each time.
//
// Feed takes the log over from other feeders, which end with an error. One chunk is on its way at a time, and it must follow a chunk
// that this feeder has stored or found. So a feeder that slept while another one fed stores nothing after rows that it does not know.
func (l *Log) Feed(ctx context.Context, next func(chunk uint64) ([]byte, error)) error {
	f, err := l.takeOver(ctx)
	if err != nil {
		return err
	}
	for {
		body, err := next(f.last + 1)
		if errors.Is(err, io.EOF) {
			return f.finish(ctx)
		}
		if err != nil {
			return errors.WithMessagef(err, "chunk %d", f.last+1)
		}
		if err := f.add(ctx, body); err != nil {
			return errors.WithMessagef(err, "feeding chunk %d", f.last+1)
		}
	}
}

// feeder appends to the log of rows as long as it owns the log.
type feeder struct {
	log    *Log
	owner  string // value of feederKey
	number string // how many times the log has changed hands, as the revision of feederKey
	last   uint64 // number of the last chunk that is stored
	end    uint64 // revision of fedKey
}

// takeOver makes a feeder the owner of the log, and then looks for the log's end.
func (l *Log) takeOver(ctx context.Context) (*feeder, error) {
	if err := l.await(ctx); err != nil {
		return nil, err
	}
	f := &feeder{log: l, owner: nuid.Next()}
	for tries := 0; f.number == ""; tries++ {
		there, revision, err := l.value(ctx, feederKey)
		if err == nil && tries == 20 {
			err = errors.Errorf("the store does not keep the name of the feeder; %s", remedy)
		}
		if err != nil {
			return nil, err
		}
		if there == f.owner {
			f.number = strconv.FormatUint(revision, 10)
		} else if err := l.swap(ctx, feederKey, f.owner, revision); err != nil && !errSwap(err) {
			return nil, err
		}
	}
	var err error
	if _, f.end, err = l.value(ctx, fedKey); err != nil {
		return nil, err
	}
	f.last, err = l.lastSequence(ctx, l.o.rowsStream())
	return f, err
}

// owns returns errOvertaken if another feeder owns the log.
func (f *feeder) owns(ctx context.Context) error {
	there, _, err := f.log.value(ctx, feederKey)
	if err == nil && there != f.owner {
		return errors.WithStack(errOvertaken)
	}
	return err
}

// finish stores the number of chunks. Another number is there if another feeder was faster.
func (f *feeder) finish(ctx context.Context) error {
	if err := f.owns(ctx); err != nil {
		return err
	}
	chunks := strconv.FormatUint(f.last, 10)
	err := f.log.swap(ctx, fedKey, chunks, f.end)
	if errSwap(err) {
		var there string
		if there, _, err = f.log.value(ctx, fedKey); err == nil && there != chunks {
			return errors.WithStack(errOvertaken)
		}
	}
	return err
}

// feederHeader names the feeder that sent a chunk.
const feederHeader = "Phe-Feeder"

// errOrder says that a message did not follow the message that it must follow.
var errOrder = &jetstream.APIError{ErrorCode: jetstream.JSErrCodeStreamWrongLastSequence}

// add stores the next chunk. A chunk whose answer was lost is refused when it comes again, and is there already.
func (f *feeder) add(ctx context.Context, body []byte) error {
	if err := f.owns(ctx); err != nil {
		return err
	}
	m := &nats.Msg{Subject: f.log.o.rowsSubject(), Data: body, Header: nats.Header{feederHeader: {f.number}}}
	for {
		err := f.log.RetryWithin(ctx, "storing it", transferTimeout(len(body)), func(ctx context.Context) error {
			_, err := f.log.JS.PublishMsg(ctx, m, jetstream.WithExpectLastSequence(f.last))
			return err
		})
		stored := err == nil
		if errors.Is(err, errOrder) {
			stored, err = f.isStored(ctx, body)
		}
		if err != nil {
			return err
		}
		if stored {
			f.last++
			return nil
		}
		if broker.Sleep(ctx, 20*time.Millisecond); ctx.Err() != nil {
			return errors.WithStack(ctx.Err())
		}
	}
}

// isStored reports whether a chunk is in the log at its place. Another chunk at its place is an error.
func (f *feeder) isStored(ctx context.Context, body []byte) (bool, error) {
	stream := f.log.o.rowsStream()
	last, err := f.log.lastSequence(ctx, stream)
	switch {
	case err != nil:
		return false, err
	case last < f.last:
		return false, errors.Errorf("the log of rows ends at chunk %d, but chunk %d was stored: the log has lost its end; start the feeder again",
			last, f.last)
	case last == f.last: // an earlier copy of the chunk is on its way through the cluster
		return false, nil
	}
	m, err := f.log.Message(ctx, stream, f.last+1)
	if err != nil || bytes.Equal(m.Data, body) {
		return err == nil, err
	}
	if err := f.owns(ctx); err != nil {
		return false, err
	}
	return false, errors.Errorf("the log has other rows there, which feeder %s sent late, and this is feeder %s; "+
		"start this feeder again, and it goes on after them",
		m.Header.Get(feederHeader), f.number)
}

// Chunk returns a chunk of the log of rows, so that a feeder can continue after the last one.
func (l *Log) Chunk(ctx context.Context, number uint64) ([]byte, error) {
	if err := l.missing(ctx, l.o.rowsStream(), number); err != nil {
		return nil, err
	}
	m, err := l.Message(ctx, l.o.rowsStream(), number)
	if err != nil {
		return nil, err
	}
	return m.Data, nil
}
