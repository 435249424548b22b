package stream

import "gophe/phe/belief"

// recent is what came last: running means of the labels, and of the forecasts that these rows got. On most streams a row resembles
// the rows before it. The labels say what came, and the forecasts what had been expected.
type recent struct {
	labels    []float64 // [windows, outputs]
	forecasts []float64 // [windows, outputs]; for numbers, the errors of the forecasts
	outputs   int
}

// windows are the numbers of labelled rows that the running means remember.
var windows = [...]float64{2, 16, 128}

func newRecent(outputs int, first float64) recent {
	r := recent{make([]float64, len(windows)*outputs), make([]float64, len(windows)*outputs), outputs}
	for i := range r.labels {
		r.labels[i], r.forecasts[i] = first, first
	}
	return r
}

// learn learns the label of a row and its forecast, for one output. The means move by at least the rate least, times their distance.
func (r *recent) learn(output int, label, forecast, weight, least float64) {
	for i, m := range windows {
		at, rate := i*r.outputs+output, min(1, weight/m)
		r.labels[at] += max(rate, least) * (label - r.labels[at])
		r.forecasts[at] += rate * (forecast - r.forecasts[at])
	}
}

func (r *recent) parts() []belief.Part {
	return []belief.Part{belief.List("recent labels", r.labels), belief.List("recent forecasts", r.forecasts)}
}
