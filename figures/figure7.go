package figures

import (
	"fmt"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/protocol"
	"gophe/experiments/result"
)

// firstDays is the number of days in Fig. 7.
const firstDays = 10

// Figure7 draws Fig. 7 from results of protocols daily and recommend, one panel for each data set. It shows the mean absolute
// error of each online method and of frozen PHE on each of the first ten days, on a true time axis. It is not smoothed. Lines
// are means over seeds, bands ±1 standard deviation (n−1).
func Figure7(files []*result.File) (*Figure, error) {
	sources, err := readSources(files, protocol.Daily, protocol.Recommend)
	if err != nil {
		return nil, err
	}
	var panels []*panel
	var drawn []method
	for _, s := range sources {
		p, methods, err := s.stepPanel(func(all series) series { return all.first(firstDays) }, 0)
		if err != nil {
			return nil, errors.WithMessagef(err, "result %q", s.Name)
		}
		if err := s.onCalendar(p); err != nil {
			return nil, errors.WithMessagef(err, "result %q", s.Name)
		}
		for i := range p.curves {
			p.curves[i].marks = lineAndDots
			p.curves[i].diverged = p.curves[i].diverged && methods[i].scores.steps() <= firstDays
		}
		panels, drawn = append(panels, p), append(drawn, methods...)
	}
	says := []string{fmt.Sprintf("The first %d days with data, each scored before it is learned; not smoothed. A day without data has no dot.", firstDays)}
	says = append(says, errorNotes(sources)...)
	says = append(says, seedsSentence("Lines", "bands", drawn))
	says = append(says, frozenNote(drawn)...)
	says = append(says, rulesNote(drawn)...)
	says = append(says, outOfSight(panels)...)
	says = append(says, soaringNote(panels)...)
	says = append(says, cutBands(panels)...)
	says = append(says, sourceNotes(sources, "counts up to there")...)
	g := tiled(panels, columnsFor(len(panels)))
	if len(panels) > 1 {
		g.useLegend()
	}
	return New(g, g.width(), 6.0*vg.Centimeter*vg.Length(len(g.panels))+g.legendHeight(), strings.Join(says, " ")), nil
}
