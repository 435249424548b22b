package report

import (
	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"slices"
)

// leastGainName is the metric of the worst seed: its accuracy on the stream less the frozen initial PHE's, in points.
const leastGainName = "least_gain"

// The methods that the table of one pass names.
const (
	fromNothing    = "One pass"
	afterName      = "One pass after initial phase"
	exactName      = "One pass, exact rows"
	exactAfterName = "One pass, exact rows after initial phase"
	refittedName   = "Refitted logistic regression"
	bayesianName   = "Bayesian logistic regression"
)

// onePassScores returns the leading scores of one pass, from nothing and after the initial phase, on each stream with a result.
func onePassScores(folder *result.Folder) ([]Cell, error) {
	var cells []Cell
	for _, spec := range slices.Concat(spec.StudyMembers()["one-pass"], spec.StudyMembers()["one-pass-ratings"]) {
		f, err := folder.Find(spec)
		if err != nil {
			return nil, err
		}
		for _, name := range []string{fromNothing, afterName} {
			if r := measure.Find(f, name); r.Method != nil {
				cells = append(cells, Cell{Item: "One pass", Metric: r.Leading(), Spec: spec}.measure(r))
			}
		}
	}
	return cells, nil
}
