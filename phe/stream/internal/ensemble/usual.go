package ensemble

import (
	"math"

	"gophe/phe/onepass"
)

// usual has the usual contribution of each column of an expert: a running mean over one learned row in usualEvery. The reasons of a
// forecast are relative to it, so an item of nearly every row is no reason. Each expert keeps its own, since threads take rows through the
// experts one by one. It holds means of the forecast, means of the evidence alone, and the number of rows in them.
type usual []float32

const (
	usualEvery = 128
	usualRows  = 256
)

func newUsual(c onepass.Config) usual {
	n := c.Columns * c.Outputs
	if c.Alone {
		n *= 2
	}
	return make(usual, n+1)
}

// learn adds the row that a learner predicted last.
func (u usual) learn(l *onepass.Model, cells []onepass.Cell) {
	n := &u[len(u)-1]
	*n = min(max(*n, 0)+1, usualRows) // a forged file may have any number
	u.explain(l, cells, 1/float64(*n))
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
