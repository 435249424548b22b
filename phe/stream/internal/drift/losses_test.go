package drift

import (
	"math"
	"math/rand/v2"
)

// losses draws the next loss of a stream at a multiple of its level.
type losses func(r *rand.Rand, level float64) float64

// zeroOne returns losses that are 1 with probability p, and else 0.
func zeroOne(p float64) func() losses {
	return stateless(func(r *rand.Rand, level float64) float64 {
		if r.Float64() < p*level {
			return 1
		}
		return 0
	})
}

func exponential(r *rand.Rand, level float64) float64 { return level * r.ExpFloat64() }

// studentSquared draws the square of a Student-t with three degrees of freedom. Its variance is infinite.
func studentSquared(r *rand.Rand, level float64) float64 {
	chi := 0.0
	for range 3 {
		z := r.NormFloat64()
		chi += z * z
	}
	z := r.NormFloat64()
	return level * 3 * z * z / chi
}

// logLoss draws the log-loss of a calibrated classifier whose logits are N(0, 9). Labels that are flipped raise its mean.
func logLoss(r *rand.Rand, level float64) float64 {
	const meanLoss, meanFlipped = 0.361, 2.427 // nats a row with the label drawn and with its opposite, by simulation
	p := 1 / (1 + math.Exp(-3*r.NormFloat64()))
	right := r.Float64() < p
	if r.Float64() < (level-1)*meanLoss/(meanFlipped-meanLoss) {
		right = !right
	}
	if right {
		return -math.Log(p)
	}
	return -math.Log1p(-p)
}

// autocorrelated returns log-normal losses whose logarithm is autoregressive.
func autocorrelated(rho float64) func() losses {
	return func() losses {
		x := 0.0
		return func(r *rand.Rand, level float64) float64 {
			x = rho*x + math.Sqrt(1-rho*rho)*r.NormFloat64()
			return level * math.Exp(x/2)
		}
	}
}

func stateless(l losses) func() losses { return func() losses { return l } }

// kind is a kind of losses, and the changes that the alarm must notice.
type kind struct {
	name   string
	stream func() losses
	double int // rows within which a doubling must be noticed
	third  int // rows within which a rise by 30 % must be noticed; 0: it need not
}

func kinds() []kind {
	return []kind{
		{"0 or 1, p = 0.01", zeroOne(0.01), 20000, 0},
		{"0 or 1, p = 0.1", zeroOne(0.1), 2000, 20000},
		{"0 or 1, p = 0.4", zeroOne(0.4), 2000, 20000},
		{"exponential", stateless(exponential), 2000, 20000},
		{"squared Student-t(3)", stateless(studentSquared), 2000, 20000},
		{"log-loss, labels flipped", stateless(logLoss), 2000, 20000},
		{"autocorrelated, 0.9", autocorrelated(0.9), 2000, 20000},
	}
}
