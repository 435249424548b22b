package figures

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"gophe/experiments/result"
	"gophe/figures/draw"
)

// Figure9 draws Fig. 9 from results of protocol group: the groups of items of each data set, with their numbers of training and
// test rows. The runs need not be finished.
func Figure9(files []*result.File) (*Figure, error) {
	if len(files) == 0 || slices.Contains(files, nil) {
		return nil, errors.Errorf("a result of protocol group is missing; %s", remedy)
	}
	var lists groupLists
	var sources []source
	for _, f := range files {
		s := source{File: f}
		if err := s.needTests(); err != nil {
			return nil, errors.WithMessagef(err, "result %q", f.Name)
		}
		sources = append(sources, s)
		lists = append(lists, newGroupList(&s))
	}
	const says = "Groups of items, in the order in which they are learned, and their numbers of rows; bars are to scale within a data set."
	return draw.NewFigure(lists, draw.PageWidth, lists.height(), sentences(says, sourceNotes(sources, ""))), nil
}

const (
	groupLine   = vg.Length(9)   // from one line of items to the next
	groupGap    = vg.Length(4)   // extra distance between groups
	listGap     = vg.Length(6)   // extra distance between data sets
	nameColumn  = vg.Length(44)  // width of the groups' names
	itemsColumn = vg.Length(235) // width of their items
	barColumn   = vg.Length(150) // width of the longest bar
	mostLines   = 3              // of one group's items
)

// groupLists is the content of Figure 9.
type groupLists []groupList

// groupList is one data set's groups.
type groupList struct {
	title  string
	groups []itemGroup
	most   int // rows of the longest bar
}

type itemGroup struct {
	name        string
	lines       []string // the items
	train, test int
}

func newGroupList(s *source) groupList {
	list := groupList{title: s.title(), most: 1}
	for a, test := range s.Stream.Tests {
		list.groups = append(list.groups, itemGroup{groupName(test, a), itemLines(test.Items), test.Train, test.Rows})
		list.most = max(list.most, test.Train, test.Rows)
	}
	return list
}

// itemLines wraps a list of items. It shortens very long items, and counts the items that do not fit into mostLines lines.
func itemLines(items []string) []string {
	style := draw.TextStyle(draw.LabelSize, draw.Black)
	const width = itemsColumn - 8
	var lines [][]string
	for i, item := range items {
		if len(lines) > mostLines {
			break // the others are only counted
		}
		item = shortened(item, style, width/2)
		if i < len(items)-1 {
			item += ","
		}
		n := len(lines)
		if n > 0 && style.Width(strings.Join(append(lines[n-1], item), " ")) <= width {
			lines[n-1] = append(lines[n-1], item)
		} else {
			lines = append(lines, []string{item})
		}
	}
	out := make([]string, min(len(lines), mostLines))
	for i := range out {
		out[i] = strings.Join(lines[i], " ")
	}
	if len(lines) <= mostLines {
		return out
	}
	hidden := len(items)
	for _, line := range lines[:mostLines-1] {
		hidden -= len(line)
	}
	for last := lines[mostLines-1]; ; last = last[:len(last)-1] {
		line := fmt.Sprintf("%s and %d more", strings.Join(last, " "), hidden-len(last))
		if style.Width(line) <= width || len(last) == 1 {
			out[mostLines-1] = line
			return out
		}
	}
}

// shortened cuts txt to the given width.
func shortened(txt string, style text.Style, width vg.Length) string {
	letters := []rune(txt)
	short := txt
	for n := len(letters) - 1; n >= 0 && style.Width(short) > width; n-- {
		short = string(letters[:n]) + "…"
	}
	return short
}

// height returns the height of one group: its items or its two bars.
func (g itemGroup) height() vg.Length {
	return groupLine*max(vg.Length(len(g.lines)), 1.4) + groupGap
}

func (lists groupLists) height() (h vg.Length) {
	for _, list := range lists {
		h += draw.TitleHeight + listGap
		for _, g := range list.groups {
			h += g.height()
		}
	}
	return h
}

var (
	trainFill = draw.AfterFill
	testFill  = draw.BeforeFill
)

// Draw implements Content.
func (lists groupLists) Draw(c vgdraw.Canvas) ([]draw.Mark, error) {
	y := c.Max.Y
	bars := c.Min.X + nameColumn + itemsColumn
	var marks []draw.Mark
	for i, list := range lists {
		bold := draw.TextStyle(draw.TitleSize, draw.Black)
		c.FillText(bold, vg.Point{X: c.Min.X, Y: y - draw.TitleHeight/2}, list.title)
		if i == 0 {
			at := vg.Point{X: bars - draw.SwatchIndent, Y: y - draw.TitleHeight/2}
			draw.DrawKeys(c, at, draw.BarKey("training rows", trainFill), draw.BarKey("test rows", testFill))
		}
		y -= draw.TitleHeight
		thin := vgdraw.LineStyle{Color: color.Gray{200}, Width: vg.Points(0.4)}
		c.StrokeLine2(thin, c.Min.X, y, c.Max.X, y)
		for _, g := range list.groups {
			marks = append(marks, g.draw(c, y-groupGap/2, bars, list.most)...)
			y -= g.height()
		}
		y -= listGap
	}
	return marks, nil
}

// draw draws the group's name, items and bars below top. It returns a mark at the end of each bar.
func (g itemGroup) draw(c vgdraw.Canvas, top, bars vg.Length, most int) (marks []draw.Mark) {
	black := draw.TextStyle(draw.LabelSize, draw.Black)
	dark := draw.TextStyle(draw.LabelSize, color.Gray{50})
	c.FillText(black, vg.Point{X: c.Min.X, Y: top - groupLine/2}, g.name)
	for i, line := range g.lines {
		c.FillText(dark, vg.Point{X: c.Min.X + nameColumn, Y: top - groupLine*(vg.Length(i)+0.5)}, line)
	}
	small := draw.TextStyle(draw.LabelSize-0.8, color.Gray{50})
	small.XAlign = text.XLeft
	y := top - 0.5
	for _, bar := range []struct {
		name string
		rows int
		fill color.Color
	}{{"training rows", g.train, trainFill}, {"test rows", g.test, testFill}} {
		length := barColumn * vg.Length(bar.rows) / vg.Length(most)
		draw.FillBox(c, bar.fill, bars, y-4.6, bars+length, y)
		c.FillText(small, vg.Point{X: bars + length + 2.5, Y: y - 2}, draw.Decimals(float64(bar.rows), 0))
		marks = append(marks, draw.Mark{X: float64(bars + length), Y: float64(y - 2.3), Text: fmt.Sprintf("%s, %s: %s", g.name, bar.name, draw.Number(float64(bar.rows)))})
		y -= 6.2
	}
	return marks
}
