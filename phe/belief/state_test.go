package belief

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pkg/errors"
)

// total is a belief that adds the numbers of its chunks, in the order in which they count. It refuses the number refusedNumber.
type total struct{ numbers []uint64 }

const refusedNumber = 13

func (t *total) Learn(chunk []byte) (Learned, error) {
	if len(chunk) != 8 {
		return Learned{}, errors.New("a chunk has 8 bytes")
	}
	n := binary.LittleEndian.Uint64(chunk)
	return Learned{Rows: n % 5, Skipped: n % 2, Fingerprint: RowHash(n, chunk), Delta: chunk}, nil
}

func (t *total) Add(delta []byte, missed uint64) error {
	n := binary.LittleEndian.Uint64(delta)
	if n == refusedNumber {
		return errors.New("the number is refused")
	}
	t.numbers = append(t.numbers, n, missed) // the order and what was missed show in the bytes
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
	b, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func load(t *testing.T, b []byte) *State {
	t.Helper()
	s, err := LoadState(b, openTotal)
	if err != nil {
		t.Fatal(err)
	}
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
			l.Add(chunk)
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
func simulate(t *testing.T, r *rand.Rand, bound Bound) []Contribution {
	t.Helper()
	var log []Contribution
	s := &State{Bound: bound, Belief: &total{}}
	priors := []*State{load(t, marshal(t, s))}
	for range 120 {
		chunk := 1 + r.Uint64N(40)
		prior := priors[max(0, len(priors)-1-r.IntN(4))]
		c, err := prior.Learn(chunk, binary.LittleEndian.AppendUint64(nil, chunk))
		if err != nil {
			t.Fatal(err)
		}
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
		if n == 0 && (Verdict(v) != Stale || bound.Share < 1) {
			t.Fatalf("no contribution is %v", Verdict(v))
		}
	}
	return log
}

// Any restart from a checkpoint and any delivery in pieces gives the same bytes. A second copy of a contribution that counted changes
// no belief.
func TestFoldIsAFunctionOfTheLog(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for trial := range 40 {
		bound := Bound{Share: []float64{0, 0.1, math.MaxFloat64}[trial%3], Memory: []float64{0, 30}[trial%2]}
		log := simulate(t, r, bound)
		straight := &State{Bound: bound, Belief: &total{}}
		restarted := &State{Bound: bound, Belief: &total{}}
		doubled := &State{Bound: bound, Belief: &total{}}
		for _, c := range log {
			straight.Fold(c)
			if r.IntN(10) == 0 {
				restarted = load(t, marshal(t, restarted))
			}
			b, err := c.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			var read Contribution
			if err := read.UnmarshalBinary(b); err != nil {
				t.Fatal(err)
			}
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
		s := &State{Bound: Bound{Share: math.MaxFloat64}, Belief: &total{}}
		for _, c := range simulate(t, r, s.Bound) {
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

// A contribution is stale if its prior lacks more than the bound allows, and not before.
func TestFoldStaleAtTheBound(t *testing.T) {
	for _, c := range []struct {
		name                 string
		bound                Bound
		rows, version        uint64 // of the state
		baseRows, base, news uint64
		want                 Verdict
	}{
		{"fresh", Bound{}, 100, 10, 100, 10, 0, Counted},
		{"nothing may lack", Bound{}, 100, 10, 99, 9, 0, Stale},
		{"at the bound", Bound{Share: 0.25}, 100, 10, 80, 8, 0, Counted},
		{"above the bound", Bound{Share: 0.24}, 100, 10, 80, 8, 0, Stale},
		{"memory", Bound{Share: 0.25, Memory: 40}, 100, 10, 90, 9, 0, Counted},
		{"beyond memory", Bound{Share: 0.25, Memory: 40}, 100, 10, 89, 9, 0, Stale},
		{"chunks without rows are news", Bound{}, 100, 10, 100, 9, 0, Stale},
		{"no rows yet", Bound{Share: 0.5}, 1, 1, 0, 0, 0, Stale},
		{"another log's version", Bound{Share: 0.5}, 100, 10, 100, 11, 0, Refused},
		{"another log's rows", Bound{Share: 0.5}, 100, 10, 101, 10, 0, Refused},
	} {
		s := &State{Bound: c.bound, Rows: c.rows, Version: c.version, Belief: &total{}}
		if got := s.Fold(Contribution{Chunk: 1, Base: c.base, BaseRows: c.baseRows, Delta: make([]byte, 8)}); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if s.Position != 1 || s.Verdicts[c.want] != 1 {
			t.Errorf("%s: position %d, verdicts %v", c.name, s.Position, s.Verdicts)
		}
	}
}

// A checkpoint with any byte changed, or cut off anywhere, is refused.
func TestCheckpointDamage(t *testing.T) {
	s := &State{Bound: Bound{Share: 0.5, Memory: 70}, Belief: &total{}}
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
	f.Add(append([]byte(stateFormat), bytes.Repeat([]byte{0xff}, 13*8)...))
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
		b, err := c.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var got Contribution
		if err := got.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
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
	b, err := Contribution{}.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	b[0]++
	b = sealed(b[:len(b)-4])
	if err := new(Contribution).UnmarshalBinary(b); err == nil {
		t.Fatal("a contribution of another format was read")
	}
}
