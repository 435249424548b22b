// Package store keeps a learner's newest checkpoint, in a file or on servers, and follows it from other programs.
package store

import (
	"bytes"
	"context"
	"encoding/json"
	"hash/crc32"
	"io"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/live/checkpoint"
	"gophe/phe/stream"
)

// Store keeps the newest checkpoint: a [File], or a place on servers ([NATS]). One program at a time holds it.
type Store interface {
	Name() string // for people
	// Load returns the newest checkpoint; one without a payload if there is none. It waits until this program may save.
	Load(ctx context.Context) (checkpoint.Loaded, error)
	Save(write func(io.Writer) error) error // ErrFenced: another program holds it now
	Learns(rows bool)                       // whether the learner has rows to learn: one that has them for long hangs, and loses the store
	Paths() []string                        // of files that the store needs for itself
	Close() error                           // another program may hold it from now on
}

// ErrFenced says that another program holds the store now.
var ErrFenced = errors.New("another program learns this model now")

// File is a store in a file of this machine.
type File struct{ *checkpoint.Store }

// OpenFile opens the store of a file, and locks it against other programs.
func OpenFile(path string) (File, error) {
	s, err := checkpoint.Open(disk.System, path)
	return File{s}, err
}

// Load implements Store. The lock is held already.
func (f File) Load(context.Context) (checkpoint.Loaded, error) {
	loaded, err := checkpoint.Peek(f.Path)
	if errors.Is(err, checkpoint.ErrNone) {
		err = nil
	}
	return loaded, err
}

// What follows implements Store. A program that hangs keeps its lock.
func (f File) Name() string    { return "the model " + f.Path }
func (f File) Learns(bool)     {}
func (f File) Paths() []string { return checkpoint.Files(f.Path) }

// lookEvery is the time between two looks for a newer checkpoint.
const lookEvery = 100 * time.Millisecond

// Mark describes a checkpoint without its bytes.
type Mark struct {
	Generation uint64          `json:"generation"`         // number of the save, from 1; 0: there is none
	Rows       int64           `json:"rows,omitempty"`     // of the log that the learner has learned
	Position   json.RawMessage `json:"position,omitempty"` // behind them
	CRC        uint32          `json:"crc,omitempty"`      // of the learner's bits
}

// Sum returns the checksum of a learner's bits, as its checkpoints have it.
func Sum(l *stream.Learner) (uint32, error) {
	var b bits
	err := l.Write(&b, struct{}{})
	return b.crc, err
}

// MarkOf returns the mark of a checkpoint, without its generation.
func MarkOf(payload []byte) (Mark, error) {
	var b bits
	_, _ = b.Write(payload) // it cannot fail
	return b.mark()
}

// bits is a writer that takes a checkpoint and keeps its mark: the values of the first line, which are a state, and a checksum of the bytes
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
	b.crc = crc32.Update(b.crc, crc32.MakeTable(crc32.Castagnoli), p)
	return n, nil
}

// mark returns the mark of the checkpoint.
func (b *bits) mark() (m Mark, err error) {
	err = errors.Wrap(json.Unmarshal(b.line, &m), "the first line of a checkpoint")
	return Mark{Rows: m.Rows, Position: m.Position, CRC: b.crc}, err
}
