package draw

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Grid is rows of charts of one size, with aligned axes. A curve has its name at its end or in a common legend.
type Grid struct {
	Rows   [][]*Chart // of equal length; nil leaves a place empty
	Legend []Key
	Wide   bool // a single column is as wide as a page
}

// Tiled puts charts into rows with the given number of columns, or with up to two if it is 0. An axis label appears once for
// neighbours that share it. Nil charts stay empty.
func Tiled(charts []*Chart, columns int) *Grid {
	g := &Grid{}
	if columns == 0 {
		columns = min(len(charts), 2)
	}
	for at := 0; at < len(charts); at += columns {
		row := make([]*Chart, columns)
		copy(row, charts[at:min(at+columns, len(charts))])
		g.Rows = append(g.Rows, row)
	}
	for i, row := range g.Rows {
		for j, c := range row {
			if c != nil && i+1 < len(g.Rows) && g.Rows[i+1][j] != nil && g.Rows[i+1][j].XAxis.Label == c.XAxis.Label {
				c.XAxis.Label = ""
			}
		}
		for j := columns - 1; j > 0; j-- {
			if row[j] != nil && row[j-1] != nil && row[j].YAxis.Label == row[j-1].YAxis.Label {
				row[j].YAxis.Label = ""
			}
		}
	}
	return g
}

// Fit as a number of lines gives a legend the height that it needs.
const Fit = -1

// Figure returns the grid as a figure with a caption. It has the width of the page, or less for a single column. The rows have one
// height. The legend above them has a number of lines, or Fit.
func (g *Grid) Figure(row vg.Length, legend int, caption string) *Figure {
	third := g.width() / vg.Length(3*len(g.Rows[0])) // of a chart's place
	crowds := func(c *Chart) bool { return c != nil && (len(c.Curves) > 16 || c.labelWidth() > third) }
	if slices.ContainsFunc(slices.Concat(g.Rows...), crowds) { // the names at the ends of curves are too many or too wide
		g.UseLegend()
		legend = Fit
	}
	height := row * vg.Length(len(g.Rows))
	if legend == Fit {
		height += g.legendHeight()
	} else {
		height += legendLine * vg.Length(legend)
	}
	return newFigure(g, g.width(), height, caption+unseen(slices.Concat(g.Rows...)))
}

func (g *Grid) width() vg.Length {
	if len(g.Rows[0]) == 1 && !g.Wide {
		return halfWidth
	}
	return pageWidth
}

// UseLegend moves the names of all the charts' curves into one legend, each name once.
func (g *Grid) UseLegend() {
	for _, c := range slices.Concat(g.Rows...) {
		if c == nil {
			continue
		}
		c.inLegend = true
		for _, k := range c.keys() {
			if !slices.ContainsFunc(g.Legend, func(other Key) bool { return other.label == k.label }) {
				g.Legend = append(g.Legend, k)
			}
		}
	}
}

// hasHole reports whether the last place is empty and has room for the legend.
func (g *Grid) hasHole() bool {
	last := g.Rows[len(g.Rows)-1]
	return len(g.Legend) > 0 && len(g.Legend) <= maxKeys && last[len(last)-1] == nil
}

// legendHeight returns the height that a legend above the charts needs.
func (g *Grid) legendHeight() vg.Length {
	if g.hasHole() {
		return 0
	}
	return legendLine * vg.Length(len(gridLegend.balanced(g.Legend, g.width()-2*margin)))
}

// draw draws the legend and the charts, with a column for labels at the right of each chart.
func (g *Grid) draw(c draw.Canvas) (marks []Mark) {
	if !g.hasHole() {
		legend := gridLegend.drawLines(c, gridLegend.balanced(g.Legend, c.Max.X-c.Min.X), true)
		c = draw.Crop(c, 0, 0, 0, -legend)
	}
	var column vg.Length
	for _, chart := range slices.Concat(g.Rows...) {
		if chart != nil {
			column = max(column, chart.labelWidth())
		}
	}
	plots, place := make([][]*plot.Plot, len(g.Rows)), c.Size()
	place.X, place.Y = place.X/vg.Length(len(g.Rows[0]))-column-3*margin, place.Y/vg.Length(len(g.Rows))-titleHeight
	for i, row := range g.Rows {
		plots[i] = make([]*plot.Plot, len(row))
		for j, chart := range row {
			if chart != nil {
				plots[i][j] = chart.aligned(place)
			}
		}
	}
	tiles := draw.Tiles{
		Rows: len(plots), Cols: len(plots[0]),
		PadX: column + 3*margin, PadY: margin, PadRight: column, PadBottom: 2 * margin,
	}
	if slices.ContainsFunc(slices.Concat(g.Rows[1:]...), func(c *Chart) bool { return c != nil && c.Heading != "" }) {
		tiles.PadY += titleHeight
	}
	aligned := plot.Align(plots, tiles, draw.Crop(c, 0, 0, 0, -titleHeight))
	for i, row := range aligned {
		var top vg.Length // of the row; some axes keep a little distance from it
		for j, canvas := range row {
			if g.Rows[i][j] != nil {
				top = max(top, canvas.Max.Y)
			}
		}
		for j, canvas := range row {
			if chart := g.Rows[i][j]; chart != nil {
				if len(g.Legend) == 0 && !slices.ContainsFunc(g.Rows[i][j+1:], func(c *Chart) bool { return c != nil }) {
					canvas.Max.X = aligned[0][len(row)-1].Max.X // the last chart takes the places that are empty
				}
				marks = append(marks, chart.drawInGrid(plots[i][j], c, canvas, top)...)
			} else if g.hasHole() && i == len(plots)-1 && j == len(row)-1 {
				drawList(canvas, g.Legend)
			}
		}
	}
	return marks
}

// aligned returns the plot of a chart in a Grid. Its curves are part of the plot, so that their points have room inside the axes.
func (c *Chart) aligned(place vg.Point) *plot.Plot {
	c.inGrid = true
	p := c.axes(place)
	low, high, left, right := p.Y.Min, p.Y.Max, p.X.Min, p.X.Max
	p.Add(c.plotters()...)
	p.Y.Min, p.Y.Max, p.X.Min, p.X.Max = low, high, left, right
	return p
}

// drawInGrid draws a chart with dotted lines, triangles at its edges, the names of the curves, and the title above the row's top.
func (c *Chart) drawInGrid(p *plot.Plot, page, canvas draw.Canvas, top vg.Length) []Mark {
	data := drawAxes(p, canvas)
	c.drawChanges(p, page, data, 4.5)
	c.drawArrows(p, page, data)
	c.drawLabels(p, page, data)
	drawTitle(page, vg.Point{X: data.Center().X, Y: top + titleHeight/2}, c.Heading)
	return c.marks(p, data)
}

// row is charts side by side.
type row []*Chart

const (
	rowGap         = 10 // between two charts
	rowTitleHeight = 14
	changeHeight   = 9 // of the words above dotted lines
	fewKeys        = 8 // which a chart has room for
)

// Row returns charts side by side as one figure with a caption. It is as wide as the charts together, but at most as wide as
// a page, and as high as the highest.
func Row(caption string, charts ...*Chart) *Figure {
	var width, height vg.Length
	for _, c := range charts {
		width += c.width
		height = max(height, c.height+rowLegend.line*vg.Length(max(0, len(c.keys())-fewKeys)))
	}
	return newFigure(row(charts), min(width, pageWidth), height, caption+unseen(charts))
}

// draw implements content.
func (r row) draw(c draw.Canvas) (marks []Mark) {
	var total vg.Length
	for _, chart := range r {
		total += chart.width
	}
	room := c.Max.X - c.Min.X - rowGap*vg.Length(len(r)-1)
	left := vg.Length(0)
	for _, chart := range r {
		width := room * chart.width / total
		marks = append(marks, chart.draw(draw.Crop(c, left, left+width-(c.Max.X-c.Min.X), 0, 0))...)
		left += width + rowGap
	}
	return marks
}

// draw draws title, legend, axes and curves, from the top.
func (c *Chart) draw(canvas draw.Canvas) []Mark {
	if c.Heading != "" {
		drawTitle(canvas, vg.Point{X: canvas.Center().X, Y: canvas.Max.Y - rowTitleHeight/2}, c.Heading)
		canvas = draw.Crop(canvas, 0, 0, 0, -rowTitleHeight)
	}
	if lines := rowLegend.lines(c.keys(), canvas.Max.X-canvas.Min.X); len(lines) > 0 {
		canvas = draw.Crop(canvas, 0, 0, 0, -rowLegend.drawLines(canvas, lines, false)-3)
	}
	if len(c.Changes) > 0 {
		canvas = draw.Crop(canvas, 0, 0, 0, -changeHeight)
	}
	p := c.axes(canvas.Size())
	data := drawAxes(p, canvas)
	c.drawChanges(p, canvas, data, 4)
	for _, layer := range c.plotters() {
		layer.Plot(data, p)
	}
	return c.marks(p, data)
}

// drawAxes draws a plot, and returns the canvas inside its axes.
func drawAxes(p *plot.Plot, c draw.Canvas) draw.Canvas {
	data := p.DataCanvas(c)
	toX, toY := p.Transforms(&data)
	p.X.Tick.Marker = apart(slices.Clone(p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max)), toX, p.X.Tick.Label.Width)
	p.Y.Tick.Marker = apart(slices.Clone(p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max)), toY, p.Y.Tick.Label.Height)
	p.Draw(c)
	return p.DataCanvas(c)
}

// apart takes each second label away until none overlaps the next.
func apart(ticks plot.ConstantTicks, to func(float64) vg.Length, size func(string) vg.Length) plot.ConstantTicks {
	var labels []*plot.Tick
	overlap := false
	for i := range ticks {
		if t := &ticks[i]; !t.IsMinor() {
			if n := len(labels); n > 0 {
				s := labels[n-1]
				overlap = overlap || max(to(t.Value)-to(s.Value), to(s.Value)-to(t.Value)) < 1+(size(s.Label)+size(t.Label))/2
			}
			labels = append(labels, t)
		}
	}
	if !overlap {
		return ticks
	}
	for k := 1; k < len(labels); k += 2 {
		labels[k].Label = ""
	}
	return apart(ticks, to, size)
}

// drawTitle writes a chart's title around a point.
func drawTitle(c draw.Canvas, middle vg.Point, title string) {
	style := textStyle(titleSize, black)
	style.XAlign = text.XCenter
	c.FillText(style, middle, title)
}
