package ensemble

import (
	"math"

	"gophe/phe/onepass"
)

// usual is what each column of an expert adds in a usual row: a running mean over one learned row in usualEvery. The reasons of a forecast
// are relative to it, so that an item which nearly every row has is no reason. Each expert keeps its own, since threads take rows through
// the experts one by one. It holds the means of the forecast, those of the evidence alone, and the number of rows in them.
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

// add adds the row that the learner predicted last.
func (u usual) add(l *onepass.Model, cells []onepass.Cell) {
	n := &u[len(u)-1]
	*n = min(max(*n, 0)+1, usualRows) // a forged file may have any number
	t, alone := l.Explain()
	u.each(l, cells, &t, &alone, func(mean *float32, term, _ *float64, share float64) {
		*mean += float32(math.Copysign(1, share) * (*term - share*float64(*mean)) / float64(*n))
	})
}

// centre makes terms relative to the usual row. Their sum with the base stays the same.
func (u usual) centre(l *onepass.Model, cells []onepass.Cell, t, alone *onepass.Terms) {
	u.each(l, cells, t, alone, func(mean *float32, term, base *float64, share float64) {
		*term -= share * float64(*mean)
		*base += share * float64(*mean)
	})
}

// each calls do with each term, its mean, and the base of its output.
func (u usual) each(l *onepass.Model, cells []onepass.Cell, t, alone *onepass.Terms, do func(mean *float32, term, base *float64, share float64)) {
	c := l.Config()
	for _, t := range [2]*onepass.Terms{t, alone} {
		for i := range t.Adds {
			cell, o := &cells[i/c.Outputs], i%c.Outputs
			do(&u[int(cell.Column)*c.Outputs+o], &t.Adds[i], &t.Base[o], cell.Share)
		}
		u = u[c.Columns*c.Outputs:]
		if len(alone.Adds) == 0 {
			return
		}
	}
}

// rescale carries the means over to another unit of a number.
func (u usual) rescale(by float64) {
	for i := range u[:max(0, len(u)-1)] {
		u[i] *= float32(by)
	}
}
