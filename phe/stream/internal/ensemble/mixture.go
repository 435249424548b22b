package ensemble

import (
	"math"
	"slices"

	"gophe/phe/stream/schema"
)

// mixture is a weighted mean of several forecasts: of a model with interactions of columns, for classes also of its evidence alone, of a
// model without interactions, and of the base rate. On some streams interactions are only noise, and on others all columns are. No sample
// shows that in advance, so the weights follow how well each model forecasts. They obey Bayes' rule. Each row also shares out a little
// weight, so that a model can come back (Herbster and Warmuth, 1998). Stacking then corrects the mean.
type mixture struct {
	kind    schema.TargetKind
	weights []float64 // of the experts' forecasts, then of the base rate
	odds    []float64
}

const (
	// shareOut is the share of all weight that each row divides equally among the models.
	shareOut = 1e-3
	// minOdds is the least weight that one record leaves to a model, relative to the best model. No record can rule a model out.
	minOdds = 1e-5
)

// newMixture returns a mixture of a number of experts' forecasts and the base rate.
func newMixture(kind schema.TargetKind, experts int) *mixture {
	n := experts + 1
	return &mixture{kind, slices.Repeat([]float64{1 / float64(n)}, n), make([]float64, n)}
}

// Forecast sets the main forecast to the weighted mean.
func (m *mixture) Forecast(r *Row) {
	p := &r.Predictions
	mixed := Prediction{Classes: append(p.Main.Classes[:0], p.BaseRate.Classes...), Inputs: p.Main.Inputs[:0]}
	clear(mixed.Classes)
	for i, w := range m.weights {
		x := p.expertOr(i, &p.BaseRate)
		for k, q := range x.Classes {
			mixed.Classes[k] += w * q
		}
		mixed.Mean += w * x.Mean
		mixed.Spread += w * x.Spread
	}
	for i, w := range m.weights {
		x := p.expertOr(i, &p.BaseRate)
		d := x.Mean - mixed.Mean
		variance := x.Variance + d*d
		if m.kind == schema.Amount && r.known.known() && x == &p.BaseRate { // it remembers all numbers, also from before a change
			variance = min(variance, away*r.known.Spread*away*r.known.Spread)
		}
		mixed.Variance += w * variance
	}
	p.Main = mixed
}

// Learn updates the weights by the densities that the experts and the base rate gave to the label.
func (m *mixture) Learn(r *Row) {
	best, unit, p, weight := 0.0, 0.0, &r.Predictions, r.Weight*r.witness
	for i := range m.weights {
		m.odds[i] = m.density(p.expertOr(i, &p.BaseRate), r.Y)
		unit = max(unit, m.odds[i])
	}
	if weight == 1 {
		unit = 1
	} else if power := math.Exp(weight * math.Log(unit)); power > 0 && power <= math.MaxFloat64 { // else the density is very narrow or wide
		unit = 1
	}
	for i, w := range m.weights {
		m.odds[i] *= w
		if weight != 1 {
			m.odds[i] = w * math.Exp(weight*math.Log(m.odds[i]/w/unit))
		}
		best = max(best, m.odds[i])
	}
	if !(best > 0) {
		return // all densities are 0
	}
	sum := 0.0
	for i, v := range m.odds {
		m.odds[i] = max(v, best*minOdds)
		sum += m.odds[i]
	}
	out := shareOut * r.witness
	for i, v := range m.odds {
		m.weights[i] = (1-out)*v/sum + out/float64(len(m.weights))
	}
}

// density returns the density of a target under a forecast, up to a constant factor.
func (m *mixture) density(x *Prediction, y float64) float64 {
	if m.kind == schema.Amount {
		d := y - x.Mean
		return math.Exp(-0.5*d*d/x.Variance) / math.Sqrt(x.Variance)
	}
	return x.Classes[int(y)]
}
