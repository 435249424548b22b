package stream

import (
	"math"
	"slices"

	"gophe/phe/count"
	"gophe/phe/internal/text"
	"gophe/phe/onepass"
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
	n, each := len(t.Classes), 1.0
	if t.Kind == schema.Count {
		n = count.Octaves().Len()
		each = 1 / float64(n)
	}
	u := baseRate{Weights: slices.Repeat([]float64{each}, n), shares: make([]float64, n)}
	for range n {
		u.Total += each
	}
	if t.Kind == schema.Amount {
		u.Total = 1
	}
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

// tame bounds a number that is wild by what one row may do to a belief, and counts it. It leaves all other targets as they are. It also sets
// the rows that the row counts as. Without a course, a weight is a number of rows, at least a small share of the mean weight.
func (m *model) tame(of *labelled, rows int64) {
	if m.course != nil {
		of.counts = m.course.counts(of.weight, rows)
	} else {
		of.weight = max(of.weight, onepass.LeastWeight*m.baseRate.Total/float64(rows+int64(max(1, len(m.target.Classes)))))
		of.counts = of.weight
	}
	if m.target.Kind != schema.Amount {
		return
	}
	// The stream may have been constant so far, but for the noise of its arithmetic. So no deviation is less than the first numbers' scale.
	u := &m.baseRate
	d := max(math.Sqrt(u.predict(schema.Amount).Variance), m.scale.Spread, 1e-3*max(1, math.Abs(u.Mean)))
	at := wildAt * d
	if u.Squares == 0 {
		at *= 1000 // a million deviations of a constant are nothing
	}
	if !m.scale.known() || math.Abs(of.y-u.Mean) <= at {
		u.Wild = 0
		return
	}
	d *= min(math.Ldexp(wildAs, u.Wild), wildAt)
	u.Wild = min(u.Wild+1, 20)
	m.wild++
	of.y = u.Mean + math.Copysign(d, of.y-u.Mean)
}

// scale brings a number to about mean 0 and standard deviation 1, which the model's priors need. It is learned from the first rows. Their
// forecasts are the base rate, and the models learn them as soon as the scale is known.
type scale struct {
	Center float64 `json:"center"`
	Spread float64 `json:"spread"` // 0 while it is not known

	First []first `json:"first,omitempty"`

	tamed bool // a number of First was wild
}

// first is a row that waits for the scale.
type first struct {
	Record text.Strings `json:"record"`
	Y      float64      `json:"y"`
	Weight float64      `json:"weight"`
}

// scaleRows is the number of rows that the scale is learned from.
const scaleRows = 20

// newScale returns the scale of a target. The scale of classes and counts changes nothing.
func newScale(kind schema.TargetKind) *scale {
	if kind == schema.Amount {
		return &scale{}
	}
	return &scale{Spread: 1}
}

// known tells whether the scale is known.
func (s *scale) known() bool { return s.Spread > 0 }

// tame brings the number of First that lies farthest from the center to the next one, if it is wild beside all others.
func (s *scale) tame() {
	farthest, largest, second := 0, 0., 0.
	for i, f := range s.First {
		if d := math.Abs(f.Y - s.Center); d > largest {
			farthest, largest, second = i, d, largest
		} else {
			second = max(second, d)
		}
	}
	if s.tamed = largest > wildAt*max(second, 1000*max(1, math.Abs(s.Center))); s.tamed {
		y := &s.First[farthest].Y
		*y = s.Center + math.Copysign(second, *y-s.Center)
	}
}

// add takes a first row. It returns true if the scale is known now.
func (s *scale) add(r schema.Record, y, weight float64) bool {
	s.First = append(s.First, first{slices.Clone(text.Strings(r)), y, weight})
	if len(s.First) < scaleRows {
		return false
	}
	values := s.sorted()
	s.Center = (values[scaleRows/2-1] + values[scaleRows/2]) / 2
	if s.tame(); s.tamed {
		values = s.sorted()
	}
	const perDeviation = 1.349 // distance between the quartiles of N(0, 1)
	s.Spread = (values[3*scaleRows/4] - values[scaleRows/4-1]) / perDeviation
	if s.Spread == 0 { // at least half of the values are equal: take the largest distance from them
		for _, v := range values {
			s.Spread = max(s.Spread, math.Abs(v-s.Center))
		}
	}
	if s.Spread == 0 {
		s.Spread = max(1, math.Abs(s.Center))
	}
	return true
}

// sorted returns the numbers of First.
func (s *scale) sorted() (values []float64) {
	for _, f := range s.First {
		values = append(values, f.Y)
	}
	slices.Sort(values)
	return values
}

// in returns a target in the model's scale, where tables of float32 can hold its errors.
func (s *scale) in(y float64) float64 { return max(-maxScaled, min(maxScaled, (y-s.Center)/s.Spread)) }

const maxScaled = 1e25

// out returns a forecast in the target's scale.
func (s *scale) out(m prediction) prediction {
	m.Mean = s.Center + s.Spread*m.Mean
	m.Variance *= s.Spread * s.Spread
	m.Spread *= s.Spread
	return m
}
