package log

import (
	"bytes"
	"encoding/json"
	"hash/crc32"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/stream"
)

// lookEvery is the time between two looks for a newer checkpoint.
const lookEvery = 100 * time.Millisecond

// Mark describes a checkpoint without its bytes.
type Mark struct {
	Generation uint64   `json:"generation"`         // number of the save, from 1; 0: there is none
	Rows       int64    `json:"rows,omitempty"`     // of the log that the learner has learned
	Position   Position `json:"position,omitempty"` // behind them
	CRC        uint32   `json:"crc,omitempty"`      // of the learner's bits
}

// Sum returns the checksum of a learner's bits, as its checkpoints have it.
func Sum(l *stream.Learner) (uint32, error) {
	var b bits
	err := l.Write(&b, State{})
	return b.crc, err
}

// MarkOf returns the mark of a checkpoint, without its generation.
func MarkOf(payload []byte) (Mark, error) {
	var b bits
	_, _ = b.Write(payload) // it cannot fail
	return b.mark()
}

// bits is a writer that takes a checkpoint and keeps its mark: the values of the first line, which are a State, and a checksum of the bytes
// behind it, which are the learner. Equal learners have equal sums, whatever the rest of the states.
type bits struct {
	line []byte
	rest bool
	crc  uint32
}

// Write takes bytes of a checkpoint.
func (b *bits) Write(p []byte) (int, error) {
	n := len(p)
	if !b.rest {
		line, rest, found := bytes.Cut(p, []byte("\n"))
		b.line, b.rest, p = append(b.line, line...), found, rest
	}
	b.crc = crc32.Update(b.crc, castagnoli, p)
	return n, nil
}

// mark returns the mark of the checkpoint.
func (b *bits) mark() (m Mark, err error) {
	err = errors.Wrap(json.Unmarshal(b.line, &m), "the first line of a checkpoint")
	return Mark{Rows: m.Rows, Position: m.Position, CRC: b.crc}, err
}
