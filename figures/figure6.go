package figures

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
	"gophe/experiments/spec/protocol"
	"gophe/figures/draw"
)

// Figure6 draws panels of Fig. 6, one for each data set. It shows each online method and frozen PHE at each step: the accuracy, in %, in
// results of protocol online, and the error in results of protocols daily and recommend. Days of ratings are smoothed with four times
// sigma, because many days have few ratings.
func Figure6(files []*result.File, sigma float64) (fig *draw.Figure, err error) {
	defer caught(&err)
	sources := readSources(files, sigma, protocol.Online, protocol.Daily, protocol.Recommend)
	charts, drawn := charted(sources, func(s *source) (*draw.Chart, []method) { return s.stepChart((*method).scores, s.widened(sigma)) })
	var streams []string
	for _, s := range sources {
		if initial := s.Stream.Initial; initial > 0 {
			streams = append(streams, fmt.Sprintf("%s %s", s.dataset(), draw.Decimals(float64(initial), 0)))
		}
	}
	isDaily := func(s *source) bool { return len(s.Stream.Days) > 0 }
	return legended(charts, 5.4*vg.Centimeter, sentences(bandsSentence("bands", charts, drawn), smoothingOf(sources, sigma),
		listed("Rows per step, scored before they are learned: %s.", ", ", chunkSizes(sources)), errorNotes(sources),
		when(slices.ContainsFunc(sources, isDaily), "Days are equally spaced; a day without data is left out."),
		listed("Rows of the initial phase: %s.", ", ", streams), frozenNote(drawn), rulesNote(drawn),
		draw.EdgeNotes(charts), sourceNotes(sources, "counts up to there"))), nil
}

// legended returns charts of one row height in up to two columns. Several charts have one legend.
func legended(charts []*draw.Chart, row vg.Length, caption string) *draw.Figure {
	g := draw.Tiled(charts, 0)
	if len(charts) > 1 {
		g.UseLegend()
	}
	return g.Figure(row, draw.Fit, caption)
}

// stepChart draws a quantity of the methods' scores at each step, and returns the methods shown.
func (s *source) stepChart(quantity func(m *method) series, sigma float64) (*draw.Chart, []method) {
	p := draw.New("Step", s.metric().label).Title(s.title())
	s.metric().bound(p, 25)
	drawn := s.addCurves(p, s.shown(), sigma, quantity)
	s.nameSteps(p)
	return p, drawn
}

// smoothing returns a sentence about the filter that smooths what is named.
func smoothing(what string, sigma float64, unit string) string {
	if sigma == 0 {
		return "Not smoothed."
	}
	return fmt.Sprintf("%s smoothed by a Gaussian filter, σ = %v %s.", strings.ToUpper(what[:1])+what[1:], sigma, unit)
}

// widened returns the filter's width for the source.
func (s *source) widened(sigma float64) float64 {
	if s.isRatings() {
		return 4 * sigma
	}
	return sigma
}

// smoothingOf returns a sentence about the filters of the sources.
func smoothingOf(sources []*source, sigma float64) string {
	at := slices.IndexFunc(sources, (*source).isRatings)
	switch {
	case at < 0 || sigma == 0:
		return smoothing("each seed", sigma, "steps")
	case !slices.ContainsFunc(sources, func(s *source) bool { return !s.isRatings() }):
		return smoothing("each seed", sources[at].widened(sigma), "days")
	}
	steps := strings.TrimSuffix(smoothing("each seed", sigma, "steps"), ".")
	return fmt.Sprintf("%s (%v days for ratings).", steps, sources[at].widened(sigma))
}

// frozenNote explains frozen methods, if there are any.
func frozenNote(methods []method) string {
	return when(anyFrozen(methods), "Frozen: the same initial model, never updated.")
}

func anyFrozen(methods []method) bool {
	return slices.ContainsFunc(methods, func(m method) bool { return m.Frozen })
}

// chunkSizes lists the number of rows in the first step of each data set, or one number where all agree. Streams of days are
// left out, because each day has another number.
func chunkSizes(sources []*source) (parts []string) {
	var sizes []int
	for _, s := range sources {
		if len(s.Stream.Days) == 0 {
			sizes = append(sizes, s.chunkRows())
			parts = append(parts, fmt.Sprintf("%s %d", s.dataset(), s.chunkRows()))
		}
	}
	if len(slices.Compact(sizes)) == 1 {
		return []string{fmt.Sprint(sizes[0])}
	}
	return parts
}

// firstDays is the number of days in Fig. 7.
const firstDays = 10

// Figure7 draws Fig. 7 from results of protocols daily and recommend, one panel for each data set. It shows the mean absolute error of
// each online method and of frozen PHE on each of the first ten days, on a true time axis. It is not smoothed.
func Figure7(files []*result.File) (fig *draw.Figure, err error) {
	defer caught(&err)
	sources := readSources(files, 0, protocol.Daily, protocol.Recommend)
	charts, drawn := charted(sources, (*source).firstDaysChart)
	first := fmt.Sprintf("The first %d days with data, each scored before it is learned; not smoothed. "+
		"A day without data has no dot.", firstDays)
	return legended(charts, 6.0*vg.Centimeter, sentences(first, errorNotes(sources), bandsSentence("bands", charts, drawn),
		frozenNote(drawn), rulesNote(drawn), draw.EdgeNotes(charts), sourceNotes(sources, "counts up to there"))), nil
}

// firstDaysChart draws the first days of a data set, and returns the methods shown.
func (s *source) firstDaysChart() (*draw.Chart, []method) {
	c, methods := s.stepChart(func(m *method) series { return m.scores().first(firstDays) }, 0)
	for i := range c.Curves {
		along := &c.Curves[i]
		along.Kind, along.Diverged = draw.LineAndDots, along.Diverged && methods[i].scores().steps() <= firstDays
	}
	s.onCalendar(c)
	return c, methods
}
