package source

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/pkg/errors"

	"gophe/phe/records"
	"gophe/phe/stream/schema"
)

// A stream finds its columns by its first messages. A file needs the same number of records.
const sampleMessages, sampleBytes = schema.Sample, 16 << 20

// Typed says how the numbers of JSON are written, as records.Reader.Typed does.
func (l *JetStream) Typed(commas []string) {
	if l.commas, l.typed = commas, true; l.decoder != nil {
		l.decoder.Typed(commas)
	}
}

// untyped implements Source.
func (l *JetStream) untyped() []string {
	l.Typed(nil)
	return l.options.Lists
}

// detect finds the columns by the first messages.
func (l *JetStream) detect(first [][]byte, name string) (err error) {
	needed := l.options.Needed
	l.options, err = records.Detect(first, name, l.options)
	l.options.Needed = needed
	return err
}

// Aside returns what was left out of the messages.
func (l *JetStream) Aside() records.Aside {
	if l.decoder == nil {
		return records.Aside{}
	}
	return l.decoder.Aside()
}

// start makes the decoder. A position brings the separator of CSV that was found when the log was first read.
func (l *JetStream) start(comma rune) (err error) {
	if l.options.Comma == 0 {
		l.options.Comma = comma
	}
	if l.decoder, err = records.NewDecoder(l.options); err == nil && l.typed {
		l.decoder.Typed(l.commas)
	}
	return err
}

// settle finds the columns of CSV that brings no names by the stream's first messages, since a bad row may be first behind a position.
func (l *JetStream) settle(ctx context.Context) error {
	var first []byte
	err := l.read(ctx, &streamPlace{}, func(m *streamMessage) bool {
		if m.Msg != nil && !m.hasNoRows() {
			first = append(append(first, m.Data()...), '\n')
		}
		return len(first) < 64<<10 && !m.atEnd
	})
	l.decoder.Settle(first)
	return cmp.Or(err, ctx.Err())
}

// streamMessage is a message, or says that there is none.
type streamMessage struct {
	jetstream.Msg       // nil if there is none
	gap           error // why messages before this place are missing
	atEnd         bool
	sum           uint32 // CRC-32C
}

func (m *streamMessage) hasNoRows() bool { return m.Headers().Get(BeginHeader) == InBody }

// yield yields the rows of a message behind the first ones, or that there is none.
func (l *JetStream) yield(m *streamMessage, at streamPlace, yield func(Entry, error) bool) bool {
	behind := streamPlace{at.streamName, at.Next + 1, 0, m.sum}
	switch {
	case m.gap != nil:
		return yield(Entry{Bad: &records.RecordError{File: "the stream " + l.stream, Problem: m.gap.Error()}, After: at}, nil)
	case m.Msg == nil:
		return yield(Entry{Waits: true, AtEnd: m.atEnd}, nil)
	case m.hasNoRows():
		return yield(Entry{After: behind}, nil)
	}
	if err := l.decoder.Open(m.Data(), m.Headers().Get(ColumnsHeader)); err != nil { // all of the message is a bad row
		bad := &records.RecordError{File: fmt.Sprint(behind), Problem: err.Error(), Remedy: "send the message with the model's columns"}
		return yield(Entry{Bad: bad, After: behind}, nil)
	}
	d, came := l.decoder, false
	for {
		var bad *records.RecordError
		record, err := d.Read()
		e := Entry{Record: record, After: behind}
		switch {
		case err == io.EOF:
			return came || yield(e, nil)
		case errors.As(err, &bad):
			bad.File, e.Record, e.Bad = fmt.Sprint(behind), nil, bad
		case err != nil:
			yield(Entry{}, err)
			return false
		}
		if d.Rows() <= at.Rows {
			continue
		}
		if !d.Ended() {
			e.After = streamPlace{at.streamName, at.Next, d.Rows(), m.sum}
		}
		if came = true; !yield(e, nil) {
			return false
		}
	}
}
