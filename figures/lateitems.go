package figures

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
	"gophe/figures/draw"
)

// LateItems draws by how much items that keep coming pay, by memory: a panel for each stream, and a line for each method. Points are
// means over seeds, and whiskers ±1 standard deviation (n−1). A horizontal line shows the best method that does not get the items.
func LateItems(files []*result.File) (fig *draw.Figure, err error) {
	defer caught(&err)
	var styles draw.Palette
	charts, drawn := charted(readSources(files, 0), func(s *source) (*draw.Chart, []method) {
		var points []point
		best := point{base: "without the items"}
		for _, p := range s.points() {
			base, kilobytes, without := p.Budget()
			switch {
			case without && p.accuracy.Mean > best.accuracy.Mean:
				best.accuracy = p.accuracy
			case !without && kilobytes > 0:
				p.base, p.size = base, float64(kilobytes)
				points = append(points, p)
			}
		}
		if len(points) == 0 {
			s.fail("it has no method with a memory; make it again: `phe run %s`", s.Name)
		}
		c, methods, _ := pointChart(points, []point{best}, &styles)
		c.XAxis.Label, c.XAxis.Ticks = "Memory", kilobyteTicks
		return c.Title(s.title()), methods
	})
	return draw.Tiled(charts, 0).Figure(6.4*vg.Centimeter, 0, sentences(
		"Accuracy on the rows after the first tenth, each forecast before it is learned, by the memory of all that a method keeps. "+
			"Horizontal: the best of all methods that do not get the items that keep coming.",
		seedsSentence("Points", "whiskers", drawn), "Methods are drawn side by side.")), nil
}

// kilobyteTicks marks each power of 8 from 4 kilobytes on.
var kilobyteTicks plot.TickerFunc = func(low, high float64) (ticks []plot.Tick) {
	for kilobytes := 4.0; math.Log10(kilobytes) <= high; kilobytes *= 8 {
		if at := math.Log10(kilobytes); at >= low {
			ticks = append(ticks, plot.Tick{Value: at, Label: fmt.Sprintf("%.0f KB", kilobytes)})
		}
	}
	return ticks
}
