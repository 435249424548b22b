package figures

import (
	"math"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
)

// observation is the method whose predictions are the stream's targets.
const observation = "Observation"

// Figure5 draws Fig. 5 (c, d) from the result of Supp. F's stream of two items. It shows each method's prediction before it saw
// the datum, the observation, and the absolute error of the prediction. Lines are means over seeds, bands ±1 standard deviation
// (n−1). They are interrupted where the item changes.
func Figure5(f *result.File) (*Figure, error) {
	sources, err := readSources([]*result.File{f})
	if err != nil {
		return nil, err
	}
	s := sources[0]
	observed := s.find(observation, false)
	if observed == nil || len(observed.Runs[0].Prediction) == 0 {
		return nil, errors.Errorf("result %q has no method %s with the targets; make it again: `phe run %s`", f.Name, observation, f.Name)
	}
	targets := observed.Runs[0].Prediction
	upper := &panel{yLabel: "Prediction", xLabel: "Data point", changes: f.Stream.Changes, nameChanges: true, yTicks: plot.TickerFunc(fewTicks)}
	lower := &panel{yLabel: "Absolute error", xLabel: "Data point", changes: f.Stream.Changes, yTicks: plot.TickerFunc(someTicks)}
	var drawn []method
	for _, m := range s.methods {
		if m.Frozen {
			continue // learns nothing here
		}
		predicted, missed, err := m.predictions(targets)
		if err != nil {
			return nil, errors.WithMessagef(err, "result %q", f.Name)
		}
		for _, part := range []struct {
			p      *panel
			values series
		}{{upper, predicted}, {lower, missed}} {
			c, err := m.curve(part.values, 0)
			if err != nil {
				return nil, err
			}
			for _, change := range f.Stream.Changes {
				c.breaks = append(c.breaks, change.Step)
			}
			if m.Name == observation {
				c.marks, c.stdDev = justPoints, nil
			}
			if len(c.mean) > 0 && (m.Name != observation || part.p == upper) {
				part.p.curves = append(part.p.curves, c)
			}
		}
		if m.Name != observation {
			drawn = append(drawn, m)
		}
	}
	if len(drawn) == 0 {
		return nil, errors.Errorf("result %q has no method but %s; make it again: `phe run %s`", f.Name, observation, f.Name)
	}
	says := []string{
		"Above: prediction of each datum before it was seen. Below: its absolute error. The item changes at each dotted " +
			"line. PHE: exact Bayes; Ada: deterministic hash embedding, EE: collision-free embedding, both by online gradient descent.",
	}
	if len(drawn[0].Runs) > 1 {
		says = append(says, seedsSentence("Lines", "bands", drawn))
	} else {
		says = append(says, "One run: nothing in it is random, so that all seeds would be alike.")
	}
	says = append(says, sourceNotes(sources, "counts up to there")...)
	g := tiled([]*panel{upper, lower}, 1)
	return New(g, pageWidth, 9.4*vg.Centimeter, strings.Join(says, " ")), nil
}

// predictions returns a method's prediction at each step and its distance from the target.
func (m *method) predictions(targets []float64) (predicted, missed series, err error) {
	predicted, missed = series{}, series{}
	for _, run := range m.Runs {
		values := run.Prediction
		if run.Status == result.Diverged {
			values = values[:min(run.DivergedAt, len(values))]
		} else if len(values) != len(targets) {
			return nil, nil, errors.Errorf("%s, seed %d: %d predictions of %d targets; make the result again by `phe run`",
				m.label, run.Seed, len(values), len(targets))
		}
		far := make([]float64, len(values))
		for t, value := range values {
			if math.IsNaN(value) || math.IsInf(value, 0) {
				return nil, nil, errors.Errorf("%s, seed %d, datum %d: prediction %v is not finite", m.label, run.Seed, t, value)
			}
			far[t] = math.Abs(value - targets[t])
		}
		predicted[run.Seed], missed[run.Seed] = values, far
	}
	return predicted, missed, nil
}
