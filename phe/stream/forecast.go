package stream

import (
	"slices"

	"gophe/phe/stream/internal/ensemble"
	"gophe/phe/stream/novelty"
	"gophe/phe/stream/repeats"
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
	// Alarms is the number of alarms so far, in this row too if there is a Reason.
	Alarms int `json:"-"`
	// Reason says why an alarm went off at this row: fields of a column can no longer be read or are now empty, or forecasts did not hold.
	Reason string `json:"-"`
	// Changed is the number of rows learned when the forecasts did not hold, if that alarm went off at this row.
	Changed int64 `json:"-"`
	// Again says whether a row with an id came before.
	Again repeats.Kind `json:"-"`
	// Unread names the columns whose fields could not be read.
	Unread []string `json:"unread,omitempty"`
}

func (l *Learner) forecast(p *ensemble.Predictions) Forecast {
	f := Forecast{Novelty: p.Seen, Spread: p.Main.Spread, Rows: p.Rows, Alarms: l.eval.Alarms}
	if p.Seen == novelty.Unknown {
		f.Novelty = -1
	}
	var classes []float64
	if classes, f.Value, f.Low, f.High = l.eval.Told(p); len(classes) == 2 {
		f.Probability = classes[1]
	} else {
		f.Classes = slices.Clone(classes)
	}
	return f
}
