package ensemble

import (
	"math"
	"slices"

	"gophe/phe/belief"
	"gophe/phe/stream/schema"
)

// hedge joins forecasts of labels that come late. Rows that wait together may be of one group, and then say one thing many times. Mixture
// and stacking take each row for a witness of its own, and become too sure. So the hedge has three choices: their forecast, the forecast of
// a second mixture, stacking and recalibration that doubt, and the base rate. This chain divides the weight of a row by T, the number of
// rows that are one witness. The equations and the bound are in docs/stream-model.md. Counts have one expert, and no chain.
//
// Until a label comes late, the hedge only counts losses, and changes no forecast.
type hedge struct {
	Hedge
	model *Model
	chain []Part // that doubts; empty for counts, and until a label comes late
	join  *mixture
	prior []float64
	mixed []float64 // memory
}

// Hedge is the state of a hedge in a file. The tables are not in it.
type Hedge struct {
	Late    bool      `json:"late,omitempty"` // a label has come late
	Weights []float64 `json:"weights"`        // of the choices
	Losses  []float64 `json:"losses"`         // sums of the losses of blocks
	Gap     float64   `json:"gap"`            // sum of the mixability gaps, from which the rate follows
	Block   []float64 `json:"block"`          // sums of the losses of rows in the block,
	Rows    float64   `json:"rows"`           // and of their weights

	Errors  []float64 `json:"errors"`  // sums in the block of T: of e,
	Squares float64   `json:"squares"` // of ½(‖e‖² + v),
	Count   float64   `json:"count"`   // and of 1
	Ratio   float64   `json:"ratio"`   // running mean, √T
	Ratios  float64   `json:"ratios"`  // in the mean

	Bounded bool `json:"bounded,omitempty"` // the loss of a block is at most mostWorse above the least
}

const (
	hedgeBlock  = 64   // least weight of the rows of a block
	hedgeMemory = 64   // blocks
	hedgeRate   = 0.5  // of AdaHedge's rate
	ratioMemory = 50   // blocks
	mostWorse   = 4    // nats; a larger loss, after a change, would hold the rate down for hedgeMemory blocks
	blur        = 0.25 // share of the targets' variance that a number's loss adds to each choice's, since all are too sure of groups
	leastWeight = 1e-300
	maxLoss     = 700 // of a count
)

func newHedge(m *Model) *hedge {
	h := &hedge{model: m, prior: []float64{0.2, 0.1, 0.7}, join: &mixture{kind: m.target.Kind}}
	switch {
	case m.mixture == nil:
		h.prior = []float64{1. / 3, 2. / 3}
	case len(m.target.Classes) > 2: // the base rate is soon far behind
		h.prior = []float64{2. / 6, 1. / 6, 3. / 6}
	}
	n := len(h.prior)
	h.mixed = make([]float64, n)
	h.restore(&Hedge{Weights: slices.Clone(h.prior), Losses: make([]float64, n), Block: make([]float64, n),
		Errors: make([]float64, max(1, len(m.target.Classes))), Bounded: true})
	return h
}

// fit reports whether a hedge can take the place of another one.
func (h *Hedge) fit(own *Hedge) bool {
	n, all := len(own.Weights), slices.Concat(h.Losses, h.Block, h.Errors)
	return len(h.Weights) == n && len(h.Losses) == n && len(h.Block) == n && len(h.Errors) == len(own.Errors) && Positive(h.Weights...) &&
		finite(all...) && finite(h.Rows, h.Squares, h.Count, h.Ratios) && h.Gap >= 0 && h.Ratio >= 0
}

func (h *hedge) restore(s *Hedge) {
	h.Hedge, h.join.weights = *s, s.Weights
	if m := h.model; h.Late && m.mixture != nil {
		h.chain, _ = newStacking(m.Design.outputs(), m.target, m.without)
		h.chain = append([]Part{newMixture(m.target.Kind, m.Design.outputs())}, h.chain...)
	}
}

// begin copies the combiners to the chain when the first label comes late. A count whose probability was not saved cannot be hedged.
func (h *hedge) begin(p *Predictions) {
	if h.Late || h.model.Rows == p.Rows || h.model.mixture == nil && p.BaseRate.Log == 0 {
		return
	}
	h.Late = true
	if h.restore(&h.Hedge); len(h.chain) == 0 {
		return
	}
	copy(h.chain[0].(*mixture).weights, h.model.mixture.weights)
	from := tablesOf(h.model.combiners)
	for i, t := range tablesOf(h.chain) {
		for k := range t.Len {
			mean, _ := from[i].Get(k)
			t.Set(k, mean, 0)
		}
	}
}

func (h *hedge) tables() []belief.Part {
	if len(h.chain) == 0 {
		return nil
	}
	weights := belief.List("mixture", h.chain[0].(*mixture).weights)
	return prefixed("doubting ", append(tablesOf(h.chain), weights))
}

func (h *hedge) resetCovariance() {
	if len(h.chain) > 0 {
		h.chain[1].(interface{ resetCovariance() }).resetCovariance()
	}
}

// choice returns the forecast of a choice. Until a label comes late, all choices except the base rate are the main forecast.
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

// doubt exchanges the main forecast and the chain's. A second call gives them back.
func (p *Predictions) doubt() {
	if len(p.Choices) > 0 {
		p.Main, p.Choices[1] = p.Choices[1], p.Main
	}
}

// Forecast joins the choices. For counts, whose forecast is learned before the others follow, the counter calls joinCounts.
func (h *hedge) Forecast(r *Row) {
	p := &r.Predictions
	if p.Choices = p.Choices[:0]; len(h.chain) == 0 {
		return
	}
	p.Choices = slices.Grow(p.Choices, 2)[:2]
	p.Choices[0].set(&p.Main)
	p.doubt()
	for _, part := range h.chain {
		part.Forecast(r)
	}
	p.doubt()
	experts, inputs := p.Experts, p.Main.Inputs
	p.Experts = p.Choices
	h.join.Forecast(r)
	p.Experts, p.Main.Inputs = experts, inputs
}

// Learn lets the chain learn a row, and then takes the losses of the choices.
func (h *hedge) Learn(r *Row) {
	p, share, size := &r.Predictions, r.share, h.model.statistics.Lag+1
	p.doubt()
	r.witness = 1 / max(1, min(h.Ratio*h.Ratio, size))
	r.share *= r.witness
	for _, part := range h.chain {
		part.Learn(r)
	}
	p.doubt()
	r.witness, r.share = 1, share
	for i := range h.prior {
		if h.mixed[i] = h.mixed[max(0, i-1)]; i == 0 || h.choice(p, i) != h.choice(p, i-1) {
			h.mixed[i] = h.loss(h.choice(p, i), r)
		}
	}
	if !finite(h.mixed...) {
		return // a count whose probability is not known, or a number beyond all measure
	}
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

// deviations returns the error of a number's forecast in deviations of the targets so far, at most maxError.
func (x *Prediction) deviations(r *Row) float64 {
	return max(-maxError, min(maxError, (r.Y-x.Mean)/math.Sqrt(r.Predictions.BaseRate.Variance)))
}

// loss returns a choice's loss in a row; NaN if it is not known.
func (h *hedge) loss(x *Prediction, r *Row) float64 {
	switch {
	case h.join.kind == schema.Amount:
		e, v := x.deviations(r), x.Variance/r.Predictions.BaseRate.Variance+blur
		return (math.Log(v) + e*e/v) / 2
	case h.join.kind == schema.Classes:
		return -math.Log(max(x.Classes[int(r.Y)], minProbability))
	case x.Count != nil:
		return min(-x.Count.LogProbability(int(r.Y)), maxLoss)
	case x.Log == 0:
		return math.NaN()
	}
	return min(-x.Log, maxLoss)
}

// measure adds a row to the block of T.
func (h *hedge) measure(x *Prediction, r *Row, size float64) {
	for k := range h.Errors {
		e := x.deviations(r)
		v := e * e
		if h.join.kind == schema.Classes {
			if e, v = -x.Classes[k], x.Classes[k]*(1-x.Classes[k]); k == int(r.Y) {
				e++
			}
		}
		h.Errors[k] += e
		h.Squares += (e*e + v) / 2
	}
	if h.Count++; h.Count < size || h.Squares == 0 {
		return
	}
	sum, d := 0.0, float64(max(1, len(h.Errors)-1))
	for _, e := range h.Errors {
		sum += e * e
	}
	h.Ratios += 1 - h.Ratios/ratioMemory
	h.Ratio += ((1+1/(4*d))*math.Sqrt(sum/h.Squares) - h.Ratio) / h.Ratios
	clear(h.Errors)
	h.Squares, h.Count = 0, 0
}

// learnBlock takes a step of AdaHedge.
func (h *hedge) learnBlock() {
	mean, most := 0.0, math.Inf(1)
	if h.Bounded {
		most = slices.Min(h.Block)/h.Rows + mostWorse
	}
	for i := range h.Block {
		h.Block[i] = min(h.Block[i]/h.Rows, most)
		mean += h.Weights[i] * h.Block[i]
	}
	gap := mean - posteriorOf(h.mixed, h.Weights, h.Block, h.Gap)
	h.Gap += max(0, gap) - h.Gap/hedgeMemory
	for i, l := range h.Block {
		h.Losses[i] += l - h.Losses[i]/hedgeMemory
	}
	posteriorOf(h.Weights, h.prior, h.Losses, h.Gap)
	clear(h.Block)
	h.Rows = 0
}

// posteriorOf sets to to the weights of choices after losses, at the rate of a gap. It returns their mix loss.
func posteriorOf(to, prior, losses []float64, gap float64) float64 {
	rate := hedgeRate * math.Log(float64(len(prior))) / max(gap, leastWeight)
	least, sum := slices.Min(losses), 0.0
	for i, w := range prior {
		to[i] = max(w*math.Exp(-rate*(losses[i]-least)), leastWeight)
		sum += to[i]
	}
	for i := range to {
		to[i] /= sum
	}
	return least - math.Log(sum)/rate
}
