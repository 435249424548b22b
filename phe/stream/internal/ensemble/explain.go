package ensemble

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"

	"gophe/phe/onepass"
	"gophe/phe/stream/schema"
)

// Explanation is a forecast as a sum: Usual, Recent and the contributions of the terms make Value.
type Explanation struct {
	Value    float64 // log-odds of a class as people see it, or a number
	BaseRate float64 // value of the base rate
	Usual    float64 // value of a usual row of the same novelty
	Recent   float64 // what came last adds
	Terms    []Term

	// IfUsual returns the Value with the usual contribution of a column and its pairs.
	IfUsual func(place int) float64
}

// Term is the contribution of an item of a row, or of a pair of items.
type Term struct {
	Places         [2]int // of the columns in a record, which are one unless it is a pair
	Adds, Variance float64
	Rows           int // of its evidence, at most 255

	at              int       // place of the first of the logits to which it adds
	adds, variances []float64 // to these logits
}

// Explain splits the forecast of the row that all parts forecast last. class is the class whose log-odds add up; weights are the
// classes' weights, or nil. Each expert is a sum of terms. The terms go through the rest along a straight path from a usual row to this
// row: along it, the mean slope of the forecast by each logit is the worth of a term (Aumann and Shapley, 1974).
func (m *Model) Explain(r *Row, class int, weights []float64) Explanation {
	p, number := &r.Predictions, m.target.Kind == schema.Amount
	x := Explanation{Value: p.Main.Mean, BaseRate: p.BaseRate.Mean, Usual: p.Main.Mean, IfUsual: func(int) float64 { return p.Main.Mean }}
	if number && !r.known.known() {
		return x // the base rate
	}
	start, logits := x.terms(m, r)
	j, value := newJoin(m, r, class, weights), (func([]float64, float64) float64)(nil)
	if number {
		j.number(m.Experts)
		value = func(other []float64, _ float64) float64 {
			v := x.Value
			for i, slope := range j.slopes {
				v += slope * (other[i] - logits[i])
			}
			return v
		}
	} else {
		value = newJoin(m, r, class, weights).forecast // by the curves; the path takes their chords
		x.Value = j.path(start, logits)
		x.BaseRate = j.logOdds(p.BaseRate.Classes)
		if told := j.logOdds(p.Main.Classes); !math.IsInf(told, 0) {
			x.Value = told
		}
	}
	x.Recent, x.Usual = j.recent, x.Value-j.recent
	for i := range x.Terms {
		t := &x.Terms[i]
		for o, slope := range j.slopes[t.at:][:len(t.adds)] {
			t.Adds += slope * t.adds[o]
			t.Variance += slope * slope * t.variances[o]
		}
		x.Usual -= t.Adds
	}
	x.IfUsual = func(place int) float64 {
		other := slices.Clone(logits)
		for _, t := range x.Terms {
			for o := 0; o < len(t.adds) && slices.Contains(t.Places[:], place); o++ {
				other[t.at+o] -= t.adds[o]
			}
		}
		return value(other, 1)
	}
	return x
}

// terms sets the terms of all views: the experts, and the evidence alone. It returns their logits of a usual row, and of this row.
func (x *Explanation) terms(m *Model, r *Row) (start, logits []float64) {
	views := make([]onepass.Terms, m.Design.outputs())
	for i, e := range m.Experts {
		both := e.usual.explain(e.Learner, r.encoded[e.at].Cells, 0)
		if views[i] = both[0]; e.alone > 0 {
			views[e.alone] = both[1]
		}
	}
	places, n := m.reader.places(m.reader.encoders[0], r.encoded[0]), len(views[0].Base)
	for v, t := range views {
		start, logits = append(start, t.Base...), append(logits, t.Base...)
		for c, rows := range t.Rows {
			term := Term{Places: places[c], Rows: rows, at: v * n, adds: t.Adds[c*n:][:n], variances: t.Variance[c*n:][:n]}
			for o, add := range term.adds {
				logits[v*n+o] += add
			}
			x.Terms = append(x.Terms, term)
		}
	}
	return start, logits
}

// Sizes returns the mean size of each column's line in the reasons of forecasts, by the column's place in a record. It is about the mean
// over many explanations: each expert's mean, times the present slope of the forecast by its logit and by its evidence's.
func (m *Model) Sizes() []float64 {
	sizes := make([]float64, m.columns)
	for i, x := range m.Experts {
		weights, views := m.combiners[1].(interface{ means() []float64 }).means(), []int{i}
		if x.alone > 0 {
			views = append(views, x.alone)
		}
		slope := 0.
		for _, v := range views {
			slope += weights[v] + weights[m.Design.outputs()]*m.mixture.weights[v]
		}
		if m.target.Kind == schema.Amount {
			slope *= x.unit.Spread
		}
		for place, size := range x.usual.sizes(m.columns) {
			sizes[place] += slope * float64(size)
		}
	}
	return sizes
}

// join makes a forecast of the logits of its views (experts, evidence alone), as the combiners do. The first logit of two classes is 0.
type join struct {
	views, outputs, class int
	weights, rate         []float64 // weights and base rate of the classes
	ofRate                float64   // share of the base rate in the forecast
	chains                []chain
	most                  float64   // largest probability whose log-odds are not flat
	q, p                  []float64 // probabilities [views, classes], and probabilities of the forecast
	others                float64   // weighted probability of the other classes
	slopes                []float64 // mean slopes of the forecast along the path [views, outputs]
	recent                float64   // what came last adds along the path
}

// chain is a mixture with its stacking and its curve. Until a label comes late, there is one.
type chain struct {
	share            float64   // in the forecast
	mixture, weights []float64 // of the mixture and of stacking
	inputs           []float64 // of stacking
	recent           []float64 // what came last adds [classes]
	curve            func(odds float64) float64
	odds, slope      float64   // log-odds before the curve, and the slope of its chord along the path
	mixed, p         []float64 // [classes]
}

func newJoin(m *Model, r *Row, class int, weights []float64) *join {
	p, k := &r.Predictions, len(m.target.Classes)
	j := &join{views: m.Design.outputs(), outputs: m.Design.Experts[0].Learner.Outputs, class: class, weights: weights, most: 1,
		rate: p.BaseRate.Classes, p: make([]float64, k)}
	j.q, j.slopes = make([]float64, j.views*k), make([]float64, j.views*j.outputs)
	if weights == nil {
		j.weights = slices.Repeat([]float64{1}, k)
	}
	if k == 2 {
		j.most = 1 - minProbability
	}
	all := [][]Part{m.combiners[:slices.Index(m.combiners, Part(m.hedge))]}
	if len(p.Choices) > 0 {
		all, j.ofRate = append(all, m.hedge.chain), m.hedge.Weights[len(p.Choices)]
	}
	for i, parts := range all {
		c := chain{share: 1, mixture: parts[0].(*mixture).weights, weights: parts[1].(interface{ means() []float64 }).means(),
			inputs: p.Main.Inputs, recent: make([]float64, k), mixed: make([]float64, k), p: make([]float64, k), slope: 1}
		if len(p.Choices) > 0 {
			c.share, c.inputs = m.hedge.Weights[i], p.Choices[i].Inputs
		}
		for at := (j.views + 1) * j.outputs; k > 0 && at < len(c.inputs); at++ { // two classes have the inputs of the second alone
			c.recent[k-j.outputs+at%j.outputs] += c.weights[at/j.outputs] * c.inputs[at]
		}
		if curve, ok := parts[len(parts)-1].(*recalibration); ok && !curve.without.Curve {
			c.curve = func(odds float64) float64 { return curve.curved(odds, p.Seen) }
		}
		j.chains = append(j.chains, c)
	}
	return j
}

func (s *stacking) means() []float64 { return s.weights.mean }

// number sets the slopes of a number, whose forecast is linear. A forecast that had to stay near the models differs from the sum, and this
// difference is in the usual row.
func (j *join) number(experts []*Expert) {
	for _, c := range j.chains {
		n := len(c.weights)
		for v, x := range experts {
			j.slopes[v] += c.share * (c.weights[v] + c.weights[j.views]*c.mixture[v]) * x.unit.Spread
		}
		for i := j.views + 2; i < n; i++ { // after the mixture and the constant
			j.recent += c.share * c.inputs[n+1] * c.weights[i] * c.inputs[i]
		}
	}
}

// logOdds returns the log-odds of the class, given the probabilities without the weights of the classes.
func (j *join) logOdds(p []float64) float64 {
	j.others = 0
	for o, q := range p {
		if o != j.class {
			j.others += j.weights[o] * q
		}
	}
	return math.Log(j.weights[j.class] * p[j.class] / j.others)
}

// pathNodes are the places and weights of a quadrature over the path, exact to about 13 digits.
var pathNodes, pathWeights [24]float64

func init() { quad.Legendre{}.FixedLocations(pathNodes[:], pathWeights[:], 0, 1) }

// path sets the slopes along the path from the logits of a usual row, and returns the forecast at its end. It goes through a curve by its
// chord, since the curve has corners. A curve may fall by chance in knots of few rows. Its chord would turn all signs, so the least slope
// that the curve aims at takes its place.
func (j *join) path(start, end []float64) (last float64) {
	j.forecast(start, 0)
	low := slices.Clone(j.chains)
	last = j.forecast(end, 1)
	for i := range j.chains {
		c, from, curve := &j.chains[i], low[i].odds, low[i].curve
		if curve == nil {
			continue
		}
		step, first := c.odds-from, curve(from)
		if math.Abs(step) < 1e-6 {
			step = 1e-6
		}
		if c.slope = (curve(from+step) - first) / step; c.slope <= 0 {
			c.slope = 1 - curveShare
		}
		c.curve = func(odds float64) float64 { return first + c.slope*(odds-from) }
	}
	between := make([]float64, len(start))
	for i, s := range pathNodes {
		for at, from := range start {
			between[at] = from + s*(end[at]-from)
		}
		j.forecast(between, s)
		j.slope(pathWeights[i])
	}
	return last
}

// forecast returns the log-odds of the class, given the experts' logits and the share in which recent labels count.
func (j *join) forecast(logits []float64, part float64) float64 {
	k := len(j.rate)
	for v := range j.views {
		q := j.q[v*k : (v+1)*k]
		q[0] = 0
		copy(q[k-j.outputs:], logits[v*j.outputs:(v+1)*j.outputs])
		onepass.SoftmaxInto(q, q)
	}
	for o, g := range j.rate {
		j.p[o] = j.ofRate * g
	}
	for i := range j.chains {
		c := &j.chains[i]
		c.forecast(j, part)
		for o, p := range c.p {
			j.p[o] += c.share * p
		}
	}
	return j.logOdds(j.p)
}

func (c *chain) forecast(j *join, part float64) {
	k := len(j.rate)
	for o, g := range j.rate {
		c.mixed[o] = c.mixture[j.views] * g
		z := part * c.recent[o]
		for v := range j.views {
			q := j.q[v*k+o]
			c.mixed[o] += c.mixture[v] * q
			z += c.weights[v] * math.Log(j.bounded(q))
		}
		c.p[o] = z + c.weights[j.views]*math.Log(j.bounded(c.mixed[o]))
	}
	if c.curve != nil {
		c.odds = c.p[1] - c.p[0]
		c.p[0], c.p[1] = 0, c.curve(c.odds)
	}
	onepass.SoftmaxInto(c.p, c.p)
}

func (j *join) bounded(q float64) float64 { return min(max(q, minProbability), j.most) }

// slope adds a weight times the slopes of the last forecast.
func (j *join) slope(weight float64) {
	k := len(j.rate)
	// Slopes of the forecast: g by a chain's probabilities and then its logits; by, by the logarithms of a view's probabilities.
	g, by := make([]float64, k), make([]float64, k)
	for i := range j.chains {
		c, mean := &j.chains[i], 0.
		for o := range g {
			if g[o] = -j.weights[o] / j.others; o == j.class {
				g[o] = 1 / j.p[o]
			}
			mean += g[o] * c.p[o]
		}
		for o := range g {
			g[o] = weight * c.share * c.slope * c.p[o] * (g[o] - mean)
			j.recent += g[o] * c.recent[o]
		}
		for v := range j.views {
			q, sum := j.q[v*k:(v+1)*k], 0.
			for o := range g {
				if by[o] = 0; j.bounded(q[o]) == q[o] {
					by[o] = g[o] * c.weights[v]
				}
				if j.bounded(c.mixed[o]) == c.mixed[o] {
					by[o] += g[o] * c.weights[j.views] * c.mixture[v] * q[o] / c.mixed[o]
				}
				sum += by[o]
			}
			for o := range j.outputs {
				at := k - j.outputs + o
				j.slopes[v*j.outputs+o] += by[at] - q[at]*sum
			}
		}
	}
}
