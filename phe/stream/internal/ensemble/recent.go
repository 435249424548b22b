package ensemble

import (
	"slices"

	"gophe/phe/belief"
)

// recent holds running means over the last rows: of their labels, and of their forecasts. On most streams a row resembles the rows before
// it. The labels say what came, and the forecasts what was expected.
type recent struct {
	all       []float64 // labels, then forecasts
	labels    []float64 // [windows, outputs]
	forecasts []float64 // [windows, outputs]; for numbers, the errors of the forecasts
	outputs   int
}

// windows are the numbers of labelled rows that the running means remember.
var windows = [...]float64{2, 16, 128}

// ofBaseRate is the share of the base rate in a running mean of labels, so that a few equal labels make no certainty.
const ofBaseRate = 0.1

func newRecent(outputs int, first float64) recent {
	n := len(windows) * outputs
	all := slices.Repeat([]float64{first}, 2*n)
	return recent{all, all[:n], all[n:], outputs}
}

// learn learns the label of a row and its forecast, for one output. The means of labels move at the rate least, or faster.
func (r *recent) learn(output int, label, forecast, weight, least float64) {
	for i, m := range windows {
		at, rate := i*r.outputs+output, min(1, weight/m)
		r.labels[at] += max(rate, least) * (label - r.labels[at])
		r.forecasts[at] += rate * (forecast - r.forecasts[at])
	}
}

func (r *recent) tables() []belief.Part {
	return []belief.Part{belief.List("recent labels", r.labels), belief.List("recent forecasts", r.forecasts)}
}

// discount returns the factor of stacking's recent inputs. It falls with the lag of the labels: late labels say less about the present.
func (r *Row) discount() float64 {
	const halved = 32 // lag at which it counts half
	return 1 / (1 + r.lag/halved)
}
