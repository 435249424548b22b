package source

import (
	"fmt"
	"io"

	"github.com/pkg/errors"

	"gophe/phe/records"
	"gophe/phe/stream/schema"
)

// A stream finds its columns by its first messages. A file needs the same number of records.
const sampleMessages, sampleBytes = schema.Sample, 16 << 20

// messages turns messages into rows.
type messages struct {
	options records.Options // the columns once they are known
	decoder *records.Decoder
	commas  []string
	typed   bool
}

// Typed says how the numbers of JSON are written, as records.Reader.Typed does.
func (m *messages) Typed(commas []string) {
	if m.commas, m.typed = commas, true; m.decoder != nil {
		m.decoder.Typed(commas)
	}
}

// untyped writes numbers as first rows need them, and returns the columns that are lists.
func (m *messages) untyped() []string {
	m.Typed(nil)
	return m.options.Lists
}

// detect finds the columns by the first messages.
func (m *messages) detect(first [][]byte, name string) (err error) {
	needed := m.options.Needed
	m.options, err = records.Detect(first, name, m.options)
	m.options.Needed = needed
	return err
}

// Aside returns what was left out of the messages.
func (m *messages) Aside() records.Aside {
	if m.decoder == nil {
		return records.Aside{}
	}
	return m.decoder.Aside()
}

// start makes the decoder. A position brings the separator of CSV that was found when the log was first read.
func (m *messages) start(comma rune) (err error) {
	if m.options.Comma == 0 {
		m.options.Comma = comma
	}
	if m.decoder, err = records.NewDecoder(m.options); err == nil && m.typed {
		m.decoder.Typed(m.commas)
	}
	return err
}

// message is one that came.
type message struct {
	stream  string
	number  uint64
	columns string // that it names
	body    []byte
}

// name is the message's name in errors.
func (m *message) name() string {
	return fmt.Sprintf("message %d of the stream %s", m.number, m.stream)
}

// rows calls yield with the rows of a message behind the first ones. after returns the place behind a number of rows.
func (m *messages) rows(msg message, read int, after func(rows int, ended bool) Place, yield func(Entry, error) bool) bool {
	var e Entry
	if err := m.decoder.Open(msg.body, msg.columns); err != nil { // all of the message is a bad row
		e.Bad = &records.RecordError{File: msg.name(), Problem: err.Error(), Remedy: "send the message with the model's columns"}
		e.After = after(0, true)
		return yield(e, nil)
	}
	d, came := m.decoder, false
	for {
		var err error
		e.Record, err = d.Read()
		if err == io.EOF {
			break
		}
		var bad *records.RecordError
		if e.Bad = nil; errors.As(err, &bad) {
			bad.File, e.Record, e.Bad = msg.name(), nil, bad
		} else if err != nil {
			yield(Entry{}, err)
			return false
		}
		if d.Rows() <= read {
			continue
		}
		came, e.After = true, after(d.Rows(), d.Ended())
		if !yield(e, nil) {
			return false
		}
	}
	if !came {
		e.Record, e.Bad, e.After = nil, nil, after(0, true)
		return yield(e, nil)
	}
	return true
}
