package figures

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec/protocol"
	"gophe/figures/draw"
)

// figure10Leaves are the methods that Fig. 10 leaves out to keep its lines readable.
var figure10Leaves = []string{"PHE 15 steps", "MediumAda", baseline.Majority, baseline.ItemMajority}

// maxLabels is the number of labels that have room at the right of a panel of Fig. 10.
const maxLabels = 7

// Figure10 draws Fig. 10 from results of protocol adaptation, one row of panels for each data set. The left panel shows adaptation: the
// share of the stream's data so far that was classified right, each datum before it was learned. gaussianFilter smooths each seed's share
// with sigma, in steps. The right panel shows forgetting: the accuracy on the first group's test rows. A result of one pass may follow;
// its method One pass joins the panels of the same stream.
func Figure10(files []*result.File, sigma float64) (fig *draw.Figure, err error) {
	defer caught(&err)
	sources := withOnePass(readSources(files, sigma, protocol.Adaptation))
	var charts []*draw.Chart
	var drawn []method
	for _, s := range sources {
		pair, methods := s.adaptationCharts(sigma)
		charts, drawn = append(charts, pair...), append(drawn, methods...)
	}
	g := draw.Tiled(charts, 2)
	if slices.ContainsFunc(charts, func(c *draw.Chart) bool { return len(c.Curves) > maxLabels }) {
		g.UseLegend()
	}
	return g.Figure(4.6*vg.Centimeter, draw.Fit, sentences(
		"Adaptation: the share of the stream's data so far that was classified right, each datum before it was learned; all items are new "+
			"to the model. Forgetting: accuracy on the test rows of the first group.",
		seedsSentence("Lines", "bands", drawn), focusNote(drawn),
		when(sigma > 0, smoothing("each seed's adaptation", sigma, "data points")), frozenNote(drawn),
		leftOutNote(sources, figure10Leaves, "adaptation"), draw.BeyondEdge(charts), sourceNotes(sources, "counts up to there"))), nil
}

// adaptationCharts returns the two charts of a data set, adaptation and forgetting, and the methods that they show.
func (s *source) adaptationCharts(sigma float64) (pair []*draw.Chart, drawn []method) {
	s.needTests()
	for _, what := range []string{"adaptation", "forgetting"} {
		c := draw.New("Data points", "Accuracy (%)").Title(s.title() + ": " + what)
		c.Range.Share = true
		pair = append(pair, c)
	}
	for _, m := range without(s.shown(), figure10Leaves) {
		above, below := m.adaptation(sigma)
		if len(above.Mean) == 0 || len(below.Mean) == 0 {
			continue // diverged at once
		}
		settled := &pair[0].Range.Settled
		*settled = max(*settled, above.X[len(above.X)-1]/20)
		pair[0].Curves, pair[1].Curves = append(pair[0].Curves, m.focused(above)), append(pair[1].Curves, m.focused(below))
		drawn = append(drawn, m)
	}
	if len(drawn) == 0 {
		s.fail("every run diverged before its first score")
	}
	return pair, drawn
}

// adaptation returns the curves of adaptation and of forgetting.
func (m *method) adaptation(sigma float64) (adapted, forgotten draw.Curve) {
	kept, after := m.testCurve(0)
	shares, learned := m.runningMean()
	adapted, forgotten = m.curve(shares, sigma), m.curve(kept, 0)
	adapted.X, forgotten.X = learned[:len(adapted.Mean)], after[:len(forgotten.Mean)]
	return adapted, forgotten
}

// runningMean returns the share of correct rows up to each step, in %, and the number of rows that the longest run had seen by then.
func (m *method) runningMean() (shares series, rows []float64) {
	shares = series{}
	right := m.correct()
	for _, run := range m.Runs {
		correct := right[run.Seed]
		seen := floats.CumSum(make([]float64, len(correct)), run.Weights()[:len(correct)])
		floats.Scale(100, correct)
		shares[run.Seed] = floats.DivTo(make([]float64, len(correct)), correct, seen)
		if len(seen) > len(rows) {
			rows = seen
		}
	}
	return shares, rows
}

// testCurve returns the accuracy on one test set, in %, after each number of steps at which it was scored. The initial phase is number 0.
func (m *method) testCurve(set int) (values series, after []float64) {
	values = series{}
	for i := range m.Runs {
		run := &m.Runs[i]
		var times []float64
		values[run.Seed] = nil
		for _, score := range run.Tests {
			if score.Set != set || score.After < 0 {
				continue
			}
			percent, ok := m.tested(run, set, score.After)
			if !ok {
				break
			}
			times = append(times, float64(score.After))
			values[run.Seed] = append(values[run.Seed], percent)
		}
		if len(times) > len(after) {
			after = times
		}
	}
	return values, after
}
