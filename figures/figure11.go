package figures

import (
	"slices"

	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
	"gophe/experiments/spec/protocol"
	"gophe/figures/draw"
)

// Figure11 draws panels of Fig. 11, one for each data set. The x axis is the number of groups learned. The y axis is the mean over the
// test sets of these groups, equally weighted: the accuracy in results of protocol group, the error in results of protocol products. It
// shows online methods and frozen PHE, which learned the first group only.
func Figure11(files []*result.File) (fig *draw.Figure, err error) {
	defer caught(&err)
	sources := readSources(files, 0, protocol.GroupWise, protocol.Products)
	charts, drawn := charted(sources, (*source).averagesChart)
	return draw.Tiled(charts, 0).Figure(5.2*vg.Centimeter, 0, sentences(
		averaged(sources)+" after each group of items was learned: the mean over the test sets of all groups learned so far, "+
			"equally weighted.",
		bandsSentence("bands", charts, drawn), errorNotes(sources), when(anyFrozen(drawn), "PHE frozen: learned the first group only."),
		draw.EdgeNotes(charts), sourceNotes(sources, "counts up to there"))), nil
}

// averagesChart draws the averages of a data set, and returns the methods shown.
func (s *source) averagesChart() (*draw.Chart, []method) {
	s.needTests()
	c := draw.New("Number of groups learned", s.metric().average()).Title(s.title())
	c.Range.XMin, c.XAxis.Ticks = 1, draw.WholeTicks
	s.metric().bound(c, 60)
	drawn := s.addCurves(c, s.shown(), 0, func(m *method) series { return m.averages(len(s.Stream.Tests)) })
	for i := range c.Curves {
		along := &c.Curves[i]
		along.Kind = draw.LineAndDots
		for n := range along.Mean {
			along.X = append(along.X, float64(n+1))
		}
	}
	return c, drawn
}

// averaged returns the name of the metrics.
func averaged(sources []*source) string {
	isError := func(s *source) bool { return s.metric().isError() }
	switch {
	case !slices.ContainsFunc(sources, isError):
		return "Accuracy"
	case !slices.ContainsFunc(sources, func(s *source) bool { return !isError(s) }):
		return "Error"
	}
	return "Accuracy or error"
}

// averages returns, for t = 1, 2, … groups learned, the mean over sets 0 to t−1 of the score after t−1 steps. The initial phase
// learns the first group, and each step one more. A diverged run ends where a score is missing.
func (m *method) averages(groups int) series {
	out := series{}
	for i := range m.Runs {
		run := &m.Runs[i]
		out[run.Seed] = nil
	learned:
		for t := 1; t <= groups; t++ {
			total := 0.0
			for set := range t {
				score, ok := m.tested(run, set, t-1)
				if !ok {
					break learned
				}
				total += score
			}
			out[run.Seed] = append(out[run.Seed], total/float64(t))
		}
	}
	return out
}
