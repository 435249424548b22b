package belief_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/floats"

	"gophe/phe/belief"
)

// The stream of the tests: each of its items is the sum of 12 entries of a table of 120. Items of low numbers are frequent.
const (
	staleEntries = 120
	staleSum     = 12
	staleItems   = 400
	staleNoise   = 0.25 // variance
	staleChunk   = 50   // rows
	staleChunks  = 192
)

// hashed is a diagonal belief over a hashed table, learned in closed form: Bayes' rule for each row, and then back to a diagonal.
type hashed struct {
	table  belief.Table
	scaled bool // contributions that do not know of each other are scaled (docs/cluster-staleness.md)
	recent []map[int]natural
}

// natural is the change of an entry's natural parameters by a contribution.
type natural struct{ precision, information float64 }

// A row is its entries and its target.
const hashedRow = staleSum + 8

func (h *hashed) Learn(chunk []byte) (belief.Learned, error) {
	l, after := belief.Learned{}, h.table.Clone()
	for ; len(chunk) >= hashedRow; chunk = chunk[hashedRow:] {
		row := chunk[:hashedRow]
		mean, variance := 0.0, staleNoise
		for _, i := range row[:staleSum] {
			mean += after.Mean[i]
			variance += after.Variance[i]
		}
		gain := (math.Float64frombits(binary.LittleEndian.Uint64(row[staleSum:])) - mean) / variance
		for _, i := range row[:staleSum] {
			v := after.Variance[i]
			after.Mean[i] += v * gain
			after.Variance[i] -= v * v / variance
		}
		l.Rows++
		l.Fingerprint += belief.RowHash(0, row)
	}
	for i, v := range after.Variance {
		if v0 := h.table.Variance[i]; v != v0 {
			l.Delta = append(l.Delta, byte(i))
			l.Delta = binary.LittleEndian.AppendUint64(l.Delta, math.Float64bits(1/v-1/v0))
			l.Delta = binary.LittleEndian.AppendUint64(l.Delta, math.Float64bits(after.Mean[i]/v-h.table.Mean[i]/v0))
		}
	}
	return l, nil
}

func (h *hashed) Add(delta []byte, missed uint64) error {
	d, gains, unknown := belief.Delta{Dim: 1}, map[int]natural{}, h.recent[len(h.recent)-int(missed/staleChunk):]
	for ; len(delta) >= 17; delta = delta[17:] {
		i := int(delta[0])
		own := natural{math.Float64frombits(binary.LittleEndian.Uint64(delta[1:])), math.Float64frombits(binary.LittleEndian.Uint64(delta[9:]))}
		gains[i] = own
		if h.scaled {
			own = own.beside(unknown, i)
		}
		d.Rows, d.Precision, d.Information = append(d.Rows, int32(i)), append(d.Precision, own.precision), append(d.Information, own.information)
	}
	if len(delta) > 0 {
		return errors.New("the delta is cut off")
	}
	h.recent = append(h.recent, gains)
	return h.table.Add(d, 0)
}

// beside returns what a contribution adds to an entry beside contributions that it does not know of. Together they count as much as
// the contribution with the largest precision.
func (n natural) beside(unknown []map[int]natural, entry int) natural {
	var sum natural
	largest := 0.0
	add := func(x natural) {
		sum.precision += x.precision
		sum.information += x.information
		largest = max(largest, x.precision)
	}
	scaled := func() natural {
		if sum.precision == 0 {
			return natural{}
		}
		return natural{largest, sum.information * largest / sum.precision}
	}
	for _, gains := range unknown {
		add(gains[entry])
	}
	before := scaled()
	add(n)
	after := scaled()
	return natural{after.precision - before.precision, after.information - before.information}
}

func (h *hashed) MarshalBinary() ([]byte, error) {
	return belief.File{Kind: "hashed", Tables: map[string]belief.Table{"E": h.table}}.MarshalBinary()
}

// staleStream draws the items' entries and the chunks of the stream. It returns the exact posterior's forecast of each item after
// all rows, and the wrapping sum of the rows' hashes.
func staleStream(t *testing.T) (items [][]int, chunks [][]byte, exact []float64, fingerprint uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 1))
	truth := make([]float64, staleEntries)
	for i := range truth {
		truth[i] = rng.NormFloat64()
	}
	for range staleItems {
		items = append(items, rng.Perm(staleEntries)[:staleSum])
	}
	m, err := belief.NewLinearGaussian(staleEntries, 1, staleNoise)
	if err != nil {
		t.Fatal(err)
	}
	for range staleChunks {
		var chunk []byte
		for range staleChunk {
			u := rng.Float64()
			item, x := items[int(staleItems*u*u)], make([]float64, staleEntries)
			y, row := math.Sqrt(staleNoise)*rng.NormFloat64(), make([]byte, 0, hashedRow)
			for _, i := range item {
				y += truth[i]
				x[i] = 1
				row = append(row, byte(i))
			}
			row = binary.LittleEndian.AppendUint64(row, math.Float64bits(y))
			m.Update(x, y)
			chunk = append(chunk, row...)
			fingerprint += belief.RowHash(0, row)
		}
		chunks = append(chunks, chunk)
	}
	mean, _, err := m.Posterior()
	if err != nil {
		t.Fatal(err)
	}
	return items, chunks, forecasts(items, mean.AtVec), fingerprint
}

func forecasts(items [][]int, mean func(entry int) float64) []float64 {
	f := make([]float64, len(items))
	for k, item := range items {
		for _, i := range item {
			f[k] += mean(i)
		}
	}
	return f
}

// learnInRounds lets learners take a chunk each from one prior, round after round, until all chunks are counted. A chunk whose
// contribution was stale is learned again in the next round. Each round counts its first contribution, so the rounds end.
// after is called after each round.
func learnInRounds(t *testing.T, s *belief.State, learners int, chunks [][]byte, after func(rows uint64)) (rounds int) {
	t.Helper()
	waiting := make([]uint64, len(chunks))
	for i := range waiting {
		waiting[i] = uint64(i + 1)
	}
	for ; len(waiting) > 0; rounds++ {
		taken := min(learners, len(waiting))
		var contributions []belief.Contribution
		for _, chunk := range waiting[:taken] {
			c, err := s.Learn(chunk, chunks[chunk-1])
			if err != nil {
				t.Fatal(err)
			}
			contributions = append(contributions, c)
		}
		var again []uint64
		for _, c := range contributions {
			switch v := s.Fold(c); v {
			case belief.Counted:
			case belief.Stale:
				again = append(again, c.Chunk)
			default:
				t.Fatalf("chunk %d was %s", c.Chunk, v)
			}
		}
		if len(again) == taken {
			t.Fatalf("no contribution of round %d counted", rounds)
		}
		waiting = append(again, waiting[taken:]...)
		after(s.Rows)
	}
	return rounds
}

// Eight learners diverge if their priors may lack any number of rows. With the bound they learn what one learner learns, and share
// the work. Without a bound, but with contributions that are scaled, they learn less than one learner and do not diverge.
func TestStaleness(t *testing.T) {
	const learners = 8
	items, chunks, exact, fingerprint := staleStream(t)
	type errors struct{ end, worst float64 } // worst after the first tenth of the rows
	learn := func(learners int, share float64, scaled bool) (rms errors, s *belief.State, rounds int) {
		h := &hashed{table: belief.NewTable(staleEntries, 1, 0, 1), scaled: scaled}
		s = &belief.State{Bound: belief.Bound{Share: share}, Belief: h}
		rounds = learnInRounds(t, s, learners, chunks, func(rows uint64) {
			rms.end = floats.Distance(forecasts(items, func(i int) float64 { return h.table.Mean[i] }), exact, 2) / math.Sqrt(staleItems)
			if rows > staleChunk*staleChunks/10 {
				rms.worst = max(rms.worst, rms.end)
			}
		})
		if s.Rows != staleChunk*staleChunks || s.Fingerprint != fingerprint || s.Verdicts[belief.Counted] != staleChunks {
			t.Fatalf("%d learners counted %d rows with fingerprint %x, want %d with %x", learners, s.Rows, s.Fingerprint,
				staleChunk*staleChunks, fingerprint)
		}
		return rms, s, rounds
	}
	one, _, _ := learn(1, 0, false)
	unbounded, s, rounds := learn(learners, math.MaxFloat64, false)
	if s.Verdicts[belief.Stale] != 0 || rounds != (staleChunks+learners-1)/learners {
		t.Fatalf("without a bound %d contributions are stale in %d rounds; want none in %d", s.Verdicts[belief.Stale], rounds, (staleChunks+learners-1)/learners)
	}
	bounded, s, rounds := learn(learners, belief.ShareOf(staleSum), false)
	scaled, _, _ := learn(learners, math.MaxFloat64, true)
	t.Logf("error of one learner %.4g; of eight, without bound %.4g, with bound %.4g, scaled %.4g; with bound %d are stale, %.1f learners at work",
		one, unbounded, bounded, scaled, s.Verdicts[belief.Stale], staleChunks/float64(rounds))
	if !(unbounded.worst > 30*one.worst) { // 53 times as large when this was written
		t.Errorf("without a bound the errors are %+v, and one learner's %+v; stale sums should diverge", unbounded, one)
	}
	if !(bounded.end < 1.06*one.end && bounded.worst < 1.06*one.worst) {
		t.Errorf("with the bound the errors are %+v, and one learner's %+v", bounded, one)
	}
	if !(scaled.worst < 3*one.worst) { // sums are 53 times as far away
		t.Errorf("scaled without a bound the errors are %+v, and one learner's %+v", scaled, one)
	}
	if s.Verdicts[belief.Stale] == 0 || rounds > staleChunks/2 {
		t.Errorf("with the bound %d contributions are stale, and %d rounds learn %d chunks; want some stale, and two learners at work",
			s.Verdicts[belief.Stale], rounds, staleChunks)
	}
}
