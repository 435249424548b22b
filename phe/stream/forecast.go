package stream

import (
	"math"

	"gophe/phe/score"
	"gophe/phe/stream/schema"
)

// Forecast is a learner's forecast of a record. A field that does not apply to the kind of target is 0.
type Forecast struct {
	// Probability is the probability of the second of two classes.
	Probability float64 `json:"probability"`
	// Classes are the probabilities of several classes, in the order of Target.Classes.
	Classes []float64 `json:"classes,omitempty"`
	// Value is the likeliest class's number, a number's mean, or a count's median.
	Value float64 `json:"value"`
	// Low and High bound the interval that holds nine in ten numbers or counts.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Novelty is the number of times that the record's rarest item was learned before; −1 if the record has no items.
	Novelty int64 `json:"novelty"`
	// Spread is the standard deviation of the model's uncertainty about the record: in the logit, or in a number's mean.
	Spread float64 `json:"spread"`
	// Rows is the number of rows learned when the forecast was made.
	Rows int64 `json:"rows"`
}

// Ends of a 90 % interval.
const (
	lowQuantile, highQuantile = 0.05, 0.95
	normalQuantile            = 1.6448536269514722 // of N(0, 1) at highQuantile
)

// forecast returns a law in the form that people read.
func (l *Learner) forecast(m law, seen int64) Forecast {
	f := Forecast{Novelty: seen, Spread: m.Spread, Rows: l.rows}
	if seen == unknownNovelty {
		f.Novelty = -1
	}
	switch l.schema.Target.Kind {
	case schema.Classes:
		if len(m.Classes) == 2 {
			f.Probability = m.Classes[1]
		} else {
			f.Classes = append([]float64(nil), m.Classes...)
		}
		f.Value = float64(score.Likeliest(m.Classes))
	case schema.Amount:
		half := l.limits.factor(seen) * math.Sqrt(m.Variance)
		f.Value, f.Low, f.High = m.Mean, m.Mean-half, m.Mean+half
	case schema.Count:
		f.Value, f.Low, f.High = m.Median, m.Low, m.High
	}
	return f
}

// intervals learns the width of 90 % intervals, in standard deviations, for each tier of novelty. It widens the interval after a miss
// and narrows it after a hit. In the long run the intervals then hold nine in ten numbers for any distribution of the errors (Gibbs
// and Candès, 2021).
type intervals struct {
	Factor [score.NoveltyTiers]float64 `json:"factor"`
	Rows   [score.NoveltyTiers]int64   `json:"rows"`
}

func newIntervals() (v intervals) {
	for i := range v.Factor {
		v.Factor[i] = normalQuantile
	}
	return v
}

func (v *intervals) factor(seen int64) float64 { return v.Factor[score.NoveltyTier(seen)] }

// learn adapts the factor to a hit or a miss of an interval.
func (v *intervals) learn(seen int64, held bool) {
	const (
		first, last      = 0.05, 0.005 // steps, in units of the factor
		settled          = 100         // rows of the first steps
		smallest, widest = 0.2, 20.
	)
	tier := score.NoveltyTier(seen)
	v.Rows[tier]++
	step := max(last, first/math.Sqrt(1+float64(v.Rows[tier])/settled))
	missed := 1.0
	if held {
		missed = 0
	}
	v.Factor[tier] = min(max(v.Factor[tier]*(1+step*(missed-(1-(highQuantile-lowQuantile)))), smallest), widest)
}
