package draw

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// BeyondEdge returns a sentence if a line or a band continues beyond its chart, and otherwise nothing.
func BeyondEdge(charts []*Chart) string {
	if anyCurve(charts, func(c *Chart, s Curve) bool { return c.leaves(s, math.Inf(-1)) }) {
		return "Lines and bands that reach an edge of their panel go on beyond it."
	}
	return CutBands(charts)
}

// EdgeNotes returns the sentences about curves, bands and whiskers that leave their charts. Charts are called by their titles, or by the
// letters that their titles begin with, such as (a).
func EdgeNotes(charts []*Chart) string {
	notes := []string{outOfSight(charts), CutBands(charts)}
	if anyCurve(charts, func(c *Chart, s Curve) bool { return len(c.soars(s)) > 0 }) {
		notes = slices.Insert(notes, 1, "Triangle at the upper edge: from here the line goes on far above the panel.")
	}
	return strings.Join(slices.DeleteFunc(notes, func(s string) bool { return s == "" }), " ")
}

// CutBands returns a sentence if a band or a whisker continues beyond its chart.
func CutBands(charts []*Chart) string {
	isCut := func(points bool) bool {
		return anyCurve(charts, func(c *Chart, s Curve) bool {
			return !c.Whiskers && s.Kind.isPoints() == points && len(c.overhangs(s, 1))+len(c.overhangs(s, -1)) > 0
		})
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

// outOfSight names the curves that leave their charts.
func outOfSight(charts []*Chart) string {
	var names []string
	for _, c := range charts {
		where := c.Heading
		if letter, _, found := strings.Cut(where, " "); found && strings.HasPrefix(letter, "(") {
			where = letter
		}
		var leave []string
		for _, s := range c.Curves {
			if c.leaves(s, c.Range.Settled) {
				leave = append(leave, s.Label)
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

// anyCurve reports whether something is true of a curve of the charts.
func anyCurve(charts []*Chart, is func(c *Chart, s Curve) bool) bool {
	return slices.ContainsFunc(charts, func(c *Chart) bool {
		return c != nil && slices.ContainsFunc(c.Curves, func(s Curve) bool { return is(c, s) })
	})
}

// cutsWhiskers reports whether a whisker of a bar would leave the range of accuracy.
func (c *Chart) cutsWhiskers() bool {
	cuts := func(e Estimate) bool { return e.Seeds > 1 && (e.Mean-e.StdDev < 0 || e.Mean+e.StdDev > 100) }
	return slices.ContainsFunc(c.Groups, func(g BarGroup) bool { return cuts(g.Before) || cuts(g.After) })
}

// leaves reports whether a curve lies beyond the y axis somewhere from an x on.
func (c *Chart) leaves(s Curve, from float64) bool {
	low, high := c.YRange()
	for i, y := range s.Mean {
		if s.at(i) >= from && (y < low || y > high) {
			return true
		}
	}
	return false
}

// overhangs returns the points inside the axes whose band or whisker reaches beyond the upper edge (up is 1) or the lower edge (−1).
func (c *Chart) overhangs(s Curve, up float64) (at []int) {
	if !c.hasBand(s) {
		return nil
	}
	low, high := c.YRange()
	for i, sd := range s.StdDev {
		end := s.Mean[i] + up*sd
		if s.Mean[i] >= low && s.Mean[i] <= high && (up > 0 && end > high || up < 0 && end < low) {
			at = append(at, i)
		}
	}
	return at
}

// steep is the height from which a segment looks like a vertical stroke, in heights of its chart.
const steep = 100

// soars returns the points after which a line with dots is interrupted, because its next segment would be a vertical stroke.
func (c *Chart) soars(s Curve) (at []int) {
	low, high := c.YRange()
	for i := 1; i < len(s.Mean) && s.Kind == LineAndDots; i++ {
		if s.Mean[i-1] <= high && s.Mean[i] > high+steep*(high-low) {
			at = append(at, i-1)
		}
	}
	return at
}

// drawArrows puts a triangle at the upper edge above each point from which a line soars out of the panel, and where a whisker leaves it.
func (c *Chart) drawArrows(drawn *plot.Plot, page, data draw.Canvas) {
	toX, _ := drawn.Transforms(&data)
	arrows := func(s Curve, points []int, edge, up vg.Length) { // up is 1 or −1; tips lie just outside the edge
		const half, length = vg.Length(2), vg.Length(3.4)
		for _, i := range points {
			x, base := toX(s.at(i)), edge-up*(length-1)
			page.FillPolygon(s.Style.Color, []vg.Point{{X: x - half, Y: base}, {X: x + half, Y: base}, {X: x, Y: base + up*length}})
		}
	}
	for _, s := range c.Curves {
		arrows(s, c.soars(s), data.Max.Y, 1)
		if s.Kind.isPoints() {
			arrows(s, c.overhangs(s, 1), data.Max.Y, 1)
			arrows(s, c.overhangs(s, -1), data.Min.Y, -1)
		}
	}
}
