package onepass

import "math"

// Forecast is a model's forecast of a row: its logits and the distribution of its target.
type Forecast struct {
	Mean     float64   // mean of the target: the probability of class 1, a rate, or a number; unused with Softmax
	Variance float64   // variance of the target, with Gaussian and Poisson heads
	Classes  []float64 // [classes] probabilities with Bernoulli and Softmax; valid until the model's next call
	Logit    float64   // μ of the first logit
	Spread   float64   // √Q, the standard deviation of the first logit

	// Alone is what Classes and Spread are by the evidence alone, with Config.Alone.
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

// probabilities returns the probabilities of softmax classes.
func (s *sums) probabilities(kind Approximation) []float64 {
	for o := range s.outputs {
		s.gradient[o] = s.damped(kind, o) * s.mean[o]
	}
	SoftmaxInto(s.classes, s.gradient)
	return s.classes
}

// target scales a number to mean 0 and standard deviation 1, and learns the variance of its noise. It learns the scale from the
// first rows and then fixes it, because a moving scale would change the meaning of the beliefs. With Config.Standard the caller scales.
type target struct {
	rows         float64
	mean, square float64 // running mean, and sum of squares around it
	sd           float64
	noise        float64 // r: variance of the noise, in units of sd²
}

const (
	scaleRows  = 1000 // number of rows that set the scale
	scaleFrom  = 10   // sd is 1 before this number of rows
	minNoise   = 0.02
	maxSquares = 50   // a squared error counts as at most this multiple of the forecast variance
	noisePace  = 1e-3 // smallest weight of a row in the noise

	standardNoise = 0.005 // minNoise with Config.Standard
	openBias      = 0.5   // variance of the bias after a change of the unit
	mostMean      = 3.0   // of an entry after a change of the unit
)

// standardise adds a row's target to the scale, and returns it standardised. With a clip, the scale counts a target as at most
// 2·clip standard deviations away.
func (t *target) standardise(y, clip float64) float64 {
	if t.rows < scaleRows {
		seen := y
		if most := 2 * clip * t.sd; clip > 0 {
			seen = t.mean + max(-most, min(most, y-t.mean))
		}
		step := seen - t.mean
		t.mean += step / (t.rows + 1)
		t.square += step * (seen - t.mean)
		if t.rows >= scaleFrom {
			t.sd = math.Sqrt(t.square/(t.rows+1)) + 1e-9
		}
	}
	return (y - t.mean) / t.sd
}

// learn moves the noise by a row's error. q is the variance that the beliefs forecast.
func (t *target) learn(err, q float64) {
	pace := max(1/(t.rows+20), noisePace)
	if square := err * err; square < maxSquares*(t.noise+q) {
		t.noise += pace * (max(square-q, 0) - t.noise)
	} else {
		t.noise += pace * (maxSquares - 1) * (t.noise + q)
	}
	t.rows++
}

// Rescale carries the beliefs of a target that the caller standardises over to another unit, where a number z of the unit before is
// by·z + shift. Forecasts stay the same, unless a mean lies far beyond what numbers of the new unit can be. Variances stay as well,
// since an entry has still learned from as many rows. Only the bias is open again, since the level of the target may be another one.
func (m *Model) Rescale(by, shift float64) {
	to := func(mean float64) float64 { return max(-mostMean, min(mostMean, by*mean)) }
	for _, p := range m.parts {
		if w, ok := p.(interface {
			rescale(func(float64) float64, int)
		}); ok {
			w.rescale(to, int(m.rows))
		}
	}
	for _, p := range m.Parts() {
		for i := 0; i < p.Len && p.Name == tableField; i++ { // the forecast is linear in these too
			mean, variance := p.Get(i)
			p.Set(i, to(mean), variance)
		}
	}
	if e := m.evidence; e != nil { // without evidence, nothing holds the level
		for at := 0; at < len(e.words); at += 2 {
			e.words[at+1] = e.join(float32(to(e.mean(at, 0))), e.bitsOf(to(e.latestLabel(at))))
		}
		e.base[0] *= by
		e.bias[0] = entry[float64]{by*e.bias[0].mean + shift, openBias}
	}
	m.target.noise = min(1, by*by*m.target.noise)
	if m.row != nil { // it was read in the unit before
		m.read(m.row)
	}
}
