package ensemble

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"

	"gophe/phe/disk/filetest"
	"gophe/phe/onepass"
)

// Relative to a usual row of one row, the only cell of a column adds nothing, and the sum stays. Relative to one of many rows, the terms of
// these rows have mean 0, where an opponent counts from the other side. A line has half of the pair, and its size is a mean too.
func TestUsual(t *testing.T) {
	c := onepass.Stream(onepass.Shape{Columns: 2})
	c.Alone = true
	e := filetest.Must(onepass.NewEncoder(c, []string{"a", "b"}))(t)
	e.Same(1, 0, true)
	l, many := filetest.Must(onepass.New(c))(t), newUsual(c, 2)
	row := func(i int) *onepass.Row {
		e.Item(0, fmt.Sprint(i%7))
		e.Item(1, fmt.Sprint(i%3))
		r := e.Row()
		l.Predict(r)
		return r
	}
	for i := range 500 {
		row(i)
		l.Update(float64(i%7%2), 1)
	}
	r := row(1)
	one, places := newUsual(c, 2), e.Fields(r)
	one.learn(l, r.Cells, places, 2)
	for v, all := range one.explain(l, r.Cells, 0) {
		plain := [2]onepass.Terms{}
		plain[0], plain[1] = l.Explain()
		filetest.Near(t, all.Adds[2], 0, 1e-6, "view %d: the pair of the usual row", v)
		filetest.Near(t, all.Base[0]+floats.Sum(all.Adds), plain[v].Base[0]+floats.Sum(plain[v].Adds), 1e-9, "view %d: the sum", v)
	}
	sum, size, line := 0., 0., 0.
	for i := range 210 {
		r := row(i)
		adds := many.explain(l, r.Cells, 0)[0].Adds
		line += math.Abs(adds[0]+adds[2]/2) / 210
		many.learn(l, r.Cells, places, 2)
		t := many.explain(l, r.Cells, 0)[0]
		sum += t.Adds[0] - t.Adds[1]
		size += math.Abs(t.Adds[0]) + math.Abs(t.Adds[1])
	}
	filetest.True(t, math.Abs(sum) < 0.1*size, "the terms of a usual row add up to %g of %g", sum, size)
	filetest.Near(t, float64(many.sizes(2)[0]), line, 1e-5, "the mean size of the first line")
}
