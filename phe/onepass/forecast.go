package onepass

import "math"

// Forecast is a model's forecast of a row: its logits and the distribution of its target.
type Forecast struct {
	Mean     float64   // mean of the target: the probability of class 1, a rate, or a number; unused with Softmax
	Variance float64   // variance of the target, with Gaussian and Poisson heads
	Classes  []float64 // [classes] probabilities with Bernoulli and Softmax; valid until the model's next call
	Logit    float64   // μ of the first logit
	Spread   float64   // √Q, the standard deviation of the first logit

	// Alone holds Classes and Spread by the evidence alone, with Config.Alone.
	Alone struct {
		Classes []float64
		Spread  float64
	}
}

// Predict returns the distribution of a row's target, in the way that goes with the model's Approximation. It changes no belief. The row
// must fit the configuration: its numbers, columns, and K slots of each cell. Otherwise Predict panics, or forecasts nonsense. Update
// learns the row's target. The row must not change in between.
func (m *Model) Predict(row *Row) Forecast {
	m.row = row
	s := m.read(row)
	mu, q := s.mean[0], s.cov[0]
	f := Forecast{Logit: mu, Spread: math.Sqrt(max(q, 0))}
	if a := m.alone; a != nil {
		a.mirror()
		f.Alone.Spread = math.Sqrt(max(a.cov[0], 0))
		f.Alone.Classes = m.classes(a)
	}
	switch m.config.Head {
	case Softmax:
		f.Classes = m.classes(s)
	case Poisson:
		f.Mean = math.Exp(min(mu, maxLogRate))
		if m.config.Approximation == MacKay { // the moments of a log-normal rate
			f.Mean = math.Exp(min(mu+q/2, maxLogRate))
			f.Variance = f.Mean * f.Mean * math.Expm1(min(q, maxLogRate))
		}
		f.Variance += f.Mean
	case Gaussian:
		f.Mean, f.Variance = mu, q+m.noise()
		if t := m.target; t != nil { // in the target's unit
			f.Mean, f.Variance = t.mean+t.sd*f.Mean, t.sd*t.sd*f.Variance
		}
	default:
		f.Classes = m.classes(s)
		f.Mean = f.Classes[1]
	}
	return f
}

// classes returns the probabilities of the classes.
func (m *Model) classes(s *sums) []float64 {
	if m.config.Head == Softmax {
		return s.probabilities(m.config.Approximation)
	}
	logit := s.mean[0]
	if m.config.Approximation == MacKay {
		logit *= damping(s.cov[0])
	}
	p := s.sigmoid(logit)
	return append(s.classes[:0], 1-p, p)
}

// read returns the row's logits.
func (m *Model) read(row *Row) *sums {
	m.sums.reset()
	m.sums.rows = int(m.rows)
	for _, p := range m.parts {
		p.read(row, m.sums)
	}
	m.sums.mirror()
	return m.sums
}
