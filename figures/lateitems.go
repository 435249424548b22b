package figures

import (
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/figures/draw"
)

// LateItems draws by how much items that keep coming pay, by memory: a panel for each stream, and a line for each method. Points are
// means over seeds, and whiskers ±1 standard deviation (n−1). A horizontal line shows the best method that does not get the items.
func LateItems(files []*result.File) (fig *draw.Figure, err error) {
	defer caught(&err)
	var styles draw.Palette
	var items []string
	charts, drawn := charted(readSources(files, 0), func(s *source) (*draw.Chart, []method) {
		for _, m := range spec.Recorded(s.Manifest.Spec).Methods {
			items = append(items, when(len(m.Without) > 0, s.dataset()+": "+strings.Join(m.Without, " and ")))
		}
		var points, levels []point
		for _, p := range s.points() {
			base, kilobytes, without := p.Budget()
			switch {
			case without && (len(levels) == 0 || p.accuracy.Mean > levels[0].accuracy.Mean):
				levels = []point{{base: "without the items", accuracy: p.accuracy}}
			case !without && kilobytes > 0:
				p.base, p.size = base, max(float64(kilobytes), float64(p.TotalParameters)*float32Bytes/1024) // a census comes on top
				points = append(points, p)
			}
		}
		if len(points) == 0 {
			s.fail("it has no method with a memory; make it again: `phe run %s`", s.Name)
		}
		c, methods, _ := pointChart(points, levels, &styles)
		c.XAxis.Label, c.XAxis.Ticks = "Memory", kilobyteTicks
		return c.Title(s.title()), methods
	})
	return legended(charts, 6.4*vg.Centimeter, sentences(
		"Accuracy on the rows after the first tenth, each forecast before it is learned, by the memory of all that a method keeps.",
		listed("Horizontal: the best of all methods without the items that keep coming (%s).", "; ", items),
		seedsSentence("Points", "whiskers", drawn), "Methods are drawn side by side.")), nil
}

// kilobyteTicks marks the memories of the study, and larger ones.
var kilobyteTicks = plot.ConstantTicks{{Value: math.Log10(4), Label: "4 KB"}, {Value: math.Log10(32), Label: "32 KB"},
	{Value: math.Log10(256), Label: "256 KB"}, {Value: math.Log10(1024), Label: "1 MB"},
	{Value: math.Log10(8 << 10), Label: "8 MB"}, {Value: math.Log10(64 << 10), Label: "64 MB"}}.Ticks
