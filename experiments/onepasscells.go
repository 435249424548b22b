package experiments

import (
	"gophe/experiments/result"
	"slices"
)

// LeastGain is the worst seed's accuracy on the stream less that of the frozen initial model of PHE, in points.
const LeastGain = "least_gain"

// The methods that the table of one pass names.
const (
	fromNothingName = "One pass"
	afterName       = "One pass after initial phase"
	exactName       = "One pass, exact rows"
	exactAfterName  = "One pass, exact rows after initial phase"
	refittedName    = "Refitted logistic regression"
	bayesianName    = "Bayesian logistic regression"
)

// onePassScores are the leading scores of one pass, from nothing and after the initial phase, on each stream that is there.
func onePassScores(folder *result.Folder) ([]Cell, error) {
	var cells []Cell
	for _, spec := range slices.Concat(studies()["one-pass"], studies()["one-pass-ratings"]) {
		f, err := folder.Find(spec)
		if err != nil {
			return nil, err
		}
		for _, name := range []string{fromNothingName, afterName} {
			if f == nil || f.Method(name, false) == nil {
				continue
			}
			m := f.Method(name, false)
			cells = append(cells, Cell{Item: "One pass", Metric: metricsOf(m)[0], Spec: spec}.measure(f, m))
		}
	}
	return cells, nil
}
