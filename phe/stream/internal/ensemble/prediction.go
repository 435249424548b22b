package ensemble

import (
	"math"
	"slices"

	"gophe/phe/count"
	"gophe/phe/stream/schema"
)

// Predictions are the forecasts that all models made of one record.
type Predictions struct {
	Main     Prediction   `json:"main"`
	Experts  []Prediction `json:"experts"` // for classes, the forecast by the first expert's evidence alone comes last
	BaseRate Prediction   `json:"base_rate"`
	Exact    *Prediction  `json:"exact,omitempty"`
	Choices  []Prediction `json:"choices,omitempty"` // of the hedge, without the base rate
	Last     float64      `json:"last,omitempty"`    // the target that was learned last
	Width    float64      `json:"width,omitempty"`   // of a number that waits: half its interval in deviations; 0 if it was not kept

	Seen    int64 `json:"-"` // number of times that the record's rarest item was learned before
	Rows    int64 `json:"-"` // number of rows learned before
	Restart bool  `json:"-"` // an earlier number was an outlier: the scores so far count no more
}

// expertOr returns forecast i of the experts, or last if they have fewer.
func (p *Predictions) expertOr(i int, last *Prediction) *Prediction {
	if i < len(p.Experts) {
		return &p.Experts[i]
	}
	return last
}

// Keep copies the predictions of a row, which are valid until its next use. It reuses the memory of p.
func (p *Predictions) Keep(from *Predictions, y Label) {
	p.Last, p.Seen, p.Rows, p.Restart, p.Exact = from.Last, from.Seen, from.Rows, from.Restart, nil
	p.Main.keep(&from.Main, y)
	p.BaseRate.keep(&from.BaseRate, y)
	p.Experts, p.Choices = keepAll(p.Experts, from.Experts, y), keepAll(p.Choices, from.Choices, y)
	if from.Exact != nil {
		p.Exact = new(Prediction)
		p.Exact.keep(from.Exact, Label{})
	}
}

func keepAll(to, from []Prediction, y Label) []Prediction {
	to = slices.Grow(to[:0], len(from))[:len(from)]
	for i := range from {
		to[i].keep(&from[i], y)
	}
	return to
}

// Fit reports whether a model can have made the predictions. They may come from a damaged file.
func (p *Predictions) Fit(m *Model) bool {
	if n := len(p.Main.Inputs); len(p.Experts) != m.Design.outputs() || p.Exact != nil && m.Design.Exact == nil ||
		n != m.inputs && (n > 0 || m.target.Kind != schema.Amount) ||
		len(p.Choices) > 0 && (len(p.Choices) != 2 || len(p.Choices[1].Inputs) != n) {
		return false
	}
	bad := func(x Prediction) bool {
		return len(x.Classes) != len(m.target.Classes) || !finite(x.Classes...) || !finite(x.Inputs...) ||
			!finite(x.Mean, x.Variance, x.Median, x.Low, x.High, x.Spread)
	}
	return !slices.ContainsFunc(p.Experts, bad) && !slices.ContainsFunc(p.Choices, bad) && !bad(p.Main) && !bad(p.BaseRate) &&
		(p.Exact == nil || !bad(*p.Exact))
}

// Prediction is a model's forecast. Classes have probabilities, a number has mean and variance, and a count has median and interval.
type Prediction struct {
	Classes  []float64 `json:"classes,omitempty"`
	Mean     float64   `json:"mean,omitempty"`
	Variance float64   `json:"variance,omitempty"`
	Median   float64   `json:"median,omitempty"`
	Low      float64   `json:"low,omitempty"`
	High     float64   `json:"high,omitempty"`
	Spread   float64   `json:"spread,omitempty"` // standard deviation of the model's uncertainty, in the logit or the mean
	Inputs   []float64 `json:"inputs,omitempty"` // from which stacking, or the model of a count, made the forecast

	Log float64 `json:"log,omitempty"` // log-probability of a count whose label comes late; 0 if unknown

	Count count.Distribution `json:"-"` // distribution of a count, valid until the model's next call
}

// keep copies another prediction. A count keeps the probability of its label, if that is known.
func (p *Prediction) keep(from *Prediction, y Label) {
	if p.set(from); p.Count != nil && y.Known {
		p.Log = p.Count.LogProbability(int(y.Y))
	}
	p.Count = nil
}

func (p *Prediction) set(from *Prediction) {
	classes, inputs := p.Classes, p.Inputs
	*p = *from
	p.Classes, p.Inputs = append(classes[:0], from.Classes...), append(inputs[:0], from.Inputs...)
}

// Ends of a 90 % interval.
const LowQuantile, HighQuantile = 0.05, 0.95

func predictionOfCount(d count.Distribution) Prediction {
	return Prediction{Median: d.Quantile(0.5), Low: d.Quantile(LowQuantile), High: d.Quantile(HighQuantile), Count: d}
}

// shifted is the distribution of a count that may be 0. The cells of package count begin at 1.
type shifted struct{ count.Distribution }

func (s shifted) LogProbability(y int) float64 { return s.Distribution.LogProbability(y + 1) }
func (s shifted) CDF(y int) float64            { return s.Distribution.CDF(y + 1) }
func (s shifted) Mean() float64                { return s.Distribution.Mean() - 1 }
func (s shifted) Quantile(q float64) float64   { return s.Distribution.Quantile(q) - 1 }

// Positive reports whether a learner can divide by numbers, and multiply them.
func Positive(values ...float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return !(v > 0 && v <= math.MaxFloat32) })
}

func finite(values ...float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}
