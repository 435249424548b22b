package draw

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gophe/experiments/result"
)

const (
	groupLine   = vg.Length(9)   // from one line of items to the next
	groupGap    = vg.Length(4)   // extra distance between groups
	listGap     = vg.Length(6)   // extra distance between data sets
	nameColumn  = vg.Length(44)  // width of the groups' names
	itemsColumn = vg.Length(235) // width of their items
	barColumn   = vg.Length(150) // width of the longest bar
)

// Lists is groups of items, one list below the other. A group has two bars, which are to scale within a list.
type Lists []List

// List is one data set's groups.
type List struct {
	Title  string
	Groups []result.Test
}

// Figure returns the lists as a figure with a caption, as wide as a page.
func (lists Lists) Figure(caption string) *Figure {
	height := vg.Length(0)
	for _, list := range lists {
		height += titleHeight + listGap
		for _, g := range list.Groups {
			height += groupHeight(g)
		}
	}
	return newFigure(lists, pageWidth, height, caption)
}

// most returns the rows of the longest bar.
func (list List) most() int {
	most := 1
	for _, g := range list.Groups {
		most = max(most, g.Train, g.Rows)
	}
	return most
}

// itemLines wraps a list of items.
func itemLines(items []string) []string {
	words := slices.Clone(items)
	for i := range len(words) - 1 {
		words[i] += ","
	}
	return wrap(words, textStyle(labelSize, black), itemsColumn-8)
}

// groupHeight returns the height of one group: its items or its two bars.
func groupHeight(g result.Test) vg.Length {
	return groupLine*max(vg.Length(len(itemLines(g.Items))), 1.4) + groupGap
}

// draw implements content.
func (lists Lists) draw(c draw.Canvas) (marks []Mark) {
	y := c.Max.Y
	bars := c.Min.X + nameColumn + itemsColumn
	for i, list := range lists {
		bold := textStyle(titleSize, black)
		c.FillText(bold, vg.Point{X: c.Min.X, Y: y - titleHeight/2}, list.Title)
		if i == 0 {
			keys := []Key{{label: "training rows", fill: afterFill}, {label: "test rows", fill: beforeFill}}
			gridLegend.drawLine(c, keys, vg.Point{X: bars - gridLegend.sample + swatch, Y: y - titleHeight/2})
		}
		y -= titleHeight
		thin := draw.LineStyle{Color: color.Gray{200}, Width: vg.Points(0.4)}
		c.StrokeLine2(thin, c.Min.X, y, c.Max.X, y)
		for _, g := range list.Groups {
			marks = append(marks, drawGroup(g, c, y-groupGap/2, bars, list.most())...)
			y -= groupHeight(g)
		}
		y -= listGap
	}
	return marks
}

// drawGroup draws the group's name, items and bars below top. It returns a mark at the end of each bar.
func drawGroup(g result.Test, c draw.Canvas, top, bars vg.Length, most int) (marks []Mark) {
	black := textStyle(labelSize, black)
	dark := textStyle(labelSize, color.Gray{50})
	c.FillText(black, vg.Point{X: c.Min.X, Y: top - groupLine/2}, g.Name)
	for i, line := range itemLines(g.Items) {
		c.FillText(dark, vg.Point{X: c.Min.X + nameColumn, Y: top - groupLine*(vg.Length(i)+0.5)}, line)
	}
	small := textStyle(labelSize-0.8, color.Gray{50})
	y := top - 0.5
	for _, bar := range []struct {
		name string
		rows int
		fill color.Color
	}{{"training rows", g.Train, afterFill}, {"test rows", g.Rows, beforeFill}} {
		length := barColumn * vg.Length(bar.rows) / vg.Length(most)
		fillBox(c, bar.fill, bars, y-4.6, bars+length, y)
		c.FillText(small, vg.Point{X: bars + length + gridLegend.gap, Y: y - 2}, Decimals(float64(bar.rows), 0))
		text := fmt.Sprintf("%s, %s: %s", g.Name, bar.name, Number(float64(bar.rows)))
		marks = append(marks, Mark{X: float64(bars + length), Y: float64(y - 2.3), Text: text})
		y -= 6.2
	}
	return marks
}
