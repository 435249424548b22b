package figures

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
	"gophe/experiments/spec/protocol"
	"gophe/figures/draw"
)

// Figure3 draws Fig. 3 (left), also for other data sets. Panel (a) shows the accuracy of each online method at each step, in %. Panel (b)
// follows if the file holds frozen methods. It shows the number of correct rows up to the step, minus the same number for online PHE (or,
// without PHE, for the first online method). It compares each frozen method and its online twin.
//
// All methods score the same rows, so the difference in (b) is free of their common noise. In (a) this noise is larger than the
// differences between good methods. Panel (b) is not smoothed.
func Figure3(f *result.File, sigma float64) (fig *draw.Figure, err error) {
	defer caught(&err)
	s := readSources([]*result.File{f}, sigma)[0]
	if s.metric() != accuracy {
		figure := "3-retail"
		if s.isRatings() {
			figure = "6"
		}
		s.fail("its scores are errors; `phe figure %s --spec %s` draws them", figure, s.Name)
	}
	drawn := slices.DeleteFunc(slices.Clone(s.methods), func(m method) bool { return m.scores().steps() == 0 })
	isFrozen := func(m method) bool { return m.Frozen }
	online := slices.DeleteFunc(slices.Clone(drawn), isFrozen)
	compare := len(online) > 0 && anyFrozen(drawn)
	if !compare { // all in one chart
		online = drawn
	}
	first := draw.New(s.stepLabel(), "Accuracy (%)").Title(s.title())
	accuracy.bound(first, 25)
	s.addCurves(first, online, sigma, (*method).scores)
	row, spreads, smoothed, ahead := []*draw.Chart{first}, "bands", "accuracy", ""
	if compare {
		reference := online[max(0, slices.IndexFunc(online, func(m method) bool { return m.label == "PHE" }))]
		first.Title("(a) " + first.Heading + ", online")
		row = append(row, s.compareFrozen(drawn, reference))
		spreads, smoothed = "bands and whiskers", "(a)"
		ahead = fmt.Sprintf("(b): correct rows up to the step, minus the correct rows of online %s; not smoothed. "+
			"Frozen: the same initial model, never updated.", reference.label)
	}
	g := &draw.Grid{Rows: [][]*draw.Chart{row}}
	fig = g.Figure(0, 0, sentences(bandsSentence(spreads, row[:1], s.methods), smoothing(smoothed+": each seed", sigma, "chunks"), ahead,
		divergences("", s.methods, "counts up to there"), listed("Not finished and left out: %s.", ", ", s.left), draw.CutBands(row)))
	fig.Height = max(7.2*vg.Centimeter, fig.Height+4*vg.Centimeter)
	return fig, nil
}

// compareFrozen returns panel (b): each frozen method and its online twin against the reference, which is the zero line.
func (s *source) compareFrozen(methods []method, reference method) *draw.Chart {
	p := draw.New(s.stepLabel(), "Correct rows ahead of online "+reference.label).Title("(b) The same models, online and frozen")
	p.Whiskers = true
	for _, m := range methods {
		twin := slices.ContainsFunc(methods, func(other method) bool { return other.Frozen && other.Name == m.Name })
		if !m.Frozen && !twin && m.label != reference.label {
			continue
		}
		ahead := m.correct().minus(reference.correct())
		if ahead.steps() == 0 {
			s.fail("%s and %s have no seed in common", m.label, reference.label)
		}
		c := m.curve(ahead, 0)
		if m.label == reference.label {
			c.StdDev = nil // it is 0 by definition
		}
		if !m.Frozen {
			c.Label += " online"
		}
		p.Curves = append(p.Curves, c)
	}
	return p
}

// Figure3Right draws Fig. 3 (right) from a result of protocol daily. Panel (a) shows the mean absolute error of each online method and of
// frozen PHE on each day. Panel (b) shows the mean over the days so far, equally weighted; its last value is the value in the table.
// Forecasts are compared with rules without a model.
func Figure3Right(f *result.File, sigma float64) (fig *draw.Figure, err error) {
	defer caught(&err)
	sources := readSources([]*result.File{f}, sigma, protocol.Daily)
	s := sources[0]
	each, drawn := s.stepChart((*method).scores, sigma)
	soFar, _ := s.stepChart(func(m *method) series { return m.scores().soFar() }, 0)
	each.Title("(a) " + s.title() + ", each day")
	soFar.Title("(b) Mean over the days so far")
	charts := []*draw.Chart{each, soFar}
	return draw.Tiled(charts, 2).Figure(6.2*vg.Centimeter, 0, sentences(errorNotes(sources), bandsSentence("bands", charts, drawn),
		smoothing("(a): each seed", sigma, "days"), "(b): not smoothed, all days weighing the "+
			"same.", frozenNote(drawn), rulesNote(drawn), s.worstDays(drawn),
		draw.EdgeNotes(charts), sourceNotes(sources, "counts up to there"))), nil
}

// rulesNote names the rules without a model, if there are any.
func rulesNote(methods []method) string {
	var names []string
	for _, m := range methods {
		if m.isRule() {
			names = append(names, m.label)
		}
	}
	return listed("Gray: rules without a model (%s).", ", ", names)
}

// worstDays returns a sentence with the worst days of online PHE or, without PHE, of the first method. A single sale can decide
// the mean of a day, and of all days.
func (s *source) worstDays(methods []method) string {
	m := methods[max(0, slices.IndexFunc(methods, func(m method) bool { return m.label == "PHE" }))]
	mean, _ := m.scores().summary(0)
	steps := make([]int, len(mean))
	for i := range steps {
		steps[i] = i
	}
	slices.SortStableFunc(steps, func(a, b int) int { return cmp.Compare(mean[b], mean[a]) })
	var worst []string
	for _, step := range steps[:min(2, len(steps))] {
		worst = append(worst, fmt.Sprintf("%s (%s)", s.days[step].Format("2 January 2006"), draw.Decimals(mean[step], 1)))
	}
	return fmt.Sprintf("A few large sales can decide a day's mean: the worst of %s are %s; all days together %s.",
		m.label, strings.Join(worst, " and "), draw.Decimals(estimateOf(mean).Mean, 2))
}
