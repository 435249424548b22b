package stream

import (
	"gophe/phe/belief"
	"gophe/phe/onepass"
	"gophe/phe/stream/schema"
)

// expert forecasts the target of a record from one encoder.
type expert struct {
	encoder *onepass.Encoder
	learner *onepass.Model // classes and numbers
	counts  *counter       // counts
	bytes   int            // size of the tables
	scale   *scale         // scale of a number
	alone   prediction     // last forecast of the evidence alone, with Config.Alone
}

// scaled returns a forecast in the target's scale.
func (m *expert) scaled(f onepass.Forecast) prediction {
	m.alone = prediction{Classes: f.Alone.Classes, Spread: f.Alone.Spread}
	return m.scale.out(prediction{Classes: f.Classes, Mean: f.Mean, Variance: f.Variance, Spread: f.Spread})
}

// newExpert returns an expert that has seen nothing.
func newExpert(d modelDesign, s schema.Schema, in *scale) (*expert, error) {
	m := &expert{bytes: d.Bytes, scale: in}
	var err error
	if d.Counts != nil {
		m.counts, err = newCounter(*d.Counts)
	} else {
		m.learner, err = onepass.New(d.Learner)
	}
	if err != nil {
		return nil, err
	}
	m.encoder, err = onepass.NewEncoder(d.Learner, namesOf(s))
	return m, err
}

// predict returns the forecast of a row. seen is the number of times that its rarest item was seen.
func (m *expert) predict(row *onepass.Row, seen int64) prediction {
	if m.counts != nil {
		f := predictionOfCount(m.counts.forecast(row, seen))
		f.Inputs = m.counts.came
		return f
	}
	return m.scaled(m.learner.Predict(row))
}

// step predicts and then learns.
func (m *expert) step(row *onepass.Row, seen int64, y, weight float64) prediction {
	if m.counts == nil && weight == 1 {
		return m.scaled(m.learner.Step(row, m.scale.in(y)))
	}
	f := m.predict(row, seen)
	m.learn(row, seen, y, weight)
	return f
}

func (m *expert) learn(row *onepass.Row, seen int64, y, weight float64) {
	switch {
	case m.counts != nil:
		m.counts.learn(row, m.counts.came, seen, int(y))
	case weight == 1:
		m.learner.Learn(row, m.scale.in(y))
	default:
		m.learner.LearnWeighted(row, m.scale.in(y), weight)
	}
}

// choose drops pairs of columns when it is time.
func (m *expert) choose() {
	if m.learner != nil {
		m.learner.Choose(m.encoder)
	}
}

func (m *expert) parts() []belief.Part {
	if m.counts != nil {
		return append(m.counts.tree.Parts(), m.counts.recent.parts()...)
	}
	return m.learner.Parts()
}
