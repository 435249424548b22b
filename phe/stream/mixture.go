package stream

import (
	"math"

	"gophe/phe/belief"
	"gophe/phe/onepass"
)

// mixture forecasts by several models and weighs them by how well they forecast: a model with interactions of columns, one without
// them, and the base rate. Where columns say nothing together, interactions are noise, and where they say nothing at all, so is the
// model; no sample tells that beforehand. The weights follow Bayes' rule, with a little weight shared out in each row so that a
// model can come back (Herbster and Warmuth, 1998).
type mixture struct {
	experts []*model
	weights []float64 // of the experts, and of the base rate behind them; nil of counts, which have one model

	laws    []law // the experts' forecasts of the record read last
	classes []float64
	odds    []float64
}

// shareOut is the share of the weights that each row shares out.
const shareOut = 1e-3

// newMixture returns a mixture that has seen nothing. Counts have one model, whose evidence weighs interactions by itself.
func newMixture(d design, s Schema, r *reader, in *scale) (*mixture, error) {
	m := &mixture{classes: make([]float64, len(s.Target.Classes)), laws: make([]law, len(d.Experts))}
	for _, x := range d.Experts {
		expert, err := newModel(x, s, r, in)
		if err != nil {
			return nil, err
		}
		m.experts = append(m.experts, expert)
	}
	if s.Target.Kind != Count {
		for range len(d.Experts) + 1 {
			m.weights = append(m.weights, 1/float64(len(d.Experts)+1))
		}
		m.odds = make([]float64, len(m.weights))
	}
	return m, nil
}

// encoder returns the encoder that reads the records.
func (m *mixture) encoder() *onepass.Encoder { return m.experts[0].encoder }

// take ends the record that the encoder holds.
func (m *mixture) take() {
	for _, x := range m.experts[1:] {
		x.encoder.Copy(m.encoder())
		x.take()
	}
	m.experts[0].take()
}

// predict returns the experts' forecasts of the record. They hold until the next call.
func (m *mixture) predict(seen int64) []law {
	for i, x := range m.experts {
		m.laws[i] = x.predict(seen)
	}
	return m.laws
}

// step returns the experts' forecasts, and then learns.
func (m *mixture) step(seen int64, y, weight float64) []law {
	for i, x := range m.experts {
		m.laws[i] = x.step(seen, y, weight)
	}
	return m.laws
}

// sayUsual lets all experts say the base rate.
func (m *mixture) sayUsual(usual law) {
	for i := range m.laws {
		m.laws[i] = usual
	}
}

func (m *mixture) learn(seen int64, y, weight float64) {
	for _, x := range m.experts {
		x.learn(seen, y, weight)
	}
}

// plain tells whether an expert leaves out interactions beside one that has them.
func (m *mixture) plain(expert int) bool { return len(m.experts) == 2 && expert == 1 }

// law weighs the experts' forecasts and the base rate. It holds until the next call.
func (m *mixture) law(kind TargetKind, experts []law, usual law) law {
	if kind == Count {
		return experts[0]
	}
	mixed := law{}
	clear(m.classes)
	for i, w := range m.weights {
		x := weighed(i, experts, usual)
		for k, p := range x.Classes {
			m.classes[k] += w * p
		}
		mixed.Mean += w * x.Mean
		mixed.Spread += w * x.Spread
	}
	if kind == Classes {
		mixed.Classes = m.classes
		return mixed
	}
	for i, w := range m.weights {
		x := weighed(i, experts, usual)
		d := x.Mean - mixed.Mean
		mixed.Variance += w * (x.Variance + d*d)
	}
	return mixed
}

// weigh moves the weights by what the experts and the base rate said of a target that came.
func (m *mixture) weigh(kind TargetKind, experts []law, usual law, y, weight float64) {
	best := 0.0
	for i, w := range m.weights {
		m.odds[i] = w * density(kind, weighed(i, experts, usual), y)
		if weight != 1 {
			m.odds[i] = w * math.Pow(m.odds[i]/w, weight)
		}
		best = max(best, m.odds[i])
	}
	if !(best > 0) {
		return // nobody had thought of it
	}
	sum := 0.0
	for i, v := range m.odds {
		m.odds[i] = max(v, best*leastOdds)
		sum += m.odds[i]
	}
	for i, v := range m.odds {
		m.weights[i] = (1-shareOut)*v/sum + shareOut/float64(len(m.weights))
	}
}

// weighed returns the forecast that has weight i: an expert's, or the base rate, whose weight is the last one.
func weighed(i int, experts []law, usual law) law {
	if i < len(experts) {
		return experts[i]
	}
	return usual
}

// leastOdds keeps one record from settling between the experts for good.
const leastOdds = 1e-5

// density is that of what came, but for a constant.
func density(kind TargetKind, x law, y float64) float64 {
	if kind == Amount {
		d := y - x.Mean
		return math.Exp(-0.5*d*d/x.Variance) / math.Sqrt(x.Variance)
	}
	return x.Classes[int(y)]
}

func (m *mixture) parts() (parts []belief.Part) {
	names := []string{"", "plain "}
	for i, x := range m.experts {
		parts = append(parts, prefixed(names[i], x.parts())...)
	}
	return parts
}
