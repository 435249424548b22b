package stream

import (
	"math"
	"slices"

	"gophe/phe/belief"
	"gophe/phe/stream/schema"
)

// mixture is a weighted mean of several forecasts: of a model with interactions of columns, for classes also of its evidence alone, of a
// model without interactions, and of the base rate. On some streams interactions are only noise, and on others all columns are. No sample
// shows that in advance, so the weights follow how well each model forecasts. They obey Bayes' rule. Each row also shares out a little
// weight, so that a model can come back (Herbster and Warmuth, 1998). The last step then corrects the mean.
type mixture struct {
	kind    schema.TargetKind
	experts []*expert
	weights []float64 // weights of the predictions, then of the base rate; nil for counts, which have one model
	last    lastStep  // nil for counts
	views   int       // number of forecasts: the experts', and the first one's evidence's

	classes []float64
	odds    []float64
}

// shareOut is the share of all weight that each row divides equally among the models.
const shareOut = 1e-3

// newMixture returns a mixture that has seen nothing. Counts have one model, whose evidence weighs interactions by itself.
func newMixture(d design, s schema.Schema, in *scale, without Ablation) (*mixture, error) {
	views := len(d.Experts)
	if d.Experts[0].Learner.Alone {
		views++
	}
	m := &mixture{kind: s.Target.Kind, views: views,
		last: newLastStep(views, s.Target, in, without), classes: make([]float64, len(s.Target.Classes))}
	for _, x := range d.Experts {
		expert, err := newExpert(x, s, in)
		if err != nil {
			return nil, err
		}
		m.experts = append(m.experts, expert)
	}
	if s.Target.Kind != schema.Count {
		m.weights = slices.Repeat([]float64{1 / float64(views+1)}, views+1)
		m.odds = make([]float64, len(m.weights))
	}
	return m, nil
}

// inputs returns the number of inputs that a forecast keeps.
func (m *mixture) inputs() int {
	if m.last == nil {
		return len(windows)
	}
	return m.last.inputs()
}

// join makes the main forecast: the last step corrects the weighted mean. The forecast is valid until the next call.
func (m *mixture) join(p *predictions) {
	if m.last == nil {
		p.Main = p.Experts[0]
		return
	}
	p.Main = m.mix(p)
	m.last.forecast(p)
}

// mix returns the weighted mean of the experts' forecasts and the base rate.
func (m *mixture) mix(p *predictions) prediction {
	mixed := prediction{}
	clear(m.classes)
	for i, w := range m.weights {
		x := p.weighed(i)
		for k, q := range x.Classes {
			m.classes[k] += w * q
		}
		mixed.Mean += w * x.Mean
		mixed.Spread += w * x.Spread
	}
	if m.kind == schema.Classes {
		mixed.Classes = m.classes
		return mixed
	}
	for i, w := range m.weights {
		x := p.weighed(i)
		d := x.Mean - mixed.Mean
		mixed.Variance += w * (x.Variance + d*d)
	}
	return mixed
}

// weighed returns the forecast that has weight i: an expert's, or the base rate, whose weight is the last one.
func (p *predictions) weighed(i int) *prediction {
	if i < len(p.Experts) {
		return &p.Experts[i]
	}
	return &p.BaseRate
}

// weigh lets the last step learn a target, and updates the weights by the densities that the experts and the base rate gave to it. known
// is the share of the rows known now that was known when the forecasts were made.
func (m *mixture) weigh(p *predictions, y, weight, known float64) {
	if m.last == nil {
		return
	}
	share := known * known * known * known // the forecasts of a young learner say little about how to join those of an older one
	m.last.learn(p.Main.Inputs, p.seen, y, weight, share)
	best, unit := 0.0, 0.0
	for i := range m.weights {
		m.odds[i] = m.density(p.weighed(i), y)
		unit = max(unit, m.odds[i])
	}
	// of a narrow density it may be infinite, and of a wide one 0
	if power := math.Pow(unit, weight); weight == 1 || power > 0 && power <= math.MaxFloat64 {
		unit = 1
	}
	for i, w := range m.weights {
		m.odds[i] *= w
		if weight != 1 {
			m.odds[i] = w * math.Pow(m.odds[i]/w/unit, weight)
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
	for i, v := range m.odds {
		m.weights[i] = (1-shareOut)*v/sum + shareOut/float64(len(m.weights))
	}
}

// minOdds is the least weight that one record leaves to a model, relative to the best model. No record can rule a model out.
const minOdds = 1e-5

// density returns the density of a target under a forecast, up to a constant factor.
func (m *mixture) density(x *prediction, y float64) float64 {
	if m.kind == schema.Amount {
		d := y - x.Mean
		return math.Exp(-0.5*d*d/x.Variance) / math.Sqrt(x.Variance)
	}
	return x.Classes[int(y)]
}

// expertNames begin the names of the experts' tables.
var expertNames = [...]string{"", "plain ", "quick "}

func (m *mixture) parts() (parts []belief.Part) {
	for i, x := range m.experts {
		parts = append(parts, prefixed(expertNames[i], x.parts())...)
	}
	if m.last != nil {
		parts = append(parts, m.last.parts()...)
	}
	return parts
}
