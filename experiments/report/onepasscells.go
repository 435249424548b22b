package report

import (
	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"slices"
)

// LeastGain is the metric of the worst seed: its accuracy on the stream less the frozen initial PHE's, in points.
const LeastGain = "least_gain"

// The methods that the table of one pass names.
const (
	FromNothingName = "One pass"
	AfterName       = "One pass after initial phase"
	ExactName       = "One pass, exact rows"
	ExactAfterName  = "One pass, exact rows after initial phase"
	RefittedName    = "Refitted logistic regression"
	BayesianName    = "Bayesian logistic regression"
)

// onePassScores returns the leading scores of one pass, from nothing and after the initial phase, on each stream with a result.
func onePassScores(folder *result.Folder) ([]Cell, error) {
	var cells []Cell
	for _, spec := range slices.Concat(spec.StudyMembers()["one-pass"], spec.StudyMembers()["one-pass-ratings"]) {
		f, err := folder.Find(spec)
		if err != nil {
			return nil, err
		}
		for _, name := range []string{FromNothingName, AfterName} {
			if r := measure.Find(f, name); r.Method != nil {
				cells = append(cells, Cell{Item: "One pass", Metric: r.Leading(), Spec: spec}.Measure(r))
			}
		}
	}
	return cells, nil
}
