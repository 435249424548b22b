package onepass

import "math"

// target scales a number to mean 0 and standard deviation 1, and learns the variance of its noise. It learns the scale from the
// first rows and then fixes it, because a moving scale would change the meaning of the beliefs. With Config.Standard the caller scales.
type target struct {
	rows         float64
	mean, square float64 // running mean, and sum of squares around it
	sd           float64
	noise        float64 // r: variance of the noise, in units of sd²
}

const (
	scaleRows     = 1000 // number of rows that set the scale
	scaleFrom     = 10   // sd is 1 before this number of rows
	minNoise      = 0.02
	standardNoise = 0.005 // minNoise with Config.Standard
	maxSquares    = 50    // a squared error counts as at most this multiple of the forecast variance
	noisePace     = 1e-3  // smallest weight of a row in the noise
)

// standardise adds a target to the scale, and returns it standardised. With a clip, a target counts as at most 2·clip deviations away.
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

// noise returns the variance of a Gaussian target given its mean.
func (m *Model) noise() float64 {
	switch {
	case m.target == nil:
		return m.config.Noise
	case m.config.Standard:
		return max(m.target.noise, standardNoise)
	}
	return max(m.target.noise, minNoise)
}

// clip bounds an error, relative to its forecast variance.
func (m *Model) clip(err, variance float64) float64 {
	if m.config.Clip == 0 {
		return err
	}
	most := m.config.Clip * math.Sqrt(variance)
	return max(-most, min(most, err))
}
