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
		smoothing("(a): each seed", sigma, "days"), "(b): not smoothed, all days weighing the same.", frozenNote(drawn), rulesNote(drawn), s.worstDays(drawn),
		draw.EdgeNotes(charts, "(a)", "(b)"), sourceNotes(sources, "counts up to there"))), nil
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
