package onepass

import (
	"cmp"
	"slices"
)

// gains measures how useful each column is, in the rows before the last choice.
type gains struct {
	until int       // number of these rows
	sum   []float64 // [columns] nats by which the forecasts would have been worse without the column, to second order

	columns []int32   // of the last row
	added   []float64 // [columns, outputs] their additions to the logits
}

// newGains returns nil if the model drops no pairs.
func newGains(c Config) *gains {
	if !c.Chooses() {
		return nil
	}
	until := firstChoice
	for c.left(until) > c.Kept {
		until += nextChoice
	}
	return &gains{until: until, sum: make([]float64, c.Columns), added: make([]float64, c.Columns*c.Outputs)}
}

// Pairs are dropped a few at a time. A pair needs rows to show its gain, and of two pairs that say the same, one is worth keeping.
const (
	firstChoice = 500 // rows before the first choice
	nextChoice  = 250 // rows from one choice to the next
	dropped     = 0.06
)

// left returns the number of pairs that are left after a number of rows.
func (in Inputs) left(rows int) int {
	n := in.numPairs()
	for at := firstChoice; at <= rows && n > in.Kept; at += nextChoice {
		n = max(in.Kept, n-max(1, int(dropped*float64(n))))
	}
	return n
}

// judge adds a row to the gains.
func (m *Model) judge(s *sums, target float64) {
	g := s.gains
	if g == nil || s.rows >= g.until {
		return
	}
	worse := m.without(s, target)
	for _, c := range g.columns {
		g.sum[c] += s.weight * worse(g.added[int(c)*s.outputs:][:s.outputs])
	}
}

// without returns a function of an addition z to the row's logits. It is the increase of the row's loss without z: zᵀe + ½ zᵀCz, where
// e is the gradient of the log-likelihood and C its curvature.
func (m *Model) without(s *sums, target float64) func(z []float64) float64 {
	if m.config.Head == Softmax {
		p := make([]float64, s.outputs)
		SoftmaxInto(p, s.mean)
		return func(z []float64) float64 {
			mean, square := 0., 0.
			for o, q := range p {
				mean += q * z[o]
				square += q * z[o] * z[o]
			}
			return z[int(target)] - mean + 0.5*(square-mean*mean)
		}
	}
	p := s.sigmoid(s.mean[0])
	e, curvature := target-p, p*(1-p)
	if m.config.Head == Gaussian {
		v := m.noise()
		e, curvature = m.clip(target-s.mean[0], s.cov[0]+v)/v, 1/v
	}
	return func(z []float64) float64 { return z[0]*e + 0.5*z[0]*z[0]*curvature }
}

// Choose drops the pairs of least gain from the encoder of the model's rows, when it is time. Call it after each row.
func (m *Model) Choose(e *Encoder) {
	g := m.sums.gains
	if g == nil || int(m.rows)%nextChoice != 0 {
		return
	}
	if n := m.config.left(int(m.rows)); n < len(e.pairs) {
		slices.SortStableFunc(e.pairs, func(a, b PairColumn) int { return cmp.Compare(g.sum[b.Column], g.sum[a.Column]) })
		e.pairs = e.pairs[:n]
		slices.SortFunc(e.pairs, func(a, b PairColumn) int { return a.Column - b.Column })
	}
}
