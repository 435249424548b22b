package onepass

import (
	"math"
)

// Row is one record as a learner reads it: its items, hashed, and its numbers. A learner keeps nothing of it.
type Row struct {
	Cells   []Cell
	Numbers []float64 // [numbers]
}

// Cell is one item of a row. A column may have several cells, or none.
type Cell struct {
	Column  int     // the column, whose weights θ the item shares
	Share   float64 // 1, or 1/n where the column has n items in this row
	Buckets []int32 // rows of table E: K of a hashed item, or the item's own one
	Weights int32   // row of table W; WeightedSum only
	Signs   uint64  // bit k tells whether bucket k counts negatively; SignedSum only
	Key     uint64  // identifies the item, uniform below 2⁶¹; Evidence only
}

// sums are a row's logits under the beliefs, and what the row's label says about them. Every part of a learner adds to the
// mean and the covariance, and later moves by pull and stiffness.
type sums struct {
	outputs   int
	weight    float64   // of the row being learned: how many rows it counts as
	usual     float64   // mean weight of the rows so far, in units of this row's
	mean      []float64 // μ [outputs]
	cov       []float64 // Q [outputs, outputs], symmetric
	pull      []float64 // a [outputs]: the logits' posterior mean is μ + Q a
	stiffness []float64 // M [outputs, outputs]: their posterior covariance is Q − Q M Q
	scratch   []float64 // [outputs, outputs] and [outputs]
	products  float64   // variance that products of beliefs have beyond their gradients'; heads of unbounded pull only
	label     []float64 // [outputs] what evidence counts: the target; of Softmax, 1 for its class and 0 for the others; of Gaussian, the error
	classes   []float64 // probabilities of the last forecast
}

func newSums(outputs int) *sums {
	n := outputs * outputs
	numbers := make([]float64, 4*outputs+3*n+max(2, outputs))
	take := func(n int) []float64 {
		part := numbers[:n:n]
		numbers = numbers[n:]
		return part
	}
	return &sums{outputs: outputs, weight: 1, usual: 1, mean: take(outputs), cov: take(n), pull: take(outputs), stiffness: take(n), scratch: take(n + outputs),
		label: take(outputs), classes: take(max(2, outputs))}
}

func (s *sums) reset() {
	clear(s.mean)
	clear(s.cov)
	s.products = 0
}

// addOuter adds v·g gᵀ to the lower triangle of Q, where gradient g has a stride between its outputs.
func (s *sums) addOuter(v float64, g []float64, stride int) {
	for o := range s.outputs {
		vg := v * g[o*stride]
		for r := range o + 1 {
			s.cov[o*s.outputs+r] += vg * g[r*stride]
		}
	}
}

// mirror copies Q's lower triangle to the upper one.
func (s *sums) mirror() {
	for o := range s.outputs {
		for r := range o {
			s.cov[r*s.outputs+o] = s.cov[o*s.outputs+r]
		}
	}
}

// along returns g·a and gᵀMg of a gradient with a stride between its outputs: how far the label pulls the entry, and how
// stiffly it holds it.
func (s *sums) along(g []float64, stride int) (pull, stiffness float64) {
	if s.outputs == 1 {
		return g[0] * s.pull[0], g[0] * g[0] * s.stiffness[0]
	}
	for o := range s.outputs {
		v := g[o*stride]
		pull += v * s.pull[o]
		row := s.stiffness[o*s.outputs : (o+1)*s.outputs]
		sum := 0.0
		for r, m := range row {
			sum += m * g[r*stride]
		}
		stiffness += v * sum
	}
	return pull, stiffness
}

// weigh makes the row count as several, or as a part of one. The pull must be PlugIn's on one logit: a = g/(1 + qc) and
// M = c/(1 + qc), with the likelihood's gradient g and curvature c. Both become weight times as large.
func (s *sums) weigh() {
	if s.weight == 1 {
		return
	}
	rest := 1 - s.cov[0]*s.stiffness[0] // 1/(1 + qc)
	scale := s.weight / (rest + s.weight*(1-rest))
	s.pull[0] *= scale
	s.stiffness[0] *= scale
}

// restrain bounds the pull of a target on one logit. The update is right to first order in the entries. Where all factors of
// a product move by t of their standard deviations, the second order is about t²√products, and the first t√Q. The pull
// keeps the second below the first; what is linear in its beliefs has no such bound. (The logistic heads need none: MacKay's
// moves a logit by at most √(8Q/π).)
func (s *sums) restrain() {
	if s.products > 0 {
		most := 1 / math.Sqrt(s.products) // t = |a|√Q ≤ √(Q/products)
		s.pull[0] = max(-most, min(most, s.pull[0]))
	}
}

// slots numbers the table entries that a row touches: 0, 1, … in the order in which they are met. An entry that several
// items of a row share has one number, so that its gradients add up before anything is squared.
type slots struct {
	keys []int64 // met so far

	// A hash table with open addressing. A cell counts if its stamp is the row's.
	cells []int32
	stamp []uint32
	row   uint32
}

// reset begins a row.
func (s *slots) reset() {
	s.keys = s.keys[:0]
	s.row++
	if s.row == 0 { // the stamps of 2³² rows ago would count
		clear(s.stamp)
		s.row = 1
	}
}

// number returns an entry's number; isNew tells whether the row meets it for the first time.
func (s *slots) number(key int64) (number int, isNew bool) {
	if 2*len(s.keys) >= len(s.cells) {
		s.grow()
	}
	mask := uint64(len(s.cells) - 1)
	for at := uint64(key) * 0x9E3779B97F4A7C15 >> 32 & mask; ; at = (at + 1) & mask {
		if s.stamp[at] != s.row {
			s.stamp[at], s.cells[at] = s.row, int32(len(s.keys))
			s.keys = append(s.keys, key)
			return len(s.keys) - 1, true
		}
		if n := s.cells[at]; s.keys[n] == key {
			return int(n), false
		}
	}
}

// grow makes the table twice as large. A learner's rows are alike, so that this ends after the first few.
func (s *slots) grow() {
	keys := s.keys
	size := max(64, 2*len(s.cells))
	s.cells, s.stamp, s.row = make([]int32, size), make([]uint32, size), 1
	s.keys = make([]int64, 0, size)
	for _, key := range keys {
		s.number(key)
	}
}

// zeroed extends x by n zeros.
func zeroed(x []float64, n int) []float64 {
	if cap(x)-len(x) < n {
		return append(x, make([]float64, n)...)
	}
	x = x[:len(x)+n]
	clear(x[len(x)-n:])
	return x
}
