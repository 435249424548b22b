package stream

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
