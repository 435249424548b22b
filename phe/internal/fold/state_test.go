package fold

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
)

// total is a belief that adds the numbers of its chunks, in the order in which they count. It refuses the number refusedNumber.
type total struct{ numbers []uint64 }

const refusedNumber = 13

func (t *total) Learn(chunk []byte) (Contribution, error) {
	if len(chunk) != 8 {
		return Contribution{}, errors.New("a chunk has 8 bytes")
	}
	n := binary.LittleEndian.Uint64(chunk)
	return Contribution{Rows: n % 5, Skipped: n % 2, Fingerprint: RowHash(n, chunk), Delta: chunk}, nil
}

func (t *total) Add(delta []byte) error {
	n := binary.LittleEndian.Uint64(delta)
	if n == refusedNumber {
		return errors.New("the number is refused")
	}
	t.numbers = append(t.numbers, n) // the order shows in the bytes
	return nil
}

func (t *total) MarshalBinary() ([]byte, error) {
	var b []byte
	for _, n := range t.numbers {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return b, nil
}

func openTotal(b []byte) (Shared, error) {
	t := &total{}
	for ; len(b) >= 8; b = b[8:] {
		t.numbers = append(t.numbers, binary.LittleEndian.Uint64(b))
	}
	return t, nil
}

func marshal(t *testing.T, s *State) []byte {
	t.Helper()
	b := filetest.Must(s.MarshalBinary())(t)
	return b
}

func load(t *testing.T, b []byte) *State {
	t.Helper()
	s := filetest.Must(LoadState(b, openTotal))(t)
	return s
}

// The ledger equals a set of numbers, whatever the order of the chunks, and it is as short as it can be.
func TestLedgerIsASet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var l Ledger
		set := map[uint64]bool{}
		for range r.IntN(60) {
			chunk := 1 + r.Uint64N(40)
			l.add(chunk)
			set[chunk] = true
			for c := uint64(1); c <= 41; c++ {
				if l.Has(c) != set[c] {
					t.Fatalf("chunk %d is in the ledger: %v, want %v", c, l.Has(c), set[c])
				}
			}
			if l.Len() != uint64(len(set)) || l.Above[l.Low+1] || set[l.Low+1] || len(l.Above) > 0 && slices.Min(l.sorted()) <= l.Low {
				t.Fatalf("the ledger of %v is %+v", set, l)
			}
		}
		if !slices.IsSorted(l.sorted()) {
			t.Fatalf("%v is not in order", l.sorted())
		}
	}
}

// simulate returns a log as learners make it that die, repeat and lag at random.
func simulate(t *testing.T, r *rand.Rand) []Contribution {
	t.Helper()
	var log []Contribution
	s := &State{Belief: &total{}}
	priors := []*State{load(t, marshal(t, s))}
	for range 120 {
		chunk := 1 + r.Uint64N(40)
		prior := priors[max(0, len(priors)-1-r.IntN(4))]
		c := filetest.Must(prior.Learn(chunk, binary.LittleEndian.AppendUint64(nil, chunk)))(t)
		if r.IntN(20) == 0 {
			c.Base += 1000 // a prior of another log
		}
		before := marshal(t, s)
		rows, version, chunks := s.Rows, s.Version, s.Ledger.Len()
		v := s.Fold(c)
		if counted := v == Counted; counted != (s.Version == version+1) || counted != (s.Ledger.Len() == chunks+1) || !counted && s.Rows != rows {
			t.Fatalf("%v changed the state from %x to %x", v, before, marshal(t, s))
		}
		log = append(log, c)
		priors = append(priors, load(t, marshal(t, s)))
	}
	for v, n := range s.Verdicts {
		if n == 0 {
			t.Fatalf("no contribution is %v", Verdict(v))
		}
	}
	return log
}

// Any restart from a checkpoint and any delivery in pieces gives the same bytes. A second copy of a contribution that counted changes
// no belief.
func TestFoldIsAFunctionOfTheLog(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		log := simulate(t, r)
		straight, restarted, doubled := &State{Belief: &total{}}, &State{Belief: &total{}}, &State{Belief: &total{}}
		for _, c := range log {
			straight.Fold(c)
			if r.IntN(10) == 0 {
				restarted = load(t, marshal(t, restarted))
			}
			b := filetest.Must(c.MarshalBinary())(t)
			var read Contribution
			filetest.Check(t, read.UnmarshalBinary(b))
			restarted.Fold(read)
			if doubled.Fold(c) == Counted {
				if v := doubled.Fold(c); v != Repeated {
					t.Fatalf("a second copy is %v", v)
				}
			}
		}
		if !bytes.Equal(marshal(t, straight), marshal(t, restarted)) {
			t.Fatal("the state depends on its restarts")
		}
		if straight.Fingerprint != doubled.Fingerprint || straight.Rows != doubled.Rows || straight.Version != doubled.Version {
			t.Fatal("a second copy counted")
		}
		x, _ := straight.Belief.MarshalBinary()
		y, _ := doubled.Belief.MarshalBinary()
		if !bytes.Equal(x, y) {
			t.Fatal("a second copy changed the belief")
		}
	}
}

// Whoever learns which chunk when, the ledger's rows and fingerprint are those of its chunks.
func TestFingerprintOfLedger(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		s := &State{Belief: &total{}}
		for _, c := range simulate(t, r) {
			s.Fold(c)
		}
		var rows, skipped, fingerprint uint64
		for chunk := uint64(1); chunk <= 40; chunk++ {
			if s.Ledger.Has(chunk) {
				rows, skipped = rows+chunk%5, skipped+chunk%2
				fingerprint += RowHash(chunk, binary.LittleEndian.AppendUint64(nil, chunk))
			}
		}
		if s.Rows != rows || s.Skipped != skipped || s.Fingerprint != fingerprint || s.Ledger.Has(refusedNumber) {
			t.Fatalf("%d rows, %d skipped, fingerprint %x; want %d, %d, %x", s.Rows, s.Skipped, s.Fingerprint, rows, skipped, fingerprint)
		}
	}
}

// A contribution counts only if it was learned from the belief as it is.
func TestFoldRefusesAnotherVersion(t *testing.T) {
	for _, c := range []struct {
		name           string
		base, baseRows uint64
		want           Verdict
	}{
		{"this version", 10, 100, Counted},
		{"an older version", 9, 99, Refused},
		{"an older version, and then chunks without rows", 9, 100, Refused},
		{"the start", 0, 0, Refused},
		{"another log's version", 11, 100, Refused},
		{"another log's rows", 10, 99, Refused},
	} {
		s := &State{Rows: 100, Version: 10, Belief: &total{}}
		if got := s.Fold(Contribution{Chunk: 1, Base: c.base, BaseRows: c.baseRows, Delta: make([]byte, 8)}); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if s.Position != 1 || s.Verdicts[c.want] != 1 {
			t.Errorf("%s: position %d, verdicts %v", c.name, s.Position, s.Verdicts)
		}
	}
}

// old returns a checkpoint with numbers where programs with several learners had their bound and their stale contributions.
func old(t *testing.T, s *State, share float64, stale uint64) []byte {
	t.Helper()
	b := marshal(t, s)
	binary.LittleEndian.PutUint64(b[len(stateFormat):], math.Float64bits(share))
	binary.LittleEndian.PutUint64(b[len(stateFormat)+9*8:], stale)
	return sealed(b[:len(b)-4])
}

// In a checkpoint of an older program some refused contributions are stale. So it and the rest of the log equal a replay.
func TestCheckpointWithStaleContributions(t *testing.T) {
	s := &State{Position: 9, Version: 4, Rows: 40, Verdicts: [numVerdicts]uint64{4, 2, 3}, Belief: &total{}}
	want := marshal(t, s)
	s.Verdicts[Refused] = 1
	if got := marshal(t, load(t, old(t, s, 0, 2))); !bytes.Equal(got, want) {
		t.Errorf("the checkpoint is read as %x, want %x", got, want)
	}
}

// What several learners stored is refused, with a remedy.
func TestSeveralLearnersAreRefused(t *testing.T) {
	for _, share := range []float64{1e-300, 1. / 59, math.MaxFloat64} {
		if _, err := LoadState(old(t, &State{Belief: &total{}}, share, 0), openTotal); !errors.Is(err, ErrSeveral) {
			t.Errorf("a bound of %g: error %v", share, err)
		}
	}
}

// A checkpoint with any byte changed, or cut off anywhere, is refused.
func TestCheckpointDamage(t *testing.T) {
	s := &State{Belief: &total{}}
	for _, c := range []uint64{1, 2, 4, 7} {
		delta := binary.LittleEndian.AppendUint64(nil, c)
		s.Fold(Contribution{Chunk: c, Base: s.Version, BaseRows: s.Rows, Rows: 10, Skipped: 1, Fingerprint: c, Delta: delta})
	}
	whole := marshal(t, s)
	if again := marshal(t, load(t, whole)); !bytes.Equal(again, whole) {
		t.Fatal("a checkpoint that was read gives other bytes")
	}
	for i := range whole {
		for _, flip := range []byte{1, 0x80, 0xff} {
			damaged := slices.Clone(whole)
			damaged[i] ^= flip
			if _, err := LoadState(damaged, openTotal); err == nil {
				t.Fatalf("byte %d was changed, and the checkpoint was read", i)
			}
		}
		if _, err := LoadState(whole[:i], openTotal); err == nil {
			t.Fatalf("%d bytes of %d were read", i, len(whole))
		}
	}
}

// Bytes with a right checksum that are no checkpoint end in an error, not in a panic.
func FuzzLoadState(f *testing.F) {
	f.Add([]byte(stateFormat))
	f.Add(append(append([]byte(stateFormat), make([]byte, 2*8)...), bytes.Repeat([]byte{0xff}, 11*8)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := LoadState(sealed(b), openTotal)
		if err != nil {
			return
		}
		if len(b) > 0 && s.Ledger.Len() < s.Ledger.Low {
			t.Fatalf("the ledger has %d chunks and begins with %d", s.Ledger.Len(), s.Ledger.Low)
		}
	})
}

// sealed appends the checksum.
func sealed(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(slices.Clone(b), crc32.Checksum(b, castagnoli))
}

// A contribution survives its bytes, and any change of a byte is an error.
func FuzzContribution(f *testing.F) {
	f.Add(uint64(1), uint64(2), uint64(3), uint64(4), uint64(5), uint64(6), []byte("delta"), uint(9))
	f.Add(uint64(0), uint64(0), uint64(0), uint64(0), uint64(0), uint64(math.MaxUint64), []byte(nil), uint(0))
	f.Fuzz(func(t *testing.T, chunk, base, baseRows, rows, skipped, fingerprint uint64, delta []byte, at uint) {
		c := Contribution{chunk, base, baseRows, rows, skipped, fingerprint, delta}
		b := filetest.Must(c.MarshalBinary())(t)
		var got Contribution
		filetest.Check(t, got.UnmarshalBinary(b))
		if !bytes.Equal(got.Delta, c.Delta) {
			t.Fatalf("the delta is %x, want %x", got.Delta, c.Delta)
		}
		if again, err := got.MarshalBinary(); err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%+v, want %+v", got, c)
		}
		if got.Chunk != chunk || got.Fingerprint != fingerprint || got.BaseRows != baseRows {
			t.Fatalf("%+v, want %+v", got, c)
		}
		b[at%uint(len(b))] ^= 1
		if got.UnmarshalBinary(b) == nil {
			t.Fatalf("byte %d was changed, and the contribution was read", at%uint(len(b)))
		}
	})
}

// A contribution of another format, with a right checksum, is refused.
func TestContributionFormat(t *testing.T) {
	b := filetest.Must(Contribution{}.MarshalBinary())(t)
	b[0]++
	b = sealed(b[:len(b)-4])
	if err := new(Contribution).UnmarshalBinary(b); err == nil {
		t.Fatal("a contribution of another format was read")
	}
}
