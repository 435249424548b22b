package ensemble

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"

	"gophe/phe/onepass"
	"gophe/phe/stream/schema"
)

// Explanation is a forecast as a sum: Usual, Recent, and what the columns add make Value.
type Explanation struct {
	Value    float64 // log-odds of a class as people see it, or a number
	BaseRate float64 // that of the base rate
	Usual    float64 // that of a usual row of the same novelty
	Recent   float64 // what came last adds
	Columns  []Line  // by their places in a record
	Pairs    []Line  // already in the columns, by halves; largest first
}

// Line is what a column of a record adds with half of each of its pairs, or what a pair adds.
type Line struct {
	Columns  [2]int // places in a record; of a pair, two
	Adds     float64
	Variance float64
	Rows     int     // of its evidence, at most 255
	IfUsual  float64 // the Value if the column and its pairs added what they add in a usual row
}

// Explain splits the forecast of the row that all parts forecast last. class is the class whose log-odds add up; weights are those of the
// classes, or nil. Each expert is a sum of terms. The terms go through the rest along a straight path from a usual row to this row: along
// it, the mean slope of the forecast by each logit tells what a term is worth (Aumann and Shapley, 1974).
func (m *Model) Explain(r *Row, class int, weights []float64) Explanation {
	p, number := &r.Predictions, m.target.Kind == schema.Amount
	x := Explanation{Value: p.Main.Mean, BaseRate: p.BaseRate.Mean, Usual: p.Main.Mean, Columns: make([]Line, m.columns)}
	for i := range x.Columns {
		x.Columns[i] = Line{Columns: [2]int{i, i}, IfUsual: x.Value}
	}
	if number && !r.known.known() {
		return x // the base rate
	}
	j, views := newJoin(m, r, class, weights), m.views(r)
	start := make([]float64, j.views*j.outputs) // logits of a usual row
	logits := slices.Clone(start)
	for v := range views {
		for i := range j.outputs {
			at := v*j.outputs + i
			start[at] = views[v].Base[i]
			for logits[at] = start[at]; i < len(views[v].Adds); i += j.outputs {
				logits[at] += views[v].Adds[i]
			}
		}
	}
	var value func(logits []float64) float64
	if number {
		x.Recent = j.numberSlopes(m, r)
		value = func(other []float64) float64 {
			v := x.Value
			for i, slope := range j.slopes {
				v += slope * (other[i] - logits[i])
			}
			return v
		}
	} else {
		end := j.path(start, logits)
		if x.Value, x.BaseRate, x.Recent = j.logOdds(p.Main.Classes), j.logOdds(p.BaseRate.Classes), j.recent; math.IsInf(x.Value, 0) {
			x.Value = end
		}
		curved := newJoin(m, r, class, weights) // the path goes by chords of the curves
		value = func(logits []float64) float64 { return curved.forecast(logits, 1) }
	}
	x.lines(m, r, views, j, logits, value)
	x.Usual = x.Value - x.Recent
	for i := range x.Columns {
		x.Usual -= x.Columns[i].Adds
	}
	return x
}

// view is the logits of an expert, or of evidence alone, as a sum relative to a usual row.
type view struct {
	onepass.Terms
	cells []onepass.Cell
}

func (m *Model) views(r *Row) []view {
	views := make([]view, m.Design.outputs())
	for i, x := range m.Experts {
		t, alone := x.Learner.Explain()
		cells := r.encoded[x.at].Cells
		x.usual.centre(x.Learner, cells, &t, &alone)
		if views[i] = (view{t, cells}); x.alone > 0 {
			views[x.alone] = view{alone, cells}
		}
	}
	return views
}

// lines adds the terms up by columns and by pairs.
func (x *Explanation) lines(m *Model, r *Row, views []view, j *join, logits []float64, value func([]float64) float64) {
	fields, n := m.reader.encoders[0].Fields(r.encoded[0]), len(logits)
	whole := make([]float64, len(x.Columns)*n) // what columns add to the logits with their pairs
	pairs := map[[2]int]Line{}
	for v := range views {
		for c := range views[v].cells {
			a, b := m.reader.inputs[fields[c][0]].Place, m.reader.inputs[fields[c][1]].Place
			adds, variance := 0., 0.
			for o := range j.outputs {
				at, term := v*j.outputs+o, views[v].Adds[c*j.outputs+o]
				slope := j.slopes[at]
				adds += slope * term
				variance += slope * slope * views[v].Variance[c*j.outputs+o]
				if whole[a*n+at] += term; a != b {
					whole[b*n+at] += term
				}
			}
			if a == b {
				x.Columns[a].Adds += adds
				x.Columns[a].Variance += variance
				x.Columns[a].Rows = max(x.Columns[a].Rows, views[v].Rows[c])
				continue
			}
			for _, place := range [2]int{a, b} {
				x.Columns[place].Adds += adds / 2
				x.Columns[place].Variance += variance / 4
			}
			was := pairs[[2]int{a, b}]
			pairs[[2]int{a, b}] = Line{[2]int{a, b}, was.Adds + adds, was.Variance + variance, max(was.Rows, views[v].Rows[c]), 0}
		}
	}
	for i := range x.Columns {
		other := slices.Clone(logits)
		for at := range other {
			other[at] -= whole[i*n+at]
		}
		x.Columns[i].IfUsual = value(other)
	}
	for _, l := range pairs {
		x.Pairs = append(x.Pairs, l)
	}
	slices.SortFunc(x.Pairs, func(a, b Line) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Adds), math.Abs(a.Adds)), slices.Compare(a.Columns[:], b.Columns[:]))
	})
}

// join makes a forecast of the logits of the experts and of the evidence alone, as the combiners do. Two classes are a softmax whose first
// logit is 0.
type join struct {
	views, outputs, class int
	weights               []float64 // of the classes
	rate                  []float64 // the base rate of the classes
	ofRate                float64   // its share in the forecast
	chains                []chain
	most                  float64   // largest probability whose log-odds are not flat
	q                     []float64 // probabilities [views, classes]
	p                     []float64 // of the forecast [classes]
	others                float64   // weighted probability of the other classes
	slopes                []float64 // mean slopes of the forecast along the path [views, outputs]
	recent                float64   // what came last adds along the path
}

// chain is a mixture with its stacking and its curve. Until a label comes late, there is one.
type chain struct {
	share            float64   // in the forecast
	mixture, weights []float64 // those of stacking
	inputs           []float64 // of stacking
	recent           []float64 // what came last adds [classes]
	curve            func(odds float64) float64
	odds             float64 // before the curve
	slope            float64 // of the curve's chord along the path
	mixed, p         []float64
}

func newJoin(m *Model, r *Row, class int, weights []float64) *join {
	p, all := &r.Predictions, [][]Part{m.combiners[:slices.Index(m.combiners, Part(m.hedge))]}
	j := &join{views: m.Design.outputs(), outputs: m.Design.Experts[0].Learner.Outputs, class: class, weights: weights, most: 1,
		rate: p.BaseRate.Classes}
	k := len(j.rate)
	if weights == nil {
		j.weights = slices.Repeat([]float64{1}, k)
	}
	j.q, j.p, j.slopes = make([]float64, j.views*k), make([]float64, k), make([]float64, j.views*j.outputs)
	if k == 2 {
		j.most = 1 - minProbability
	}
	if len(p.Choices) > 0 {
		all, j.ofRate = append(all, m.hedge.chain), m.hedge.Weights[len(p.Choices)]
	}
	for i, parts := range all {
		c := chain{share: 1, mixture: parts[0].(*mixture).weights, weights: parts[1].(interface{ means() []float64 }).means(),
			inputs: p.Main.Inputs, recent: make([]float64, k), mixed: make([]float64, k), p: make([]float64, k), slope: 1}
		if len(p.Choices) > 0 {
			c.share, c.inputs = m.hedge.Weights[i], p.Choices[i].Inputs
		}
		for at := j.views + 1; k > 0 && at < len(c.weights); at++ { // two classes have the inputs of the second alone
			for o := range j.outputs {
				c.recent[k-j.outputs+o] += c.weights[at] * c.inputs[at*j.outputs+o]
			}
		}
		if curve, ok := parts[len(parts)-1].(*recalibration); ok && !curve.without.Curve {
			c.curve = func(odds float64) float64 { return curve.curved(odds, p.Seen) }
		}
		j.chains = append(j.chains, c)
	}
	return j
}

func (s *stacking) means() []float64 { return s.weights.mean }

// numberSlopes sets the slopes of a number, whose forecast is linear, and returns what came last adds. A forecast that had to stay near the
// models differs from the sum, and this difference is in the usual row.
func (j *join) numberSlopes(m *Model, r *Row) (recent float64) {
	for _, c := range j.chains {
		n := len(c.weights)
		for v, x := range m.Experts {
			j.slopes[v] += c.share * (c.weights[v] + c.weights[j.views]*c.mixture[v]) * x.unit.Spread
		}
		for i := j.views + 2; i < n; i++ {
			recent += c.share * c.inputs[n+1] * c.weights[i] * c.inputs[i]
		}
	}
	return recent
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

// path sets the slopes along the path from the logits of a usual row, and returns the forecast at its end. It goes through the curve by its
// chord: the curve has corners.
func (j *join) path(start, end []float64) (last float64) {
	low := make([]float64, len(j.chains))
	j.forecast(start, 0)
	for i, c := range j.chains {
		low[i] = c.odds
	}
	last = j.forecast(end, 1)
	for i := range j.chains {
		j.chains[i].straighten(low[i])
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

// straighten puts the curve's chord in its place, from the log-odds of a usual row to those of the last forecast. If the curve falls between
// them, by chance in knots of few rows, a chord would turn all signs: the least slope that the curve aims at takes its place.
func (c *chain) straighten(from float64) {
	if c.curve == nil {
		return
	}
	const least = 1e-6
	step, first := c.odds-from, c.curve(from)
	if math.Abs(step) < least {
		step = least
	}
	if c.slope = (c.curve(from+step) - first) / step; c.slope <= 0 {
		c.slope = 1 - curveShare
	}
	c.curve = func(odds float64) float64 { return first + c.slope*(odds-from) }
}

// forecast returns the log-odds of the class, given the experts' logits and the part of what came last that counts.
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
	g := make([]float64, len(j.rate)) // by the logits of a chain, and then by the logarithms of a view's probabilities
	for i := range j.chains {
		c, mean := &j.chains[i], 0.
		for o := range g { // by a probability of the forecast
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
			c.viewSlope(j, v, g)
		}
	}
}

// viewSlope adds the slopes by the logits of a view, given those by the chain's logits.
func (c *chain) viewSlope(j *join, v int, g []float64) {
	k, sum := len(g), 0.
	by, q := make([]float64, k), j.q[v*len(g):]
	for o := range g {
		if j.bounded(q[o]) == q[o] {
			by[o] = c.weights[v]
		}
		if j.bounded(c.mixed[o]) == c.mixed[o] {
			by[o] += c.weights[j.views] * c.mixture[v] * q[o] / c.mixed[o]
		}
		by[o] *= g[o]
		sum += by[o]
	}
	for o := range j.outputs {
		at := k - j.outputs + o
		j.slopes[v*j.outputs+o] += by[at] - q[at]*sum
	}
}
