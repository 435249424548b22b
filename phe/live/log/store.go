package log

import (
	"bytes"
	"context"
	"encoding/json"
	"hash/crc32"
	"io"
	"os"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/live/broker"
	"gophe/phe/live/checkpoint"
)

// lookEvery is the time between two looks for a newer checkpoint.
const lookEvery = 100 * time.Millisecond

// FileStore is a store in a file of this machine. A lock of the system keeps other programs out.
type FileStore struct {
	Path string
	Log  func(string) // receives a line if the newest checkpoint is damaged; may be nil

	store *checkpoint.Store // nil: not held
}

// Hold implements Store. It does not wait: a program that has the file is an error.
func (s *FileStore) Hold(ctx context.Context) (payload []byte, err error) {
	if s.store, err = checkpoint.Open(disk.System, s.Path); err != nil {
		return nil, err
	}
	loaded, err := s.peek()
	return loaded.Payload, err
}

// peek returns the newest checkpoint that is whole; empty if there is none.
func (s *FileStore) peek() (checkpoint.Loaded, error) {
	loaded, err := checkpoint.Peek(s.Path)
	if loaded.Warning != "" && s.Log != nil {
		s.Log("warning: " + loaded.Warning)
	}
	if errors.Is(err, checkpoint.ErrNone) {
		err = nil
	}
	return loaded, err
}

// Save implements Store.
func (s *FileStore) Save(_ context.Context, write func(io.Writer) error) error {
	return s.store.Save(write)
}

// Newest implements Store.
func (s *FileStore) Newest(ctx context.Context, above uint64) ([]byte, uint64, error) {
	var looked time.Time
	for {
		if info, err := os.Stat(s.Path); err != nil || !info.ModTime().Equal(looked) {
			if err == nil {
				looked = info.ModTime()
			}
			l, err := s.peek()
			if err != nil || l.Payload != nil && l.Generation > above {
				return l.Payload, l.Generation, err
			}
		}
		if broker.Sleep(ctx, lookEvery); ctx.Err() != nil {
			return nil, 0, errors.WithStack(ctx.Err())
		}
	}
}

// Close implements Store.
func (s *FileStore) Close() error {
	if s.store == nil {
		return nil
	}
	return s.store.Close()
}

// Mark describes a checkpoint without its bytes.
type Mark struct {
	Generation uint64   `json:"generation"`         // number of the save, from 1; 0: there is none
	Rows       int64    `json:"rows,omitempty"`     // of the log that the learner has learned
	Position   Position `json:"position,omitempty"` // behind them
	CRC        uint32   `json:"crc,omitempty"`      // of the learner's bits
	// Next is the number of rows at which the next checkpoint will be saved, so that others can note their own bits there; 0: not known.
	Next int64 `json:"next,omitempty"`
}

// Bits is a writer that takes a checkpoint and keeps its mark: the values of the first line, which are a State, and a checksum of the bytes
// behind it, which are the learner. Equal learners have equal sums, whatever the rest of the states.
type Bits struct {
	line []byte
	rest bool
	crc  uint32
}

// Write takes bytes of a checkpoint.
func (b *Bits) Write(p []byte) (int, error) {
	n := len(p)
	if !b.rest {
		line, rest, found := bytes.Cut(p, []byte("\n"))
		b.line, b.rest, p = append(b.line, line...), found, rest
	}
	b.crc = crc32.Update(b.crc, castagnoli, p)
	return n, nil
}

// Mark returns the mark of what was written.
func (b *Bits) Mark() (m Mark, err error) {
	err = errors.Wrap(json.Unmarshal(b.line, &m), "the first line of a checkpoint")
	return Mark{Rows: m.Rows, Position: m.Position, CRC: b.crc}, err
}
