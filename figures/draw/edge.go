package draw

import (
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// BeyondEdge returns a sentence if a line or a band continues beyond its chart, and otherwise nothing.
func BeyondEdge(charts []*Chart) string {
	if !slices.ContainsFunc(charts, (*Chart).cutsLines) {
		return CutBands(charts)
	}
	return "Lines and bands that reach an edge of their panel go on beyond it."
}

// EdgeNotes returns the sentences about curves, bands and whiskers that leave their charts. Charts are called by their titles or,
// where given, by other names.
func EdgeNotes(charts []*Chart, called ...string) string {
	notes := []string{outOfSight(charts, called...), soaring(charts), CutBands(charts)}
	return strings.Join(slices.DeleteFunc(notes, func(s string) bool { return s == "" }), " ")
}

// soaring explains the triangle of a line that soars out of its chart.
func soaring(charts []*Chart) string {
	for _, c := range charts {
		low, high := c.YRange()
		if slices.ContainsFunc(c.Curves, func(s Curve) bool { return len(s.soars(low, high)) > 0 }) {
			return "Triangle at the upper edge: from here the line goes on far above the panel."
		}
	}
	return ""
}

// CutBands returns a sentence if a band or a whisker continues beyond its chart.
func CutBands(charts []*Chart) string {
	isCut := func(points bool) bool {
		return slices.ContainsFunc(charts, func(c *Chart) bool { return c.cutsBands(points) })
	}
	var says []string
	if slices.ContainsFunc(charts, (*Chart).cutsWhiskers) {
		says = append(says, "Whiskers are cut off at 0 and 100 %.")
	}
	if isCut(false) {
		says = append(says, "Bands that reach an edge of their panel go on beyond it.")
	}
	if isCut(true) {
		says = append(says, "Triangle at an edge of a panel: the whisker goes on beyond it.")
	}
	return strings.Join(says, " ")
}

// outOfSight names the curves that leave their charts. Charts are called by their titles or, where given, by other names.
func outOfSight(charts []*Chart, called ...string) string {
	var names []string
	for i, c := range charts {
		where := c.Heading
		if len(called) > 0 {
			where = called[i]
		}
		low, high := c.YRange()
		var leave []string
		for _, s := range c.Curves {
			for i, y := range s.Mean {
				if s.at(i) >= c.Range.Settled && (y < low || y > high) {
					leave = append(leave, s.Label)
					break
				}
			}
		}
		if len(leave) > 0 {
			names = append(names, where+": "+strings.Join(leave, ", "))
		}
	}
	if len(names) == 0 {
		return ""
	}
	says := "In part beyond the panel's edge: " + strings.Join(names, "; ")
	if slices.ContainsFunc(charts, func(c *Chart) bool { return c.Range.BestBelow }) {
		says += ". An error line that leaves its panel has no band"
	}
	return says + "."
}

// cutsWhiskers reports whether a whisker of a bar would leave the range of accuracy.
func (c *Chart) cutsWhiskers() bool {
	return slices.ContainsFunc(c.Groups, func(g BarGroup) bool {
		return slices.ContainsFunc([]Estimate{g.Before, g.After}, func(e Estimate) bool {
			return e.Seeds > 1 && (e.Mean-e.StdDev < 0 || e.Mean+e.StdDev > 100)
		})
	})
}

// cutsLines reports whether a line reaches beyond the y axis.
func (p *Chart) cutsLines() bool {
	low, high := p.YRange()
	return slices.ContainsFunc(p.Curves, func(c Curve) bool {
		return slices.ContainsFunc(c.Mean, func(y float64) bool { return y < low || y > high })
	})
}

// cutsBands reports whether a band, or a whisker at a point, reaches beyond the y axis.
func (p *Chart) cutsBands(points bool) bool {
	low, high := p.YRange()
	for _, c := range p.Curves {
		if !p.hasBand(c) || p.Whiskers || c.Kind.isPoints() != points {
			continue
		}
		for i, sd := range c.StdDev {
			inside := c.Mean[i] >= low && c.Mean[i] <= high
			if inside && (c.Mean[i]-sd < low || c.Mean[i]+sd > high) {
				return true
			}
		}
	}
	return false
}

// drawCutWhiskers puts a triangle where a whisker leaves the panel.
func (p *Chart) drawCutWhiskers(drawn *plot.Plot, page, data draw.Canvas) {
	toX, _ := drawn.Transforms(&data)
	for _, c := range p.Curves {
		if !c.Kind.isPoints() || !p.hasBand(c) {
			continue
		}
		for i, sd := range c.StdDev {
			x, inside := toX(c.at(i)), c.Mean[i] >= drawn.Y.Min && c.Mean[i] <= drawn.Y.Max
			if inside && c.Mean[i]+sd > drawn.Y.Max {
				arrowHead(page, c.Style.Color, x, data.Max.Y, 1)
			}
			if inside && c.Mean[i]-sd < drawn.Y.Min {
				arrowHead(page, c.Style.Color, x, data.Min.Y, -1)
			}
		}
	}
}

// drawSoaring puts a triangle at the upper edge above each point from which a line soars out of the panel.
func (p *Chart) drawSoaring(drawn *plot.Plot, page, data draw.Canvas) {
	toX, _ := drawn.Transforms(&data)
	for _, c := range p.Curves {
		for _, last := range c.soars(drawn.Y.Min, drawn.Y.Max) {
			arrowHead(page, c.Style.Color, toX(c.at(last)), data.Max.Y, 1)
		}
	}
}

// arrowHead draws a triangle whose tip lies just outside the edge. Up is 1 or −1.
func arrowHead(page draw.Canvas, ink color.Color, x, edge, up vg.Length) {
	const half, length = vg.Length(2), vg.Length(3.4)
	base := edge - up*(length-1)
	page.FillPolygon(ink, []vg.Point{{X: x - half, Y: base}, {X: x + half, Y: base}, {X: x, Y: base + up*length}})
}
