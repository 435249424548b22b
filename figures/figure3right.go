package figures

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/protocol"
	"gophe/experiments/result"
)

// Figure3Right draws Fig. 3 (right) from a result of protocol daily. Panel (a) shows the mean absolute error of each online
// method and of frozen PHE on each day. GaussianFilter smooths each seed with sigma, in days. Panel (b) shows the mean over the
// days so far, equally weighted; its last value is the value in the table. Forecasts are compared with rules without a model.
// Lines are means over the seeds that reached the day, bands ±1 standard deviation (n−1).
func Figure3Right(f *result.File, sigma float64) (*Figure, error) {
	sources, err := readSources([]*result.File{f}, protocol.Daily)
	if err != nil {
		return nil, err
	}
	s := &sources[0]
	each, drawn, err := s.stepPanel(series.whole, sigma)
	if err != nil {
		return nil, errors.WithMessagef(err, "result %q", s.Name)
	}
	soFar, _, err := s.stepPanel(series.soFar, 0)
	if err != nil {
		return nil, errors.WithMessagef(err, "result %q", s.Name)
	}
	each.title, soFar.title = "(a) "+s.title()+", each day", "(b) Mean over the days so far"
	says := append(errorNotes(sources), seedsSentence("Lines", "bands", drawn))
	says = append(says, smoothing("(a): each seed", sigma, "days"), "(b): not smoothed, all days weighing the same.")
	says = append(says, frozenNote(drawn)...)
	says = append(says, rulesNote(drawn)...)
	worst, err := s.worstDays(drawn)
	if err != nil {
		return nil, err
	}
	says = append(says, worst)
	panels := []*panel{each, soFar}
	says = append(says, outOfSight(panels, "(a)", "(b)")...)
	says = append(says, cutBands(panels)...)
	says = append(says, sourceNotes(sources, "counts up to there")...)
	g := tiled(panels, 2)
	return New(g, g.width(), 6.2*vg.Centimeter, strings.Join(says, " ")), nil
}

// rulesNote names the rules without a model, if there are any.
func rulesNote(methods []method) []string {
	var names []string
	for _, m := range methods {
		if m.isRule() && !slices.Contains(names, m.label) {
			names = append(names, m.label)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"Gray: rules without a model (" + strings.Join(names, ", ") + ")."}
}

// worstDays returns a sentence with the worst days of online PHE or, without PHE, of the first method. A single sale can decide
// the mean of a day, and of all days.
func (s *source) worstDays(methods []method) (string, error) {
	m := methods[max(0, slices.IndexFunc(methods, func(m method) bool { return m.label == "PHE" }))]
	mean, _, err := m.scores.summary(0)
	if err != nil {
		return "", err
	}
	days, err := s.days()
	if err != nil {
		return "", err
	}
	steps := make([]int, len(mean))
	for i := range steps {
		steps[i] = i
	}
	slices.SortStableFunc(steps, func(a, b int) int {
		if mean[a] > mean[b] {
			return -1
		} else if mean[a] < mean[b] {
			return 1
		}
		return 0
	})
	var worst []string
	for _, step := range steps[:min(2, len(steps))] {
		worst = append(worst, fmt.Sprintf("%s (%s)", days[step].Format("2 January 2006"), number(mean[step], 1)))
	}
	return fmt.Sprintf("A few large sales can decide a day's mean: the worst of %s are %s; all days together %s.",
		m.label, strings.Join(worst, " and "), number(estimateOf(mean).mean, 2)), nil
}
