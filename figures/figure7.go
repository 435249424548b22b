package figures

import (
	"fmt"

	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
	"gophe/experiments/spec/protocol"
	"gophe/figures/draw"
)

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
