package ensemble

import (
	"gophe/phe/belief"
	"gophe/phe/onepass"
	"gophe/phe/stream/change"
	"gophe/phe/stream/schema"
)

// Row is a record on its way through the parts, with everything that one part leaves for another. It can be used again.
type Row struct {
	Reading
	Reason  string // why an alarm went off at this row; "" if none did
	Changed int64  // number of rows learned with this one, if the Reason is that the forecasts did not hold
	Call    Call
	Late    *Predictions // of CallLabel: the forecasts that Ask saved
	Label

	Predictions Predictions

	known   unit          // of a number when the row is forecast
	unit    unit          // in which the experts learn its label
	exact   Prediction    // memory of Predictions.Exact
	odds    float64       // log-odds of the second of two classes, before recalibration
	lag     float64       // mean number of rows that are learned before a label comes
	remedy  change.Remedy // after the row is learned: by which beliefs become less sure
	keep    float64       // share of the beliefs' means that the remedy keeps
	counts  float64       // min(1, weight): its weight in the variance of errors
	share   float64       // share of its weight that counts in stacking; less for a late label
	witness float64       // share of its weight that counts in parts that doubt (see hedge); 1 in the others
}

// Reading is a record as the reader gives it to the parts.
type Reading struct {
	Record schema.Record
	Items  []Item
	Odd    []int  // columns whose fields cannot be read
	Gaps   []int  // columns without a value
	Values uint64 // hash of the values that the columns read

	encoded []*onepass.Row // by encoder
}

// Call is the learner's method that a row comes from.
type Call int

// Calls. A row of CallPredict or CallPeek is no row of the stream, and CallPeek leaves no trace at all.
const (
	CallStep    Call = iota // forecast and, if the label is known, learned
	CallAsk                 // forecast, and learned when its label comes
	CallAgain               // as CallAsk, for a record that came before
	CallLabel               // learned by the forecasts that Ask saved
	CallPredict             // only forecast
	CallPeek
)

// Label is the target of a record.
type Label struct {
	Known  bool
	Y      float64
	Weight float64 // in learning, where 1 is a usual row; without the weights of classes
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

func tablesOf(parts []Part) (tables []belief.Part) {
	for _, p := range parts {
		if p, ok := p.(interface{ tables() []belief.Part }); ok {
			tables = append(tables, p.tables()...)
		}
	}
	return tables
}

func prefixed(prefix string, tables []belief.Part) []belief.Part {
	for i := range tables {
		tables[i].Name = prefix + tables[i].Name
	}
	return tables
}
