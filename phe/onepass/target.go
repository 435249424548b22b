package onepass

import "math"

// target brings a number to mean 0 and standard deviation 1, and learns the variance of what the beliefs leave open. The
// scale is learned from a stream's first rows and stays: beliefs that follow a moving scale would say other things
// tomorrow.
type target struct {
	rows         float64
	mean, square float64 // running mean, and sum of squares around it
	sd           float64
	noise        float64 // r: variance of the noise, in units of sd²
}

const (
	scaleRows   = 1000 // rows that the scale is learned from
	scaleFrom   = 10   // rows before which sd is 1
	leastNoise  = 0.02
	mostSquares = 50   // a squared error counts as at most this multiple of the variance foreseen
	noisePace   = 1e-3 // least weight of a row in the noise
)

func newTarget() *target { return &target{sd: 1, noise: 1} }

// variance returns the noise in use.
func (t *target) variance() float64 { return max(t.noise, leastNoise) }

// standardise takes a row's target into the scale, and returns it standardised. With a clip, a target counts in the scale as at
// most twice so many standard deviations away.
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

// learn moves the noise by a row's error and the variance q that the beliefs gave it.
func (t *target) learn(err, q float64) {
	pace := max(1/(t.rows+20), noisePace)
	if square := err * err; square < mostSquares*(t.noise+q) {
		t.noise += pace * (max(square-q, 0) - t.noise)
	} else {
		t.noise += pace * (mostSquares - 1) * (t.noise + q)
	}
	t.rows++
}

// forecast puts a forecast back into the target's unit.
func (t *target) forecast(mean, variance float64) (float64, float64) {
	return t.mean + t.sd*mean, t.sd * t.sd * variance
}
