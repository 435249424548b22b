package figures

import (
	"math"

	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
	"gophe/figures/draw"
)

// observation is the method whose predictions are the stream's targets.
const observation = "Observation"

// Figure5 draws Fig. 5 (c, d) from the result of Supp. F's stream of two items. It shows each method's prediction before it saw the datum,
// the observation, and the absolute error of the prediction. Lines are interrupted where the item changes.
func Figure5(f *result.File) (fig *draw.Figure, err error) {
	defer caught(&err)
	sources := readSources([]*result.File{f}, 0)
	s := sources[0]
	observed := s.find(observation, false)
	if observed == nil || len(observed.Runs[0].Prediction) == 0 {
		s.fail("it has no method %s with the targets; make it again: `phe run %s`", observation, s.Name)
	}
	targets := observed.Runs[0].Prediction
	upper, lower := draw.New("Data point", "Prediction"), draw.New("Data point", "Absolute error")
	upper.YAxis.Ticks, lower.YAxis.Ticks = draw.RoundTicks(2), draw.RoundTicks(3)
	var breaks []int
	for _, change := range f.Stream.Changes {
		breaks = append(breaks, change.Step)
		upper.At(float64(change.Step), change.What)
		lower.At(float64(change.Step), "")
	}
	add := func(to *draw.Chart, c draw.Curve) {
		if c.Breaks = breaks; len(c.Mean) > 0 {
			to.Curves = append(to.Curves, c)
		}
	}
	var drawn []method
	for _, m := range s.methods {
		if m.Frozen {
			continue // learns nothing here
		}
		predicted, missed := m.predictions(targets)
		above := m.curve(predicted, 0)
		if m.Name == observation {
			above.Kind, above.StdDev = draw.JustPoints, nil
		} else {
			add(lower, m.curve(missed, 0))
			drawn = append(drawn, m)
		}
		add(upper, above)
	}
	if len(drawn) == 0 {
		s.fail("it has no method but %s; make it again: `phe run %s`", observation, s.Name)
	}
	seeds := "One run: nothing in it is random, so that all seeds would be alike."
	if len(drawn[0].Runs) > 1 {
		seeds = seedsSentence("Lines", "bands", drawn)
	}
	g := draw.Tiled([]*draw.Chart{upper, lower}, 1)
	g.Wide = true
	return g.Figure(4.7*vg.Centimeter, 0, sentences(
		"Above: prediction of each datum before it was seen. Below: its absolute error. The item changes at each dotted "+
			"line. PHE: exact Bayes; Ada: deterministic hash embedding, EE: collision-free embedding, both by online gradient descent.",
		seeds, sourceNotes(sources, "counts up to there"))), nil
}

// predictions returns a method's prediction at each step and its distance from the target.
func (m *method) predictions(targets []float64) (predicted, missed series) {
	predicted, missed = series{}, series{}
	for _, run := range m.Runs {
		values := run.Prediction
		if run.Status == result.Diverged {
			values = values[:min(run.DivergedAt, len(values))]
		} else if len(values) != len(targets) {
			m.source.fail("%s, seed %d: %d predictions of %d targets; make the result again by `phe run`",
				m.label, run.Seed, len(values), len(targets))
		}
		far := make([]float64, len(values))
		for t, value := range values {
			if math.IsNaN(value) || math.IsInf(value, 0) {
				m.source.fail("%s, seed %d, datum %d: prediction %v is not finite", m.label, run.Seed, t, value)
			}
			far[t] = math.Abs(value - targets[t])
		}
		predicted[run.Seed], missed[run.Seed] = values, far
	}
	return predicted, missed
}
