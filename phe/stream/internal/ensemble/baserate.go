package ensemble

import (
	"math"
	"slices"

	"gophe/phe/count"
	"gophe/phe/stream/schema"
)

// BaseRate is the forecast from the targets so far alone: frequencies of classes or of cells of counts, or mean and variance.
type BaseRate struct {
	Weights []float64 `json:"weights,omitempty"` // weights of classes or cells
	Total   float64   `json:"total"`
	Mean    float64   `json:"mean,omitempty"`
	Squares float64   `json:"squares,omitempty"`  // around the mean
	Last    float64   `json:"last,omitempty"`     // target
	Run     int       `json:"outliers,omitempty"` // doublings of the bound of outliers

	kind       schema.TargetKind
	scale      *Scale
	statistics *Statistics
	shares     []float64
	outliers   int64 // rows whose target was a number beyond all measure
}

func newBaseRate(t schema.Target, in *Scale, c *Statistics) *BaseRate {
	u := &BaseRate{kind: t.Kind, scale: in, statistics: c}
	u.begin(t)
	return u
}

func (u *BaseRate) begin(t schema.Target) {
	n := max(1, len(t.Classes))
	u.Weights, u.Total, u.Mean, u.Squares, u.Run = slices.Repeat([]float64{1}, len(t.Classes)), float64(n), 0, 0, 0
	if t.Kind == schema.Count { // before any row, P(Y + 1 ≥ y) = 1/y²
		u.Weights = count.Octaves().Small()
	}
	u.shares = make([]float64, len(u.Weights))
}

// fit reports whether a base rate can take the place of another one.
func (u *BaseRate) fit(own *BaseRate) bool {
	return len(u.Weights) == len(own.Weights) && Positive(u.Weights...) && Positive(u.Total) && finite(u.Mean, u.Squares)
}

func (u *BaseRate) Forecast(r *Row) {
	p := &r.Predictions.BaseRate
	r.Predictions.Last = u.Last
	if u.kind == schema.Amount {
		p.Mean, p.Variance = u.Mean, u.variance()
		return
	}
	for k, w := range u.Weights {
		u.shares[k] = w / u.Total
	}
	if u.kind == schema.Classes {
		p.Classes = append(p.Classes[:0], u.shares...)
		return
	}
	*p = predictionOfCount(shifted{count.Histogram(count.Octaves(), u.shares)})
}

func (u *BaseRate) variance() float64 {
	variance := 1.0
	if u.Total > 2 {
		variance = u.Squares / (u.Total - 2)
	}
	return max(variance, math.SmallestNonzeroFloat32)
}

// Learn clips the row's target first, so that no later part learns an outlier.
func (u *BaseRate) Learn(r *Row) {
	u.clip(r)
	u.add(r.Y, r.Weight)
}

func (u *BaseRate) add(y, weight float64) {
	u.Total += weight
	u.Last = y
	switch u.kind {
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

// A number that lies more than outlierAt deviations from the mean is an outlier, and counts as outlierAs deviations. Repeated outliers mean
// a change: the bound doubles with each, and is halved every alone rows.
const outlierAt, outlierAs, alone = 1e6, 5, 40

// clip bounds the target of a row if it is an outlier, and counts it. It also sets the weight of the row.
func (u *BaseRate) clip(r *Row) {
	r.Weight = u.statistics.counts(r.Scored, r.Predictions.Rows)
	if u.kind != schema.Amount {
		return
	}
	// A stream that was constant so far deviates by the noise of its arithmetic alone. The scale of the first numbers bounds that.
	d := max(math.Sqrt(u.variance()), u.scale.Spread, 1e-3*max(1, math.Abs(u.Mean)))
	at := outlierAt * d
	if u.Squares == 0 {
		at *= 1000 // a million deviations of a constant are nothing
	}
	if !u.scale.known() || math.Abs(r.Y-u.Mean) <= at {
		if r.Predictions.Rows%alone == 0 {
			u.Run = max(0, u.Run-1)
		}
		return
	}
	d *= min(math.Ldexp(outlierAs, u.Run), outlierAt/2) // a larger bound would let many outliers raise the deviation that defines them
	u.Run = min(u.Run+1, 20)
	u.outliers++
	r.Y = u.Mean + math.Copysign(d, r.Y-u.Mean)
}
