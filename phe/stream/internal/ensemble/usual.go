package ensemble

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"gophe/phe/onepass"
)

// usual has the usual contribution of each column of an expert: a running mean over one learned row in usualEvery. The reasons of a
// forecast are relative to it, so an item of nearly every row is no reason. Each expert has its own, since threads take rows through
// experts one by one. It holds means of the forecast, of the evidence alone, and of the size of each line, and the number of rows in them.
type usual []float32

const (
	usualEvery = 128
	usualRows  = 256
)

// newUsual returns the usual row of an expert whose records have a number of columns.
func newUsual(c onepass.Config, columns int) usual {
	n := c.Columns * c.Outputs
	if c.Alone {
		n *= 2
	}
	return make(usual, n+columns+1)
}

// sizes returns the mean size of each column's line, by its place in a record.
func (u usual) sizes(columns int) usual { return u[len(u)-1-columns : len(u)-1] }

// learn adds the row that a learner predicted last. The sizes are in the log-odds of the class that this forecast has for likeliest, or in
// a number. places are the places of each cell's columns.
func (u usual) learn(l *onepass.Model, cells []onepass.Cell, places [][2]int, columns int) {
	n, outputs := &u[len(u)-1], l.Config().Outputs
	*n = min(max(*n, 0)+1, usualRows) // a forged file may have any number
	pace, lines := 1/float64(*n), make([]float64, columns*outputs)
	t := u.explain(l, cells, pace)[0]
	slopes := t.Base // the sum is the logits
	for i, add := range t.Adds {
		slopes[i%outputs] += add
		for _, place := range places[i/outputs] {
			lines[place*outputs+i%outputs] += add / 2
		}
	}
	likeliest := floats.MaxIdx(slopes)
	slopes[likeliest] = math.Inf(-1)
	if outputs > 1 {
		onepass.SoftmaxInto(slopes, slopes)
	}
	slopes[likeliest] = -1
	sizes := u.sizes(columns)
	for place := range sizes {
		size := math.Abs(floats.Dot(slopes, lines[place*outputs:][:outputs]))
		sizes[place] += float32(pace * (size - float64(sizes[place])))
	}
}

// explain returns the terms of the forecast that a learner made last, and of its evidence alone, relative to the usual row. Their sums with
// the bases are as before. Then the means move by pace times the way to the terms.
func (u usual) explain(l *onepass.Model, cells []onepass.Cell, pace float64) (both [2]onepass.Terms) {
	c := l.Config()
	both[0], both[1] = l.Explain()
	for v, t := range both {
		for i, term := range t.Adds {
			cell, o := &cells[i/c.Outputs], i%c.Outputs
			mean := &u[(v*c.Columns+int(cell.Column))*c.Outputs+o]
			usual := cell.Share * float64(*mean)
			t.Adds[i], t.Base[o] = term-usual, t.Base[o]+usual
			*mean += float32(math.Copysign(pace, cell.Share) * (term - usual))
		}
	}
	return both
}

// rescale carries the means over to another unit of a number.
func (u usual) rescale(by float64) {
	for i := range u[:max(0, len(u)-1)] {
		u[i] *= float32(by)
	}
}
