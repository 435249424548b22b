package stream

import (
	"slices"

	"gophe/phe/count"
)

// predictions are the forecasts that all models made of one record.
type predictions struct {
	Main     prediction   `json:"main"`
	Experts  []prediction `json:"experts"` // also of the first expert's evidence alone, for classes
	BaseRate prediction   `json:"usual"`
	Exact    *prediction  `json:"exact,omitempty"`

	seen    int64 // number of times that the record's rarest item was learned before
	rows    int64 // number of rows learned before
	restart bool  // a number before was wild beside the others: the scores so far count no more
}

// kept returns copies that stay valid after the models' next calls.
func (p predictions) kept() predictions {
	p.Main, p.BaseRate, p.Experts = p.Main.kept(), p.BaseRate.kept(), slices.Clone(p.Experts)
	for i, x := range p.Experts {
		p.Experts[i] = x.kept()
	}
	if p.Exact != nil {
		x := p.Exact.kept()
		p.Exact = &x
	}
	return p
}

// prediction is a model's forecast. Classes have probabilities, a number has mean and variance, and a count has median and interval.
type prediction struct {
	Classes  []float64 `json:"classes,omitempty"`
	Mean     float64   `json:"mean,omitempty"`
	Variance float64   `json:"variance,omitempty"`
	Median   float64   `json:"median,omitempty"`
	Low      float64   `json:"low,omitempty"`
	High     float64   `json:"high,omitempty"`
	Spread   float64   `json:"spread,omitempty"` // standard deviation of the model's uncertainty, in the logit or the mean
	Inputs   []float64 `json:"inputs,omitempty"` // of the last step, in the forecast that it made

	count count.Distribution // distribution of a count, valid until the model's next call
}

func predictionOfCount(d count.Distribution) prediction {
	return prediction{Median: d.Quantile(0.5), Low: d.Quantile(lowQuantile), High: d.Quantile(highQuantile), count: d}
}

// kept returns a copy that stays valid after the model's next call. The copy lacks the distribution of a count.
func (p prediction) kept() prediction {
	p.Classes, p.Inputs, p.count = slices.Clone(p.Classes), slices.Clone(p.Inputs), nil
	return p
}

// set copies a prediction into memory of its own.
func (p *prediction) set(from prediction) {
	own := p.Classes
	*p = from
	p.Classes = append(own[:0], from.Classes...)
}

// shifted is the distribution of a count that may be 0. The cells of package count begin at 1.
type shifted struct{ count.Distribution }

// LogProbability returns log P(Y = y), in nats.
func (s shifted) LogProbability(y int) float64 { return s.Distribution.LogProbability(y + 1) }

// CDF returns P(Y ≤ y).
func (s shifted) CDF(y int) float64 { return s.Distribution.CDF(y + 1) }

// Mean returns the expected count.
func (s shifted) Mean() float64 { return s.Distribution.Mean() - 1 }

// Quantile returns the smallest y with P(Y ≤ y) ≥ q.
func (s shifted) Quantile(q float64) float64 { return s.Distribution.Quantile(q) - 1 }
