package figures

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Figure4 draws Fig. 4, the deep Kalman filter of sequences as a graphical model. A second panel shows how the beliefs about
// its states are computed, which the paper describes in words only (Sec. 4.3). Nothing in it comes from a result.
func Figure4() *Figure {
	return New(kalman{}, pageWidth, kalmanHeight, "A sequence with PHE: events i−1 and i of it, such as a product's sales. White circles: what there are beliefs about, "+
		"table E and the states z. Gray circles: the counts y. Dots, which are given: the numbers x, the buckets h of the event's items, "+
		"and the time Δ since the event before, which in (a) neither the paper's figure nor the authors' program has. "+
		"(b) The belief about z is computed from r (boxes), the state of a recurrent network that has read everything up to its event, the count y too: "+
		"decoding y from that belief is a reconstruction. A forecast takes z from the state before, as in (a).")
}

// kalman is the diagram, which has two panels.
type kalman struct{}

// The diagram's measures, in points, from a panel's lower left corner.
const (
	kalmanHeight = vg.Length(190)
	kalmanPanel  = vg.Length(236) // width
	firstEvent   = vg.Length(92)
	eventStep    = vg.Length(88)
	chainStart   = vg.Length(34)  // of the arrow from the event before
	chainEnd     = vg.Length(220) // of the arrow to the event after
	stateHeight  = vg.Length(34)
	middleHeight = vg.Length(92) // of counts in (a), of the network's states in (b)
	nodeRadius   = vg.Length(13)
	squareRadius = vg.Length(10)
	dotRadius    = vg.Length(2.6)
)

var observedFill = color.Gray{215}

// Draw draws the two panels.
func (kalman) Draw(c draw.Canvas) ([]Mark, error) {
	beside := c.Max.X - c.Min.X - kalmanPanel
	drawFilter(draw.Crop(c, 0, -beside, 0, 0), "(a) How counts come about", false)
	drawFilter(draw.Crop(c, beside, 0, 0, 0), "(b) How states are inferred", true)
	return nil, nil
}

// drawFilter draws a panel with the chain of z or, for inference, with the chain of r. The states r are computed from the data.
func drawFilter(c draw.Canvas, title string, inference bool) {
	point := func(x, y vg.Length) vg.Point { return vg.Point{X: c.Min.X + x, Y: c.Min.Y + y} }
	label{{text: title}}.draw(c, vg.Point{X: c.Center().X, Y: c.Max.Y - titleHeight/2}, titleSize, black)
	line := inkOf(black)
	table := place{at: point(20, 152), radius: nodeRadius}
	chain := []place{{at: point(chainStart, stateHeight)}}
	if inference {
		chain[0].at = point(chainStart, middleHeight)
	}
	for i, index := range []string{"i−1", "i"} {
		x := firstEvent + eventStep*vg.Length(i)
		state := place{at: point(x, stateHeight), radius: nodeRadius}
		middle := place{at: point(x, middleHeight), radius: nodeRadius}
		given := func(name string, right, up vg.Length, to place, labelRight, labelUp vg.Length) {
			dot := place{at: vg.Point{X: to.at.X + right, Y: to.at.Y + up}, radius: dotRadius}
			link(c, dot, to, line)
			dot.draw(c, black, line, nil)
			symbol(name, index).draw(c, vg.Point{X: dot.at.X + labelRight, Y: dot.at.Y + labelUp}, titleSize, black)
		}
		beside := 5 + symbol("x", index).width(titleSize)/2
		if inference {
			middle.radius, middle.isSquare = squareRadius, true
			count := place{at: vg.Point{X: middle.at.X + 26, Y: middle.at.Y + 40}, radius: nodeRadius}
			link(c, count, middle, line)
			count.draw(c, observedFill, line, symbol("y", index))
			given("h", -34, 19, middle, -2, 9)
			given("Δ", -34, -20, middle, -2, -9)
			given("x", 34, -20, middle, 2, -9)
			link(c, middle, state, line)
			middle.draw(c, color.White, line, symbol("r", index))
			chain = append(chain, middle)
		} else {
			link(c, state, middle, line)
			middle.draw(c, observedFill, line, symbol("y", index))
			given("h", -38, 0, middle, 0, -9)
			given("x", 27, 22, middle, beside, 1)
			given("Δ", -30, -22, state, -beside, 0)
			chain = append(chain, state)
		}
		state.draw(c, color.White, line, symbol("z", index))
		arrow(c, vg.Point{X: table.at.X + nodeRadius, Y: table.at.Y}, 0, vg.Point{X: middle.at.X, Y: middle.at.Y + middle.radius}, -90, line)
	}
	table.draw(c, color.White, line, symbol("E", ""))
	chain = append(chain, place{at: vg.Point{X: c.Min.X + chainEnd, Y: chain[0].at.Y}})
	for i := range chain[1:] {
		link(c, chain[i], chain[i+1], line)
	}
	for _, end := range []vg.Point{{X: chain[0].at.X - 9, Y: chain[0].at.Y}, {X: chain[3].at.X + 9, Y: chain[0].at.Y}} {
		ellipsis(c, end)
	}
}
