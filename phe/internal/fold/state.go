// Package fold is the rule by which many machines hold one belief: each folds the same log of contributions. It knows no server.
package fold

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/pkg/errors"
)

// Shared is a belief that many machines hold alike. Each machine folds the same log of contributions, and has the same belief to the
// last bit.
type Shared interface {
	// Learn returns what the rows of a chunk add to this belief: Rows, Skipped, Fingerprint and Delta. It leaves the belief as it is. An
	// error means that no machine can learn the chunk; rows that cannot be learned are no error, and are counted in Skipped.
	Learn(chunk []byte) (Contribution, error)
	// Add conditions the belief on a delta that was learned from it. The result depends on nothing but the belief and the delta. After
	// an error the belief is as before.
	Add(delta []byte) error
	// MarshalBinary returns the belief. Equal beliefs give equal bytes.
	MarshalBinary() ([]byte, error)
}

// Verdict is the fold's decision on a contribution. It follows from the log alone, so all machines come to the same verdict.
type Verdict int

// The verdicts.
const (
	Counted  Verdict = iota // part of the belief
	Repeated                // its chunk was counted before: a learner died after publishing, and another did its work again
	Refused                 // it was learned from another version of the belief, or the belief refuses its delta; nothing changed
	numVerdicts
)

// String returns the verdict in lower case.
func (v Verdict) String() string {
	return [numVerdicts]string{"counted", "repeated", "refused"}[v]
}

// State is the belief after the first contributions of a log, together with the ledger that makes a second count impossible. Both
// change together or not at all.
type State struct {
	Position    uint64 // contributions folded: the number of the last one in the log
	Version     uint64 // contributions counted
	Rows        uint64 // rows learned
	Skipped     uint64
	Fingerprint uint64
	Verdicts    [numVerdicts]uint64
	Ledger      Ledger
	Belief      Shared
}

// Fold takes the next contribution of the log.
func (s *State) Fold(c Contribution) Verdict {
	s.Position++
	v := s.rule(c)
	s.Verdicts[v]++
	if v != Counted {
		return v
	}
	s.Ledger.add(c.Chunk)
	s.Version++
	s.Rows += c.Rows
	s.Skipped += c.Skipped
	s.Fingerprint += c.Fingerprint
	return v
}

// rule returns the verdict, and conditions the belief if the contribution counts.
func (s *State) rule(c Contribution) Verdict {
	if s.Ledger.Has(c.Chunk) {
		return Repeated
	}
	if c.Base != s.Version || c.BaseRows != s.Rows || s.Belief.Add(c.Delta) != nil {
		return Refused
	}
	return Counted
}

// Learn returns the contribution of a chunk, learned from this belief. The state does not change.
func (s *State) Learn(chunk uint64, rows []byte) (Contribution, error) {
	c, err := s.Belief.Learn(rows)
	c.Chunk, c.Base, c.BaseRows = chunk, s.Version, s.Rows
	return c, errors.WithMessagef(err, "chunk %d", chunk)
}

// stateFormat begins a checkpoint. Another layout needs another line.
const stateFormat = "gophe shared belief 1\n"

// MarshalBinary returns a checkpoint: the counters, the ledger, the belief and a checksum. Equal states give equal bytes.
//
// The first two numbers and the one before the refused were the bound of several learners and their stale contributions.
func (s *State) MarshalBinary() ([]byte, error) {
	body, err := s.Belief.MarshalBinary()
	if err != nil {
		return nil, errors.WithMessage(err, "the shared belief")
	}
	above := s.Ledger.sorted()
	numbers := append([]uint64{0, 0, s.Position, s.Version, s.Rows, s.Skipped, s.Fingerprint,
		s.Verdicts[Counted], s.Verdicts[Repeated], 0, s.Verdicts[Refused], s.Ledger.Low, uint64(len(above))}, above...)
	b := make([]byte, 0, len(stateFormat)+8*len(numbers)+len(body)+4)
	b = append(b, stateFormat...)
	b, _ = binary.Append(b, binary.LittleEndian, numbers) // numbers have a size
	b = append(b, body...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli)), nil
}

// ErrSeveral is the error of what several learners stored.
var ErrSeveral = errors.New("this model was learned by several learners, which this program no longer has; replay it with the program that made it, or " +
	"learn the rows again under another name")

// Open returns the belief of the bytes of [Shared.MarshalBinary].
type Open func([]byte) (Shared, error)

// LoadState reads the checkpoint that MarshalBinary returned. A damaged checkpoint is an error.
func LoadState(b []byte, open Open) (*State, error) {
	damaged := errors.New("this checkpoint is damaged or cut off: its checksum is wrong; replay the log, or take an older checkpoint")
	if len(b) < len(stateFormat)+4 || binary.LittleEndian.Uint32(b[len(b)-4:]) != crc32.Checksum(b[:len(b)-4], castagnoli) {
		return nil, damaged
	}
	if string(b[:len(stateFormat)]) != stateFormat {
		return nil, errors.New("these bytes are no checkpoint of a shared belief, or of another version of the program")
	}
	b = b[len(stateFormat) : len(b)-4]
	next := func() (v uint64) {
		if len(b) >= 8 {
			v, b = binary.LittleEndian.Uint64(b), b[8:]
		}
		return v
	}
	s := &State{}
	var share, memory, stale, above uint64
	for _, p := range []*uint64{&share, &memory, &s.Position, &s.Version, &s.Rows, &s.Skipped, &s.Fingerprint,
		&s.Verdicts[Counted], &s.Verdicts[Repeated], &stale, &s.Verdicts[Refused], &s.Ledger.Low, &above} {
		*p = next()
	}
	if share != 0 {
		return nil, ErrSeveral
	}
	s.Verdicts[Refused] += stale // it was learned from an older version
	if above > uint64(len(b)/8) {
		return nil, damaged
	}
	for range above {
		s.Ledger.add(next())
	}
	var err error
	s.Belief, err = open(b)
	return s, errors.WithMessage(err, "the shared belief of a checkpoint")
}
