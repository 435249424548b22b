package ensemble

import (
	"math"
	"slices"

	"gophe/phe/belief"
	"gophe/phe/count"
	"gophe/phe/stream/schema"
)

// hedge joins forecasts of labels that come late. Rows that wait together may be of one group and have one label: they are one witness that
// comes many times. The experts and what joins them take each for a witness of its own, and become too sure. So the hedge has three choices:
//
//	the forecast of what joins the experts, the forecast of what joins them and doubts, the base rate
//
// What doubts is a second mixture, stacking and recalibration. They divide the weight of a row by T, the number of rows that are one
// witness. It is measured in blocks of as many labels as wait together:
//
//	T = (E‖Σe‖ / (c √½(Σ‖e‖² + Σv)))²
//
// e is the error of a forecast, of each class or in deviations. v is what the forecast expects of ‖e‖²: without it, T would be large where
// a class is rare. c is E‖x‖/√d of d standard normal numbers. So T is 1 for independent errors, and about n for n equal ones. Counts have
// one expert, and the base rate is the only other choice.
//
// The weights of the choices follow the mean losses of blocks by AdaHedge (de Rooij, van Erven, Grünwald and Koolen, 2014), which needs no
// rate and no bound of the losses. A block is one loss, since its rows may be one witness.
//
// What holds, whatever comes: AdaHedge is worse than the best of K choices by at most 2√(V ln K) + S (4/3 ln K + 2) block losses. V sums the
// variances of the losses under the weights, and S is the largest range. What is hoped: nearly the same with half its rate, a prior
// that prefers the base rate, forgetting in 64 blocks, and losses that come a block late. The bound grows with the root of the number of
// blocks. So a few dozen blocks, such as groups, can promise nothing to a hundredth of a nat.
//
// Until a label comes late nothing doubts, and the hedge changes no forecast. It only counts losses.
type hedge struct {
	Hedge
	model *Model
	chain []Part  // that doubts: mixture, stacking and recalibration; none for counts, or before a label came late
	join  mixture // has the weights
	prior []float64
	mixed []float64 // memory
}

// Hedge is what a file has of a hedge beside its tables.
type Hedge struct {
	Late    bool      `json:"late,omitempty"` // a label has come late
	Weights []float64 `json:"weights"`        // of the choices
	Losses  []float64 `json:"losses"`         // sums of the losses of blocks, of each choice, relative to the least
	Gap     float64   `json:"gap"`            // sum of the mixability gaps, from which the rate follows

	Block []float64 `json:"block"` // sums of losses of the rows in the block
	Rows  float64   `json:"rows"`  // in the block

	Errors   []float64 `json:"errors"` // sums of the rows in the block of T: of e,
	Squares  float64   `json:"squares"`
	Expected float64   `json:"expected"` // of v,
	Count    float64   `json:"count"`    // and of 1
	Ratio    float64   `json:"ratio"`    // running mean of ‖Σe‖ / √½(Σ‖e‖² + Σv)
	Ratios   float64   `json:"ratios"`   // in the mean
	Temper   float64   `json:"temper"`   // T
}

const (
	hedgeBlock  = 64   // least weight of the rows of a block
	hedgeMemory = 64   // blocks
	hedgeRate   = 0.5  // of AdaHedge's rate
	ratioMemory = 50   // blocks
	blur        = 0.25 // variance that a number's loss adds to each choice's, since all are too sure of groups; in that of all targets
)

func newHedge(m *Model) *hedge {
	h := &hedge{model: m, prior: []float64{2. / 8, 1. / 8, 5. / 8}}
	if m.mixture == nil {
		h.prior = []float64{1. / 3, 2. / 3}
	}
	n := len(h.prior)
	h.Hedge = Hedge{Weights: slices.Clone(h.prior), Losses: make([]float64, n), Block: make([]float64, n), Temper: 1,
		Errors: make([]float64, max(1, len(m.target.Classes)))}
	h.join, h.mixed = mixture{kind: m.target.Kind, weights: h.Weights}, make([]float64, n)
	return h
}

// build makes the parts that doubt.
func (h *hedge) build() {
	if m := h.model; m.mixture != nil {
		parts, _ := newStacking(m.Design.outputs(), m.target, m.without)
		h.chain = append([]Part{newMixture(m.target.Kind, m.Design.outputs())}, parts...)
	}
}

// fit tells whether a hedge can take the place of another one.
func (h *Hedge) fit(own *Hedge) bool {
	n := len(own.Weights)
	all := slices.Concat(h.Weights, h.Losses, h.Block, h.Errors, []float64{h.Gap, h.Rows, h.Squares, h.Expected, h.Count, h.Ratio, h.Ratios})
	return len(h.Weights) == n && len(h.Losses) == n && len(h.Block) == n && len(h.Errors) == len(own.Errors) && finite(all...) &&
		min(slices.Min(h.Weights), slices.Min(h.Losses), h.Gap) >= 0 && slices.Max(h.Weights) > 0 && Positive(h.Temper)
}

func (h *hedge) restore(s *Hedge) {
	h.Hedge, h.join.weights = *s, s.Weights
	if h.Late {
		h.build()
	}
}

// begin lets the parts that doubt take over what the others know, when the first label comes late. A count that does not know its
// probability when it was asked cannot be hedged.
func (h *hedge) begin(p *Predictions) {
	if h.Late || h.model.Rows == p.Rows || h.model.mixture == nil && p.BaseRate.Log == 0 {
		return
	}
	h.Late = true
	if h.build(); len(h.chain) == 0 {
		return
	}
	copy(h.chain[0].(*mixture).weights, h.model.mixture.weights)
	tables := h.chainTables(h.model.combiners)
	for i, t := range h.chainTables(h.chain) {
		for k := range t.Len {
			t.Set(k, first(tables[i].Get(k)), 0)
		}
	}
}

func first(mean, _ float64) float64 { return mean }

func (h *hedge) chainTables(parts []Part) (tables []belief.Part) {
	for _, p := range parts {
		if p, ok := p.(interface{ tables() []belief.Part }); ok {
			tables = append(tables, p.tables()...)
		}
	}
	return tables
}

func (h *hedge) tables() []belief.Part {
	if len(h.chain) == 0 {
		return nil
	}
	weights := belief.List("mixture", h.chain[0].(*mixture).weights)
	return prefixed("doubting ", append([]belief.Part{weights}, h.chainTables(h.chain)...))
}

func (h *hedge) resetCovariance() {
	for _, p := range h.chain {
		if p, ok := p.(interface{ resetCovariance() }); ok {
			p.resetCovariance()
		}
	}
}

// choice returns the forecast of a choice. Before a label came late, all but the base rate are one.
func (h *hedge) choice(p *Predictions, i int) *Prediction {
	switch {
	case i == len(h.prior)-1:
		return &p.BaseRate
	case h.model.mixture == nil:
		return &p.Experts[0]
	case len(p.Choices) == 0:
		return &p.Main
	}
	return &p.Choices[i]
}

// Forecast joins the choices. For counts, whose forecast is learned before the others follow, the counter calls joinCounts.
func (h *hedge) Forecast(r *Row) {
	p := &r.Predictions
	p.Choices = p.Choices[:0]
	if len(h.chain) == 0 {
		return
	}
	p.Choices = slices.Grow(p.Choices, 2)[:2]
	p.Choices[0].set(p.Main)
	p.Main, p.Choices[1] = p.Choices[1], p.Main
	for _, part := range h.chain {
		part.Forecast(r)
	}
	p.Main, p.Choices[1] = p.Choices[1], p.Main
	experts, inputs := p.Experts, p.Main.Inputs
	p.Experts = p.Choices
	h.join.Forecast(r)
	p.Experts, p.Main.Inputs = experts, inputs
}

func (h *hedge) joinCounts(p *Predictions) {
	if h != nil && h.Late {
		tree, base := p.Experts[0].Count.(shifted), p.BaseRate.Count.(shifted)
		p.Main = predictionOfCount(shifted{count.Mixture(h.Weights[0], tree.Distribution, base.Distribution)})
		p.Main.Inputs = p.Experts[0].Inputs
	}
}

// Learn lets the parts that doubt learn a row, and then takes its losses.
func (h *hedge) Learn(r *Row) {
	p, share := &r.Predictions, r.share
	swap := func() {
		if len(p.Choices) > 0 {
			p.Main, p.Choices[1] = p.Choices[1], p.Main
		}
	}
	swap()
	r.witness, r.share = 1/h.Temper, share/h.Temper
	for _, part := range h.chain {
		part.Learn(r)
	}
	r.witness, r.share = 1, share
	swap()

	for i := range h.prior {
		h.mixed[i] = h.loss(h.choice(p, i), r)
	}
	if !finite(h.mixed...) {
		return // a count whose probability is not known, or a number beyond all measure
	}
	size := h.model.statistics.Lag + 1
	if len(h.chain) > 0 {
		h.measure(h.choice(p, 1), r, size)
	}
	for i, l := range h.mixed {
		h.Block[i] += r.Weight * l
	}
	if h.Rows += r.Weight; h.Rows >= max(hedgeBlock, size) {
		h.learnBlock()
	}
}

// deviations returns an error of a number's forecast in deviations of all targets so far. A wild one is bounded.
func (h *hedge) deviations(x *Prediction, r *Row) float64 {
	return max(-maxError, min(maxError, (r.Y-x.Mean)/math.Sqrt(r.Predictions.BaseRate.Variance)))
}

// loss returns a choice's loss in a row, NaN if it is not known.
func (h *hedge) loss(x *Prediction, r *Row) float64 {
	switch {
	case h.join.kind == schema.Amount:
		e, v := h.deviations(x, r), x.Variance/r.Predictions.BaseRate.Variance+blur
		return (math.Log(v) + e*e/v) / 2
	case h.join.kind == schema.Classes:
		return -math.Log(max(x.Classes[int(r.Y)], minProbability))
	case x.Count != nil:
		return -max(x.Count.LogProbability(int(r.Y)), minLog)
	case x.Log == 0:
		return math.NaN()
	}
	return -max(x.Log, minLog)
}

// minLog bounds the logarithm of a count's probability.
const minLog = -700

// measure adds a row to the block of T.
func (h *hedge) measure(x *Prediction, r *Row, size float64) {
	for k := range h.Errors {
		e := 0.0
		if h.join.kind == schema.Amount {
			e = h.deviations(x, r)
			h.Expected += e * e
		} else {
			e = -x.Classes[k]
			if h.Expected += -e * (1 + e); k == int(r.Y) {
				e++
			}
		}
		h.Errors[k] += e
		h.Squares += e * e
	}
	if h.Count++; h.Count < size || h.Squares == 0 {
		return
	}
	sum := 0.0
	for _, e := range h.Errors {
		sum += e * e
	}
	h.Ratios += 1 - h.Ratios/ratioMemory
	h.Ratio += (math.Sqrt(2*sum/(h.Squares+h.Expected)) - h.Ratio) / h.Ratios
	d := float64(max(1, len(h.Errors)-1))
	above, _ := math.Lgamma((d + 1) / 2)
	below, _ := math.Lgamma(d / 2)
	c := math.Sqrt(2/d) * math.Exp(above-below)
	h.Temper = max(1, min(h.Ratio*h.Ratio/(c*c), size))
	clear(h.Errors)
	h.Squares, h.Expected, h.Count = 0, 0, 0
}

// learnBlock takes a step of AdaHedge.
func (h *hedge) learnBlock() {
	half, mean := hedgeRate*math.Log(float64(len(h.prior))), 0.0
	for i := range h.Block {
		h.Block[i] /= h.Rows
		mean += h.Weights[i] * h.Block[i]
	}
	gap := mean - posteriorOf(h.mixed, h.Weights, h.Block, half/h.Gap)
	h.Gap += max(0, gap) - h.Gap/hedgeMemory
	for i, l := range h.Block {
		h.Losses[i] += l - h.Losses[i]/hedgeMemory
	}
	least := slices.Min(h.Losses)
	for i := range h.Losses {
		h.Losses[i] -= least
	}
	posteriorOf(h.Weights, h.prior, h.Losses, half/h.Gap)
	clear(h.Block)
	h.Rows = 0
}

// posteriorOf sets to to the weights of choices after losses at a rate, which may be infinite. It returns their mix loss.
func posteriorOf(to, prior, losses []float64, rate float64) float64 {
	least, sum := math.Inf(1), 0.0
	for i, w := range prior {
		if w > 0 {
			least = min(least, losses[i])
		}
	}
	for i, w := range prior {
		if to[i] = w; w > 0 && losses[i] > least {
			to[i] *= math.Exp(-rate * (losses[i] - least))
		}
		sum += to[i]
	}
	for i := range to {
		to[i] /= sum
	}
	return least - math.Log(sum)/rate
}
