package onepass

import (
	"math"
	"slices"
)

// Row is one record in the form that a model reads: hashed items and numbers. A model keeps no reference to it.
type Row struct {
	Cells   []Cell
	Slots   []uint32  // K rows of table E for each cell in turn; with SignedSum, a slot whose highest bit is set counts negatively
	Numbers []float64 // [numbers]
	Late    bool      // other rows were learned since the row was forecast

	values []uint64 // of single columns under the first hash function, in the row of an Encoder
}

// Cell is one item of a row. A column may have several cells, or none.
type Cell struct {
	Key     uint64  // identifies the item; uniform below 2⁶¹; Evidence only
	Share   float64 // 1/n if the column has n items in this row
	Column  int32   // the column, whose weights θ the item shares
	Weights int32   // row of table W; WeightedSum only
}

// signBit is the bit of a slot that holds its sign.
const signBit = 1 << 31

// Add adds an item with its K rows of table E.
func (r *Row) Add(c Cell, buckets ...int32) {
	r.Cells = append(r.Cells, c)
	for _, b := range buckets {
		r.Slots = append(r.Slots, uint32(b))
	}
}

// signed returns a share with the sign of a slot.
func signed(share float64, slot uint32) float64 {
	return math.Float64frombits(math.Float64bits(share) ^ uint64(slot>>31)<<63)
}

// sums holds the logits of one row. Each part adds to mean and covariance. Then the label sets gradient and curvature, by which parts move.
type sums struct {
	outputs    int
	rows       int       // learned before this row; draws of roundings come from it
	weight     float64   // number of rows that the row counts as
	meanWeight float64   // mean weight of the rows so far, relative to this row's weight
	mean       []float64 // μ [outputs]
	cov        []float64 // Q [outputs, outputs], symmetric
	gradient   []float64 // a [outputs]: the posterior mean of the logits is μ + Q a
	curvature  []float64 // M [outputs, outputs]: the posterior covariance of the logits is Q − Q M Q
	scratch    []float64 // [outputs, outputs] and [outputs]
	products   float64   // part of the variance that products of beliefs add and no gradient explains; only for unbounded gradients
	label      []float64 // [outputs] the label that evidence counts: the target, one-hot with Softmax, or the error with Gaussian
	logit, p   float64   // a logit, and its logistic function
	gains      *gains    // nil unless the model drops pairs
	forgets    bool      // the entries that the row touches age before they are read
	classes    []float64 // probabilities of the last forecast
}

func newSums(outputs int) *sums {
	list := func(n int) []float64 { return make([]float64, n) }
	n := outputs * outputs
	return &sums{outputs: outputs, weight: 1, meanWeight: 1, mean: list(outputs), cov: list(n), gradient: list(outputs), curvature: list(n),
		scratch: list(n + outputs), label: list(outputs), classes: list(max(2, outputs)), logit: math.NaN()}
}

// sigmoid returns the logistic function of a logit. It caches the last one, which forecast and gradient both need.
func (s *sums) sigmoid(logit float64) float64 {
	if s.logit != logit {
		s.logit, s.p = logit, sigmoid(logit)
	}
	return s.p
}

func (s *sums) reset() {
	clear(s.mean)
	clear(s.cov)
	s.products = 0
}

// mirror copies Q's lower triangle to the upper one.
func (s *sums) mirror() {
	for o := range s.outputs {
		for r := range o {
			s.cov[r*s.outputs+o] = s.cov[o*s.outputs+r]
		}
	}
}

// along returns g·a and gᵀMg for a gradient g: the gradient and the curvature of one entry. Outputs are stride apart in g.
func (s *sums) along(g []float64, stride int) (gradient, curvature float64) {
	for o := range s.outputs {
		v := g[o*stride]
		gradient += v * s.gradient[o]
		row := s.curvature[o*s.outputs : (o+1)*s.outputs]
		sum := 0.0
		for r, m := range row {
			sum += m * g[r*stride]
		}
		curvature += v * sum
	}
	return gradient, curvature
}

// weigh makes the row count as several rows, or as a part of one. It needs PlugIn on one logit: a = g/(1 + qc) and M = c/(1 + qc),
// with the likelihood's gradient g and curvature c. Both g and c are multiplied by weight.
func (s *sums) weigh() {
	if s.weight == 1 {
		return
	}
	rest := 1 - s.cov[0]*s.curvature[0] // 1/(1 + qc)
	scale := s.weight / (rest + s.weight*(1-rest))
	s.gradient[0] *= scale
	s.curvature[0] *= scale
}

// clip bounds the gradient. The update is right only to first order in the entries. If all factors of a product move by t standard
// deviations, the second-order term is about t²√products, and the first-order term t√Q. The bound keeps the second below the first. Terms
// linear in the beliefs need no bound. Logistic heads need none for rows of weight 1: MacKay's gradient moves a logit by at most √(8Q/π).
func (s *sums) clip() {
	if s.products > 0 {
		most := 1 / math.Sqrt(s.products) // t = |a|√Q ≤ √(Q/products)
		for o, g := range s.gradient {
			s.gradient[o] = max(-most, min(most, g))
		}
	}
}

// slots numbers the table entries that a row touches: 0, 1, … in order of their first use. If several items share an entry, it has
// one number, so their gradients add up before they are squared.
type slots struct {
	keys []int // so far
	met  met
}

// reset begins a row.
func (s *slots) reset() {
	for _, key := range s.keys {
		s.met.remove(uint32(key))
	}
	s.keys = s.keys[:0]
}

// number returns an entry's number. isNew tells whether this is the row's first use of the entry.
func (s *slots) number(key int) (number int, isNew bool) {
	if s.met.add(uint32(key)) {
		if at := slices.Index(s.keys, key); at >= 0 {
			return at, false
		}
	}
	s.keys = append(s.keys, key)
	return len(s.keys) - 1, true
}

// met is a set of the slots that a row used, up to collisions of last bits. Repeated slots are rare, so a collision may cost a search.
type met [1 << 9]uint64

// add adds a slot and tells whether it may have been there.
func (m *met) add(slot uint32) (before bool) {
	w, bit := &m[slot>>6%uint32(len(m))], uint64(1)<<(slot&63)
	before = *w&bit != 0
	*w |= bit
	return before
}

// remove removes a slot, and perhaps others. All must be removed in the end.
func (m *met) remove(slot uint32) { m[slot>>6%uint32(len(m))] = 0 }

// zeroed appends n zeros to x.
func zeroed(x []float64, n int) []float64 {
	x = grown(x, n)
	clear(x[len(x)-n:])
	return x
}

// grown returns x with n more elements, of any value.
func grown[T any](x []T, n int) []T { return slices.Grow(x, n)[:len(x)+n] }
