package figures

import (
	"slices"

	"github.com/pkg/errors"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// grid is rows of panels of one size, with aligned axes. A curve has its name at its end or in a common legend.
type grid struct {
	panels [][]*panel // rows of equal length; nil leaves a place empty
	legend []key
}

// tiled puts panels into rows with the given number of columns. An axis label appears once for neighbours that share it. Nil
// panels stay empty.
func tiled(panels []*panel, columns int) *grid {
	g := &grid{}
	for at := 0; at < len(panels); at += columns {
		row := make([]*panel, columns)
		copy(row, panels[at:min(at+columns, len(panels))])
		g.panels = append(g.panels, row)
	}
	for i, row := range g.panels {
		for j, p := range row {
			if p == nil {
				continue
			}
			if i+1 < len(g.panels) && g.panels[i+1][j] != nil && g.panels[i+1][j].xLabel == p.xLabel {
				p.xLabel = ""
			}
		}
		for j := columns - 1; j > 0; j-- {
			if row[j] != nil && row[j-1] != nil && row[j].yLabel == row[j-1].yLabel {
				row[j].yLabel = ""
			}
		}
	}
	return g
}

// columnsFor returns the number of columns for n panels with labels at their right.
func columnsFor(n int) int { return min(n, 2) }

// width returns the width of the page, or less for a single column.
func (g *grid) width() vg.Length {
	if len(g.panels[0]) == 1 {
		return halfWidth
	}
	return pageWidth
}

// all returns the panels row by row, without the empty places.
func (g *grid) all() []*panel {
	var panels []*panel
	for _, row := range g.panels {
		for _, p := range row {
			if p != nil {
				panels = append(panels, p)
			}
		}
	}
	return panels
}

// titledBelow reports whether a row below the first has titles.
func (g *grid) titledBelow() bool {
	return slices.ContainsFunc(g.panels[1:], func(row []*panel) bool {
		return slices.ContainsFunc(row, func(p *panel) bool { return p != nil && p.title != "" })
	})
}

// hasHole reports whether the last place is empty and has room for the legend.
func (g *grid) hasHole() bool {
	last := g.panels[len(g.panels)-1]
	return len(g.legend) > 0 && len(g.legend) <= mostInList && last[len(last)-1] == nil
}

// legendHeight returns the height that a legend above the panels needs.
func (g *grid) legendHeight() vg.Length {
	if len(g.legend) == 0 || g.hasHole() {
		return 0
	}
	return legendLine * vg.Length(len(balanced(g.legend, g.width()-2*margin)))
}

// Draw draws the legend and the panels, with a column for labels at the right of each panel.
func (g *grid) Draw(c draw.Canvas) ([]Mark, error) {
	if !g.hasHole() {
		c = draw.Crop(c, 0, 0, 0, -drawLegend(c, g.legend))
	}
	plots, places := make([][]*plot.Plot, len(g.panels)), make([][]draw.Canvas, len(g.panels))
	var column vg.Length
	for i, row := range g.panels {
		plots[i], places[i] = make([]*plot.Plot, len(row)), make([]draw.Canvas, len(row))
		for j, p := range row {
			if p == nil {
				continue
			}
			var err error
			if plots[i][j], err = p.plot(); err != nil {
				return nil, errors.WithMessage(err, p.title)
			}
			column = max(column, p.labelWidth())
		}
	}
	tiles := draw.Tiles{
		Rows: len(plots), Cols: len(plots[0]),
		PadX: column + 3*margin, PadY: margin, PadRight: column, PadBottom: 2 * margin,
	}
	if g.titledBelow() {
		tiles.PadY += titleHeight
	}
	for i, row := range plot.Align(plots, tiles, draw.Crop(c, 0, 0, 0, -titleHeight)) {
		var top vg.Length // of the row; some axes keep a little distance from it
		for j, canvas := range row {
			if g.panels[i][j] != nil {
				top = max(top, canvas.Max.Y)
			}
		}
		for j, canvas := range row {
			p := g.panels[i][j]
			if p == nil {
				if g.hasHole() && i == len(g.panels)-1 && j == len(row)-1 {
					drawList(canvas, g.legend)
				}
				continue
			}
			plots[i][j].Draw(canvas)
			data := plots[i][j].DataCanvas(canvas)
			places[i][j] = data
			p.drawChanges(plots[i][j], c, data)
			p.drawSoaring(plots[i][j], c, data)
			p.drawCutWhiskers(plots[i][j], c, data)
			p.drawLabels(plots[i][j], c, data)
			title := textStyle(titleSize, black)
			title.XAlign = text.XCenter
			c.FillText(title, vg.Point{X: data.Center().X, Y: top + titleHeight/2}, p.title)
		}
	}
	return g.marks(plots, places), nil
}
