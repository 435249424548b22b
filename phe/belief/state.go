package belief

import (
	"encoding/binary"
	"hash/crc32"
	"math"

	"github.com/pkg/errors"
)

// Shared is a belief that many machines hold alike. Each machine folds the same log of contributions, and has the same belief to the
// last bit.
type Shared interface {
	// Learn returns what the rows of a chunk add to this belief. It leaves the belief as it is. An error means that no machine can
	// learn the chunk; rows that cannot be learned are no error, and are counted in Learned.Skipped.
	Learn(chunk []byte) (Learned, error)
	// Add conditions the belief on the delta of a chunk. missed is the number of rows that the delta's prior lacks and that this
	// belief has. The result depends on nothing but the belief, the delta and missed. After an error the belief is as before. ErrStale
	// says that the delta does not fit a belief with more rows than its prior, and that the chunk must be learned again.
	Add(delta []byte, missed uint64) error
	// MarshalBinary returns the belief. Equal beliefs give equal bytes.
	MarshalBinary() ([]byte, error)
}

// ErrStale is the error of a belief that cannot add a delta because its prior lacks rows.
var ErrStale = errors.New("the prior of this delta lacks rows that the belief has")

// Learned is the result of Learn: the number of rows, and the delta.
type Learned struct {
	Rows        uint64
	Skipped     uint64
	Fingerprint uint64
	Delta       []byte
}

// Verdict is the fold's decision on a contribution. It follows from the log alone, so all machines come to the same verdict.
type Verdict int

// The verdicts.
const (
	Counted  Verdict = iota // part of the belief
	Repeated                // its chunk was counted before: a learner died after publishing, and another did its work again
	Stale                   // its prior lacked too many rows; the learner learns the chunk again from a newer belief
	Refused                 // the belief refused the delta; nothing changed
	numVerdicts
)

// String returns the verdict in lower case.
func (v Verdict) String() string {
	return [numVerdicts]string{"counted", "repeated", "stale", "refused"}[v]
}

// Bound limits the staleness of priors. Sums of stale deltas overshoot if a prediction sums several entries, and above a limit the
// belief diverges (docs/cluster.md).
type Bound struct {
	// Share is the largest number of rows that a prior may lack, as a share of the rows it has. With 0 a prior may lack nothing.
	// math.MaxFloat64 sets no limit.
	Share float64 `json:"share"`
	// Memory is the largest number of rows that a prior counts as having. A belief that forgets remembers no more. 0 sets no limit.
	Memory float64 `json:"memory,omitempty"`
}

// Allows tells whether a prior of a number of rows may lack a number of rows.
func (b Bound) Allows(rows, missed uint64) bool {
	return missed == 0 || float64(missed) <= b.Lack(rows)
}

// Lack returns the number of rows that a prior of a number of rows may lack.
func (b Bound) Lack(rows uint64) float64 {
	if b.Share == math.MaxFloat64 {
		return math.Inf(1)
	}
	has := float64(rows)
	if b.Memory > 0 {
		has = min(has, b.Memory)
	}
	return b.Share * has
}

// ShareOf returns the share for a model whose prediction sums a number of table entries: 1/(entries − 1).
//
// Several learners see the same residual, and each corrects it through all entries. If a prior lacks the share s of its rows, the
// summed correction of the common direction is entries·s/(1 + s) of the correction that is needed. It does not overshoot for
// s ≤ 1/(entries − 1) (docs/cluster.md).
func ShareOf(entries int) float64 {
	if entries < 2 {
		return math.MaxFloat64
	}
	return 1 / float64(entries-1)
}

// State is the belief after the first contributions of a log, together with the ledger that makes a second count impossible. Both
// change together or not at all.
type State struct {
	Bound Bound

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
	s.Ledger.Add(c.Chunk)
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
	if c.Base > s.Version || c.BaseRows > s.Rows {
		return Refused // a prior of another log
	}
	missed := s.Rows - c.BaseRows
	if c.Base == s.Version {
		missed = 0
	} else if missed == 0 {
		missed = 1 // chunks without a row that could be learned still count as news
	}
	if !s.Bound.Allows(c.BaseRows, missed) {
		return Stale
	}
	switch err := s.Belief.Add(c.Delta, missed); {
	case errors.Is(err, ErrStale):
		return Stale
	case err != nil:
		return Refused
	}
	return Counted
}

// Learn returns the contribution of a chunk, learned from this belief. The state does not change.
func (s *State) Learn(chunk uint64, rows []byte) (Contribution, error) {
	l, err := s.Belief.Learn(rows)
	if err != nil {
		return Contribution{}, errors.WithMessagef(err, "chunk %d", chunk)
	}
	return Contribution{Chunk: chunk, Base: s.Version, BaseRows: s.Rows, Rows: l.Rows, Skipped: l.Skipped, Fingerprint: l.Fingerprint, Delta: l.Delta}, nil
}

// stateFormat begins a checkpoint. Another layout needs another line.
const stateFormat = "gophe shared belief 1\n"

// MarshalBinary returns a checkpoint: the counters, the ledger, the belief and a checksum. Equal states give equal bytes.
func (s *State) MarshalBinary() ([]byte, error) {
	body, err := s.Belief.MarshalBinary()
	if err != nil {
		return nil, errors.WithMessage(err, "the shared belief")
	}
	above := s.Ledger.sorted()
	numbers := append([]uint64{math.Float64bits(s.Bound.Share), math.Float64bits(s.Bound.Memory), s.Position, s.Version, s.Rows, s.Skipped, s.Fingerprint},
		s.Verdicts[:]...)
	numbers = append(append(numbers, s.Ledger.Low, uint64(len(above))), above...)
	b := make([]byte, 0, len(stateFormat)+8*len(numbers)+len(body)+4)
	b = append(b, stateFormat...)
	for _, v := range numbers {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	b = append(b, body...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli)), nil
}

// LoadState reads the checkpoint that MarshalBinary returned. open returns the belief of its bytes. A damaged checkpoint is an error.
func LoadState(b []byte, open func([]byte) (Shared, error)) (*State, error) {
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
	s := &State{Bound: Bound{math.Float64frombits(next()), math.Float64frombits(next())}}
	for _, p := range []*uint64{&s.Position, &s.Version, &s.Rows, &s.Skipped, &s.Fingerprint} {
		*p = next()
	}
	for i := range s.Verdicts {
		s.Verdicts[i] = next()
	}
	s.Ledger.Low = next()
	above := next()
	if above > uint64(len(b)/8) {
		return nil, damaged
	}
	for range above {
		s.Ledger.Add(next())
	}
	var err error
	s.Belief, err = open(b)
	return s, errors.WithMessage(err, "the shared belief of a checkpoint")
}
