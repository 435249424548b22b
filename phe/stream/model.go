package stream

import (
	"slices"

	"gophe/phe/belief"
	"gophe/phe/count"
	"gophe/phe/onepass"
	"gophe/phe/stream/schema"
)

// model forecasts the target of a record from one encoder.
type model struct {
	encoder *onepass.Encoder
	learner *onepass.Model // classes and numbers
	counts  *counter       // counts
	bytes   int            // size of the tables
	scale   *scale         // scale of a number
	row     *onepass.Row   // row of the last record
	alone   law            // last forecast of the evidence alone, with Config.Alone
}

// law is a model's forecast. Classes have probabilities, a number has mean and variance, and a count has median and interval.
type law struct {
	Classes  []float64 `json:"classes,omitempty"`
	Mean     float64   `json:"mean,omitempty"`
	Variance float64   `json:"variance,omitempty"`
	Median   float64   `json:"median,omitempty"`
	Low      float64   `json:"low,omitempty"`
	High     float64   `json:"high,omitempty"`
	Spread   float64   `json:"spread,omitempty"` // standard deviation of the model's uncertainty, in the logit or the mean
	Inputs   []float64 `json:"inputs,omitempty"` // of the last step, in the forecast that it made

	count count.Distribution // distribution of a count, valid until the model's next call
}

// law returns a learner's forecast in the target's scale.
func (m *model) law(f onepass.Forecast) law {
	m.alone = law{Classes: f.Alone.Classes, Spread: f.Alone.Spread}
	return m.scale.out(law{Classes: f.Classes, Mean: f.Mean, Variance: f.Variance, Spread: f.Spread})
}

func lawOfCount(d count.Distribution) law {
	return law{Median: d.Quantile(0.5), Low: d.Quantile(lowQuantile), High: d.Quantile(highQuantile), count: d}
}

// kept returns a copy that stays valid after the model's next call. The copy lacks the distribution of a count.
func (m law) kept() law {
	m.Classes, m.Inputs, m.count = slices.Clone(m.Classes), slices.Clone(m.Inputs), nil
	return m
}

// newModel returns a model that has seen nothing.
func newModel(d modelDesign, s schema.Schema, r *reader, in *scale) (*model, error) {
	m := &model{bytes: d.Bytes, scale: in, row: &onepass.Row{}}
	var err error
	if d.Counts != nil {
		m.counts, err = newCounter(*d.Counts)
	} else {
		m.learner, err = onepass.New(d.Learner)
	}
	if err != nil {
		return nil, err
	}
	if m.encoder, err = onepass.NewEncoder(d.Learner, s.FeatureNames()); err != nil {
		return nil, err
	}
	r.share(m.encoder)
	return m, nil
}

// take ends the record that the encoder holds.
func (m *model) take() { m.encoder.RowIn(m.row) }

// predict returns the forecast of the record taken last. seen is the number of times that its rarest item was seen.
func (m *model) predict(seen int64) law {
	if m.counts != nil {
		f := lawOfCount(m.counts.forecast(m.row, seen))
		f.Inputs = m.counts.came
		return f
	}
	return m.law(m.learner.Predict(m.row))
}

// step predicts and then learns.
func (m *model) step(seen int64, y, weight float64) law {
	if m.counts == nil && weight == 1 {
		return m.law(m.learner.Step(m.row, m.scale.in(y)))
	}
	f := m.predict(seen)
	m.learn(seen, y, weight)
	return f
}

func (m *model) learn(seen int64, y, weight float64) {
	switch {
	case m.counts != nil:
		m.counts.learn(m.row, m.counts.came, seen, int(y))
	case weight == 1:
		m.learner.Learn(m.row, m.scale.in(y))
	default:
		m.learner.LearnWeighted(m.row, m.scale.in(y), weight)
	}
}

// choose drops pairs of columns when it is time.
func (m *model) choose() {
	if m.learner != nil {
		m.learner.Choose(m.encoder)
	}
}

func (m *model) parts() []belief.Part {
	if m.counts != nil {
		return append(m.counts.tree.Parts(), m.counts.recent.parts()...)
	}
	return m.learner.Parts()
}

// shifted is the law of a count that may be 0. The cells of package count begin at 1.
type shifted struct{ count.Distribution }

// LogProbability returns log P(Y = y), in nats.
func (s shifted) LogProbability(y int) float64 { return s.Distribution.LogProbability(y + 1) }

// CDF returns P(Y ≤ y).
func (s shifted) CDF(y int) float64 { return s.Distribution.CDF(y + 1) }

// Mean returns the expected count.
func (s shifted) Mean() float64 { return s.Distribution.Mean() - 1 }

// Quantile returns the smallest y with P(Y ≤ y) ≥ q.
func (s shifted) Quantile(q float64) float64 { return s.Distribution.Quantile(q) - 1 }
