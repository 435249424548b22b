package drift

// Options are the constants of the method. A field that is not positive takes its default.
type Options struct {
	// Batch is the number of rows in an average, 100 by default. The alarm goes off in the last row of a batch. Take more rows
	// if losses stay high or low for 100 rows at a time, or if the loss is 0 in all but one row of 1,000.
	Batch int `json:"batch"`
	// Memory is the number of batches that the reference remembers, 500 by default.
	Memory int `json:"memory"`
	// Rise is the rise of the mean loss that is not worth an alarm, as a share of the size of the mean: 0.15 by default.
	Rise float64 `json:"rise"`
	// Threshold is the sum of standard deviations that sets off the alarm, 18 by default. False alarms become rarer
	// exponentially as it grows, and delays become longer in proportion.
	Threshold float64 `json:"threshold"`
}

// withDefaults fills the fields that are not positive. NaN is not positive.
func (o Options) withDefaults() Options {
	if o.Batch <= 0 {
		o.Batch = 100
	}
	if o.Memory <= 0 {
		o.Memory = 500
	}
	if !(o.Rise > 0) {
		o.Rise = 0.15
	}
	if !(o.Threshold > 0) {
		o.Threshold = 18
	}
	return o
}
