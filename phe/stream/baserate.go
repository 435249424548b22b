package stream

import (
	"math"

	"gophe/phe/count"
	"gophe/phe/stream/schema"
)

// baseRate is the base rate: a forecast from the targets so far and nothing else. It holds the frequencies of classes or of cells of
// counts, or the mean and variance of numbers.
type baseRate struct {
	Weights []float64 `json:"weights,omitempty"` // weights of classes or cells
	Total   float64   `json:"total"`
	Mean    float64   `json:"mean,omitempty"`
	Squares float64   `json:"squares,omitempty"` // around the mean
	Wild    int       `json:"wild,omitempty"`    // number of wild rows since the last other row

	shares []float64
}

func newBaseRate(t schema.Target) baseRate {
	u := baseRate{Total: 1}
	switch t.Kind {
	case schema.Classes:
		u.Weights = make([]float64, len(t.Classes))
		for k := range u.Weights {
			u.Weights[k] = 1
		}
		u.Total = float64(len(t.Classes))
	case schema.Count:
		cells := count.Octaves()
		u.Weights = make([]float64, cells.Len())
		u.Total = 0
		for k := range u.Weights {
			u.Weights[k] = 1 / float64(cells.Len())
			u.Total += u.Weights[k]
		}
	}
	u.shares = make([]float64, len(u.Weights))
	return u
}

// predict returns the forecast. It is valid until the next learn.
func (u *baseRate) predict(kind schema.TargetKind) prediction {
	if kind == schema.Amount {
		variance := 1.0
		if u.Total > 2 {
			variance = u.Squares / (u.Total - 2)
		}
		return prediction{Mean: u.Mean, Variance: max(variance, math.SmallestNonzeroFloat32)}
	}
	for k, w := range u.Weights {
		u.shares[k] = w / u.Total
	}
	if kind == schema.Count {
		return predictionOfCount(shifted{count.Histogram(count.Octaves(), u.shares)})
	}
	return prediction{Classes: u.shares}
}

// learn learns a target.
func (u *baseRate) learn(kind schema.TargetKind, y, weight float64) {
	u.Total += weight
	switch kind {
	case schema.Amount:
		step := y - u.Mean
		u.Mean += step * weight / (u.Total - 1)
		u.Squares += weight * step * (y - u.Mean)
	case schema.Count:
		u.Weights[count.Octaves().Of(int(y)+1)] += weight
	default:
		u.Weights[int(y)] += weight
	}
}

// A target that lies more than wildAt deviations from the mean of a stream of numbers is wild. It counts as wildAs deviations. If it is
// not alone the stream has changed: each wild row counts as twice the one before.
const wildAt, wildAs = 1e6, 10

// deviation returns the standard deviation of the numbers so far. It is no less than the scale of the first numbers, since a stream may
// have been constant so far, but for the noise of its arithmetic.
func (u *baseRate) deviation(s *scale) float64 {
	return max(math.Sqrt(u.predict(schema.Amount).Variance), s.Spread, 1e-3*max(1, math.Abs(u.Mean)))
}

// tame returns a number that is wild within the bounds of what one row may do to a belief. It returns all others as they are.
func (u *baseRate) tame(s *scale, y float64) (bounded float64, wild bool) {
	d := u.deviation(s)
	at := wildAt * d
	if u.Squares == 0 {
		at *= 1000 // a million deviations of a constant are nothing
	}
	if !s.known() || math.Abs(y-u.Mean) <= at {
		u.Wild = 0
		return y, false
	}
	d *= min(math.Ldexp(wildAs, u.Wild), wildAt)
	u.Wild = min(u.Wild+1, 20)
	return u.Mean + math.Copysign(d, y-u.Mean), true
}
