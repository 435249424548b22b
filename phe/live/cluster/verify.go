package cluster

import (
	"bytes"
	"context"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/pkg/errors"

	"gophe/phe/internal/fold"
	"gophe/phe/live/broker"
)

// Replay returns the state after the whole log of contributions, folded from the start state. It uses no checkpoint.
func (l *Log) Replay(ctx context.Context, open fold.Open) (*fold.State, error) {
	s, err := l.Start(ctx, open)
	if err != nil {
		return nil, err
	}
	end, err := l.lastSequence(ctx, l.o.contributionsStream())
	if err != nil {
		return nil, err
	}
	return s, l.foldTo(ctx, s, end)
}

// foldTo folds the contributions up to a number.
func (l *Log) foldTo(ctx context.Context, s *fold.State, end uint64) error {
	return l.read(ctx, l.o.contributionsStream(), s.Position+1, end, func(place *jetstream.MsgMetadata, message []byte) error {
		c, err := contribution(place, message)
		if err == nil {
			s.Fold(c)
		}
		return err
	})
}

// taker takes a message of a log.
type taker func(place *jetstream.MsgMetadata, message []byte) error

// read hands the messages from one number to another to a function, in order and each once.
func (l *Log) read(ctx context.Context, stream string, from, to uint64, take taker) error {
	for from <= to {
		info, err := l.streamInfo(ctx, stream)
		if err != nil {
			return err
		}
		if info.State.FirstSeq > from || info.State.LastSeq < to {
			return errors.Errorf("the log %s has messages %d to %d, and messages %d to %d are needed; it was cut, or it has lost its end", stream,
				info.State.FirstSeq, info.State.LastSeq, from, to)
		}
		if from, err = l.readSome(ctx, info, from, to, take, func() error { return nil }); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return errors.Wrap(ctx.Err(), "reading "+stream)
		}
	}
	return nil
}

// readSome reads until the consumer is lost or the end is reached. It returns the number of the next message. It calls between before
// each message, and now and then while there is none.
func (l *Log) readSome(ctx context.Context, info *jetstream.StreamInfo, from, to uint64, take taker, between func() error) (uint64, error) {
	messages, _, err := l.Messages(ctx, info, from)
	if err != nil {
		return from, err
	}
	defer messages.Stop()
	defer context.AfterFunc(ctx, messages.Stop)()
	for from <= to {
		m, err := messages.Next(jetstream.NextMaxWait(broker.Silence))
		if err != nil && !errors.Is(err, nats.ErrTimeout) {
			return from, nil // the consumer is lost; read again with another one
		}
		if err := between(); err != nil {
			return from, err
		}
		if m == nil {
			if err := l.missing(ctx, info.Config.Name, from); err != nil {
				return from, err
			}
			continue
		}
		place, err := m.Metadata()
		if err != nil {
			return from, errors.Wrap(err, "a message of a log")
		}
		if place.Sequence.Stream != from {
			return from, l.missing(ctx, info.Config.Name, from)
		}
		if err := take(place, m.Data()); err != nil {
			return from, err
		}
		from++
	}
	return from, nil
}

// Verification compares what the servers hold.
type Verification struct {
	Position   uint64 // contributions of the log
	Checkpoint uint64 // contributions that the checkpoint has folded
	Chunks     uint64 // chunks of rows that were fed
	Learned    uint64 // chunks in the ledger
	Counted    uint64
	Repeated   uint64
	Refused    uint64

	Rows, RowsFed               uint64 // rows in the belief, learned or skipped; rows of the same chunks in the log of rows
	Fingerprint, FingerprintFed uint64
	SameBytes                   bool // checkpoint and tail equal the replay from the start, to the last bit
}

// err returns nil if the checkpoint equals the replay, and the belief has the rows of its chunks once each.
func (v *Verification) err() error {
	switch {
	case !v.SameBytes:
		return errors.Errorf("the checkpoint at contribution %d and what follows it are not the belief of the whole log; delete the checkpoint",
			v.Checkpoint)
	case v.Rows != v.RowsFed:
		return errors.Errorf("the belief has %d rows, and its chunks have %d", v.Rows, v.RowsFed)
	case v.Fingerprint != v.FingerprintFed:
		return errors.Errorf("the belief's fingerprint is %x, and its chunks have %x: a row was lost and another one counted twice",
			v.Fingerprint, v.FingerprintFed)
	}
	return nil
}

// Verify folds the whole log from the start state. It folds the newest checkpoint and what follows it as well, and compares both to
// the last bit. It also counts the rows of the chunks that the ledger has. The belief may grow meanwhile. If it finds a difference, it returns
// an error beside the verification.
//
// count gets all chunks in order. It returns the number of rows of a chunk, and the wrapping sum of their hashes ([fold.RowHash]).
func (l *Log) Verify(ctx context.Context, open fold.Open, count func(chunk []byte) (rows, fingerprint uint64, err error)) (*Verification, error) {
	start, err := l.Start(ctx, open)
	if err != nil {
		return nil, err
	}
	from, err := l.newest(ctx, open)
	if err != nil {
		return nil, err
	}
	replayed, err := l.Replay(ctx, open)
	if err != nil {
		return nil, err
	}
	v := &Verification{Position: replayed.Position, Checkpoint: from.state.Position, RowsFed: start.Rows + start.Skipped,
		FingerprintFed: start.Fingerprint}
	if v.Position < v.Checkpoint {
		return nil, errors.Errorf("the log ends at contribution %d, and the checkpoint has folded %d: the log has lost its end. %s",
			v.Position, v.Checkpoint, lostEnd)
	}
	if err := l.foldTo(ctx, from.state, v.Position); err != nil {
		return nil, err
	}
	if v.SameBytes, err = same(replayed, from.state); err != nil {
		return nil, err
	}
	v.Learned, v.Rows, v.Fingerprint = replayed.Ledger.Len(), replayed.Rows+replayed.Skipped, replayed.Fingerprint
	v.Counted, v.Repeated, v.Refused = replayed.Verdicts[fold.Counted], replayed.Verdicts[fold.Repeated], replayed.Verdicts[fold.Refused]
	if v.Chunks, err = l.lastSequence(ctx, l.o.rowsStream()); err != nil {
		return nil, err
	}
	err = l.read(ctx, l.o.rowsStream(), 1, v.Chunks, func(place *jetstream.MsgMetadata, chunk []byte) error {
		rows, fingerprint, err := count(chunk)
		if replayed.Ledger.Has(place.Sequence.Stream) { // the others are not learned yet
			v.RowsFed += rows
			v.FingerprintFed += fingerprint
		}
		return errors.WithMessagef(err, "chunk %d", place.Sequence.Stream)
	})
	if err != nil {
		return nil, err
	}
	return v, v.err()
}

// same compares two states to the last bit.
func same(a, b *fold.State) (bool, error) {
	x, err := a.MarshalBinary()
	if err != nil {
		return false, err
	}
	y, err := b.MarshalBinary()
	return bytes.Equal(x, y), err
}
