package ensemble

import (
	"slices"

	"gophe/phe/count"
	"gophe/phe/onepass"
	"gophe/phe/stream/change"
	"gophe/phe/stream/schema"
)

// Row is a record on its way through the parts, with everything that one part leaves for another. It can be used again.
type Row struct {
	Record  schema.Record
	Items   []Item
	Odd     []int  // columns whose fields cannot be read
	Gaps    []int  // columns without a value
	Values  uint64 // hash of the values that the columns read
	Reason  string // what has jumped at this row
	Changed int64  // number of rows learned with this one, if the Reason is that the forecasts did not hold
	Call    Call
	Late    *Predictions // of CallLabel: the forecasts that the record got when it was asked
	Label

	Predictions Predictions

	encoded []*onepass.Row // by encoder
	known   unit           // of a number when the row is forecast
	unit    unit           // in which the experts learn its label
	exact   Prediction     // memory of Predictions.Exact
	witness float64        // the part of a witness that the row is, for parts that doubt (see hedge); 1 for the others
	odds    float64        // log-odds of the second of two classes, before recalibration
	lag     float64        // mean number of rows that are learned before a label comes
	remedy  change.Remedy  // by which beliefs become less sure once the row is learned
	keep    float64        // share of their means that stays
	share   float64        // the part of its weight with which a late row counts in stacking
	counts  float64        // rows that it counts as in the variance of errors: its weight, and at most 1
}

// Call is the learner's method that a row comes from.
type Call int

// Calls. A row of CallPredict or CallPeek is no row of the stream, and CallPeek leaves no trace at all.
const (
	CallStep    Call = iota // forecast and, if the label is known, learned
	CallAsk                 // forecast, and learned when its label comes
	CallAgain               // as CallAsk, for a record that came before
	CallLabel               // learned by the forecasts that it got when it was asked
	CallPredict             // only forecast
	CallPeek
)

// Label is the target of a record.
type Label struct {
	Known  bool
	Y      float64
	Weight float64 // number of rows that it counts as in learning, but for the weights of classes
	Scored float64 // weight in the score
}

// Part is a part of the ensemble. Every row takes the same road through the parts, whenever its label comes.
type Part interface {
	// Forecast puts the part's forecast into a row.
	Forecast(r *Row)
	// Learn learns the label of the row that was forecast last, from the row alone.
	Learn(r *Row)
}

// Take lets parts forecast a row, and learn it if its label is known.
func Take(r *Row, parts ...Part) {
	for _, p := range parts {
		if p.Forecast(r); r.Known {
			p.Learn(r)
		}
	}
}

// Predictions are the forecasts that all models made of one record.
type Predictions struct {
	Main     Prediction   `json:"main"`
	Experts  []Prediction `json:"experts"` // also of the first expert's evidence alone, for classes
	BaseRate Prediction   `json:"base_rate"`
	Exact    *Prediction  `json:"exact,omitempty"`
	Choices  []Prediction `json:"choices,omitempty"` // that the hedge has joined, but for the base rate
	Last     float64      `json:"last,omitempty"`    // the target that was learned last

	Seen    int64 `json:"-"` // number of times that the record's rarest item was learned before
	Rows    int64 `json:"-"` // number of rows learned before
	Restart bool  `json:"-"` // a number before was an outlier beside the others: the scores so far count no more
}

// Keep sets predictions to copies of a row's, which stay valid after its next use. They take the memory of those before.
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

// Fit tells whether predictions may be those of a model. They may come from a damaged file.
func (p *Predictions) Fit(m *Model) bool {
	if n := len(p.Main.Inputs); len(p.Experts) != m.Design.outputs() || p.Exact != nil && m.Design.Exact == nil ||
		n != m.inputs && (n > 0 || m.target.Kind != schema.Amount) ||
		len(p.Choices) > 0 && (len(p.Choices) != 2 || len(p.Choices[1].Inputs) != n) {
		return false
	}
	all := append(append(slices.Clip(p.Experts), p.Choices...), p.Main, p.BaseRate)
	if p.Exact != nil {
		all = append(all, *p.Exact)
	}
	return !slices.ContainsFunc(all, func(x Prediction) bool {
		return len(x.Classes) != len(m.target.Classes) || !finite(x.Classes...) || !finite(x.Inputs...) ||
			!finite(x.Mean, x.Variance, x.Median, x.Low, x.High, x.Spread)
	})
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

	Log float64 `json:"log,omitempty"` // logarithm of the probability of a count whose label comes late; 0 if it is not known

	Count count.Distribution `json:"-"` // distribution of a count, valid until the model's next call
}

// keep takes a copy of another prediction. A count keeps the probability of its label, if that is known.
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
