package figures

import (
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// beyondEdge returns a sentence if a line or a band goes on beyond its panel.
func beyondEdge(panels []*panel) []string {
	if !slices.ContainsFunc(panels, (*panel).cutsLines) {
		return cutBands(panels)
	}
	return []string{"Lines and bands that reach an edge of their panel go on beyond it."}
}

// soaringNote explains the triangle of a line that soars out of its panel.
func soaringNote(panels []*panel) []string {
	for _, p := range panels {
		low, high := p.yRange()
		if slices.ContainsFunc(p.curves, func(c curve) bool { return len(c.soars(low, high)) > 0 }) {
			return []string{"Triangle at the upper edge: from here the line goes on far above the panel."}
		}
	}
	return nil
}

// cutBands returns a sentence if a band or a whisker goes on beyond its panel.
func cutBands(panels []*panel) (says []string) {
	isCut := func(points bool) bool {
		return slices.ContainsFunc(panels, func(p *panel) bool { return p.cutsBands(points) })
	}
	if isCut(false) {
		says = append(says, "Bands that reach an edge of their panel go on beyond it.")
	}
	if isCut(true) {
		says = append(says, "Triangle at an edge of a panel: the whisker goes on beyond it.")
	}
	return says
}

// outOfSight names the curves that leave their panels. Panels are called by their titles or, where given, by other names.
func outOfSight(panels []*panel, called ...string) []string {
	var names []string
	for i, p := range panels {
		where := p.title
		if len(called) > 0 {
			where = called[i]
		}
		low, high := p.yRange()
		var leave []string
		for _, c := range p.curves {
			for i, y := range c.mean {
				if c.at(i) >= p.settled && (y < low || y > high) {
					leave = append(leave, c.label)
					break
				}
			}
		}
		if len(leave) > 0 {
			names = append(names, where+": "+strings.Join(leave, ", "))
		}
	}
	if len(names) == 0 {
		return nil
	}
	says := "In part beyond the panel's edge: " + strings.Join(names, "; ")
	if slices.ContainsFunc(panels, func(p *panel) bool { return p.bestBelow }) {
		says += ". An error line that leaves its panel has no band"
	}
	return []string{says + "."}
}

// cutWhiskers returns a sentence if a whisker would leave the range of accuracy.
func cutWhiskers(panels []*panel) []string {
	for _, p := range panels {
		for _, group := range p.bars {
			for _, e := range []estimate{group.before, group.after} {
				if e.seeds > 1 && (e.mean-e.stdDev < 0 || e.mean+e.stdDev > 100) {
					return []string{"Whiskers are cut off at 0 and 100 %."}
				}
			}
		}
	}
	return nil
}

// cutsLines reports whether a line reaches beyond the y axis.
func (p *panel) cutsLines() bool {
	low, high := p.yRange()
	return slices.ContainsFunc(p.curves, func(c curve) bool {
		return slices.ContainsFunc(c.mean, func(y float64) bool { return y < low || y > high })
	})
}

// cutsBands reports whether a band, or a whisker at a point, reaches beyond the y axis.
func (p *panel) cutsBands(points bool) bool {
	low, high := p.yRange()
	for _, c := range p.curves {
		if !p.hasBand(c) || p.whiskers || c.marks.points() != points {
			continue
		}
		for i, sd := range c.stdDev {
			inside := c.mean[i] >= low && c.mean[i] <= high
			if inside && (c.mean[i]-sd < low || c.mean[i]+sd > high) {
				return true
			}
		}
	}
	return false
}

// drawCutWhiskers puts a triangle where a whisker leaves the panel.
func (p *panel) drawCutWhiskers(drawn *plot.Plot, page, data draw.Canvas) {
	toX, _ := drawn.Transforms(&data)
	for _, c := range p.curves {
		if !c.marks.points() || !p.hasBand(c) {
			continue
		}
		for i, sd := range c.stdDev {
			x, inside := toX(c.at(i)), c.mean[i] >= drawn.Y.Min && c.mean[i] <= drawn.Y.Max
			if inside && c.mean[i]+sd > drawn.Y.Max {
				arrowHead(page, c.look.color, x, data.Max.Y, 1)
			}
			if inside && c.mean[i]-sd < drawn.Y.Min {
				arrowHead(page, c.look.color, x, data.Min.Y, -1)
			}
		}
	}
}

// drawSoaring puts a triangle at the upper edge above each point from which a line soars out of the panel.
func (p *panel) drawSoaring(drawn *plot.Plot, page, data draw.Canvas) {
	toX, _ := drawn.Transforms(&data)
	for _, c := range p.curves {
		for _, last := range c.soars(drawn.Y.Min, drawn.Y.Max) {
			arrowHead(page, c.look.color, toX(c.at(last)), data.Max.Y, 1)
		}
	}
}

// arrowHead draws a triangle whose tip lies just outside the edge. Up is 1 or −1.
func arrowHead(page draw.Canvas, ink color.Color, x, edge, up vg.Length) {
	const half, length = vg.Length(2), vg.Length(3.4)
	base := edge - up*(length-1)
	page.FillPolygon(ink, []vg.Point{{X: x - half, Y: base}, {X: x + half, Y: base}, {X: x, Y: base + up*length}})
}

// steep is the height from which a segment looks like a vertical stroke, in heights of its panel.
const steep = 100

// soars returns the points after which a line with dots is interrupted, because its next segment would be a vertical stroke.
func (c *curve) soars(low, high float64) (at []int) {
	for i := 1; i < len(c.mean) && c.marks == lineAndDots; i++ {
		if c.mean[i-1] <= high && c.mean[i] > high+steep*(high-low) {
			at = append(at, i-1)
		}
	}
	return at
}
