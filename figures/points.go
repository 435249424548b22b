package figures

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// Names of a bar group's bars, in the legend and in marks.
const (
	beforeName = "before its update"
	afterName  = "after its update"
	frozenName = "frozen after group 1"
)

// marks returns the marks of all panels. Curves share the number that a figure has room for.
func (g *grid) marks(plots [][]*plot.Plot, places [][]draw.Canvas) []Mark {
	curves := 0
	for _, p := range g.all() {
		curves += len(p.curves)
	}
	var marks []Mark
	for i, row := range g.panels {
		for j, p := range row {
			if p != nil {
				marks = append(marks, p.marks(plots[i][j], places[i][j], mostMarks/max(curves, 1))...)
			}
		}
	}
	return marks
}

// marks returns the marks of the panel's bars and of the given number of points of each curve. Points beyond the axes have none.
func (p *panel) marks(drawn *plot.Plot, data draw.Canvas, each int) []Mark {
	toX, toY := drawn.Transforms(&data)
	var marks []Mark
	add := func(x, y float64, name, at string, e estimate) {
		if x < drawn.X.Min || x > drawn.X.Max || y < drawn.Y.Min || y > drawn.Y.Max {
			return
		}
		if at != "" {
			name += ", " + at
		}
		marks = append(marks, Mark{X: float64(toX(x)), Y: float64(toY(y)), Text: name + ": " + e.text()})
	}
	for i, group := range p.bars {
		for _, bar := range []struct {
			estimate
			name  string
			place float64
		}{
			{group.before, beforeName, -(barGap + barWidth) / 2}, {group.frozen, frozenName, 0}, {group.after, afterName, (barGap + barWidth) / 2},
		} {
			if bar.seeds > 0 {
				add(float64(i)+bar.place, bar.mean, group.name, bar.name, bar.estimate)
			}
		}
	}
	for _, c := range p.curves {
		for _, i := range spaced(len(c.mean), each) {
			e := estimate{mean: c.mean[i], seeds: 1}
			if i < len(c.stdDev) {
				e.stdDev, e.seeds = c.stdDev[i], 2
			}
			add(c.at(i), c.mean[i], c.label, c.name(i), e)
		}
	}
	return marks
}

// name returns the place of point i on the x axis, in words.
func (c *curve) name(i int) string {
	switch {
	case i < len(c.names):
		return c.names[i]
	case c.x == nil:
		return fmt.Sprintf("step %d", i)
	}
	return Number(c.x[i])
}

// spaced returns the indices of at most most of n points at equal distances, with the first and the last.
func spaced(n, most int) []int {
	most = min(n, max(most, 2))
	indices := make([]int, most)
	for i := range indices {
		if most > 1 {
			indices[i] = i * (n - 1) / (most - 1)
		}
	}
	return indices
}

// text writes the mean, and the standard deviation if there is one.
func (e estimate) text() string {
	if e.seeds > 1 {
		return Number(e.mean) + " ± " + Number(e.stdDev)
	}
	return Number(e.mean)
}
