package figures

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
	"gophe/experiments/spec/protocol"
	"gophe/figures/draw"
)

// coldPanels are the four panels and the tallies that they show, row by row.
var coldPanels = []struct {
	tally, title, xLabel string
	cells                []string // of result.Run.Tallies
}{
	{"user learned", "(a) Users", "Ratings of the user on earlier days", []string{"none", "1", "2–4", "5–9", "10 or more"}},
	{"film learned", "(b) Films", "Ratings of the film on earlier days", []string{"none", "1", "2–4", "5–9", "10 or more"}},
	{"user first", "(c) Users", "Which of the user's ratings", []string{"1st", "2nd", "3rd–5th", "6th–10th", "later"}},
	{"film first", "(d) Films", "Which of the film's ratings", []string{"1st", "2nd", "3rd–5th", "6th–10th", "later"}},
}

// ColdStart draws the error on new users and films, from a result of protocol recommend. It shows the mean absolute error of each online
// method, of frozen PHE and of the best rule. The x axis is the number of earlier ratings of the user or of the film. The upper panels
// count ratings of earlier days only, because a model cannot have learned from others. The lower panels count all ratings in the order of
// time: most users give all their ratings on one day. The panels of a row share their y axis.
func ColdStart(f *result.File) (fig *draw.Figure, err error) {
	defer caught(&err)
	sources := readSources([]*result.File{f}, 0, protocol.Recommend)
	s := sources[0]
	methods := slices.DeleteFunc(s.shown(), func(m method) bool {
		return m.Name == "Global mean" || len(m.ended(result.Complete)) == 0
	})
	if len(methods) == 0 {
		s.fail("every run diverged")
	}
	var panels []*draw.Chart
	for _, of := range coldPanels {
		p := draw.New(of.xLabel, "Error (%)").Title(of.title)
		p.Range.RoomX, p.Range.BestBelow, p.Range.Settled = true, true, -1
		if len(panels) == 0 {
			p.Title(of.title + ", " + s.title())
		}
		rows := s.tallied(of.tally, len(of.cells))
		p.XAxis.Ticks = cellTicks(of.cells, rows)
		for _, m := range methods {
			p.Curves = append(p.Curves, m.coldCurve(of.tally, of.cells, rows))
		}
		dodge(p.Curves)
		panels = append(panels, p)
	}
	g := draw.Tiled(panels, 2)
	for _, row := range g.Rows {
		shareRange(row)
	}
	g.UseLegend()
	return g.Figure(5.6*vg.Centimeter, 2, sentences(
		"The mean absolute error, in % of five stars, of the prediction's mean, by how many ratings came before. (a), (b): on earlier "+
			"days, which is all that a model can have learned from; (c), (d): in the order of time, the same day's too. Below the "+
			"axes: how many ratings each point is the mean of.",
		seedsSentence("Points", "whiskers", methods), "Methods are drawn side by side.", frozenNote(methods), rulesNote(methods),
		draw.EdgeNotes(panels), sourceNotes(sources, "is left out"))), nil
}

// tallied returns the number of ratings in each cell, which all complete runs have.
func (s *source) tallied(tally string, cells int) (rows []float64) {
	for _, m := range s.methods {
		for _, run := range m.ended(result.Complete) {
			tallies := run.Tallies[tally]
			if len(tallies) != cells {
				s.fail("%s, seed %d has no %d tallies %q; make the result again: `phe run %s`", m.label, run.Seed, cells, tally, s.Name)
			}
			rows = rows[:0]
			for _, cell := range tallies {
				rows = append(rows, cell.Rows)
			}
		}
	}
	return rows
}

// coldCurve returns the mean error, in %, in each cell that has ratings. A cell without ratings interrupts the line.
func (m *method) coldCurve(tally string, names []string, rows []float64) draw.Curve {
	c := draw.Curve{Label: m.label, Style: m.style, Kind: draw.LineAndPoints}
	for cell, n := range rows {
		if n == 0 {
			c.Breaks = append(c.Breaks, len(c.Mean))
			continue
		}
		e := m.overSeeds(func(run *result.Run) float64 { return 100 * run.Tallies[tally][cell].Error / n })
		c.X, c.Mean, c.Names = append(c.X, float64(cell)), append(c.Mean, e.Mean), append(c.Names, names[cell])
		if e.Seeds > 1 {
			c.StdDev = append(c.StdDev, e.StdDev)
		}
	}
	return c
}

// cellTicks labels each cell with its name and, below, its number of ratings.
func cellTicks(cells []string, rows []float64) plot.TickerFunc {
	var marks []plot.Tick
	for i, name := range cells {
		marks = append(marks, plot.Tick{Value: float64(i), Label: name + "\n" + draw.Decimals(rows[i], 0)})
	}
	return func(float64, float64) []plot.Tick { return marks }
}

// shareRange gives the panels of a row the same y axis, which covers the range of each.
func shareRange(row []*draw.Chart) {
	low, high := row[0].YRange()
	for _, p := range row[1:] {
		l, h := p.YRange()
		low, high = min(low, l), max(high, h)
	}
	for _, p := range row {
		p.Y(low, high)
	}
}
