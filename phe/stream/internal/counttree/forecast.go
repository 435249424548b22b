package counttree

import (
	"math"

	"gophe/phe/count"
)

// forecast is a forecaster as the distribution of a row's count, until its next Forecast or Learn. It reads each node at most once.
type forecast Forecaster

// memo is the probability of "left" at a node. It is valid if its stamp is the row's.
type memo struct {
	p     float64
	stamp uint32
}

// Forecast returns the distribution of a row's count, which is valid until the next Forecast or the next learning. The row has
// Config.Contexts items, and its set is one of Config.Sets. Calls allocate no memory.
func (f *Forecaster) Forecast(row Row) count.Distribution {
	copy(f.row.Items, row.Items)
	f.row.Set = row.Set
	f.stamp++
	if f.stamp == 0 { // a stamp of 2³² rows ago would look like this row's
		clear(f.memo)
		f.stamp = 1
	}
	return (*forecast)(f)
}

func (d *forecast) left(v int32) float64 {
	if m := &d.memo[v]; m.stamp != d.stamp {
		(*Forecaster)(d).read(&d.row, v)
		*m = memo{d.reading.p, d.stamp}
	}
	return d.memo[v].p
}

// cell returns the probability of a cell, and of all cells below it.
func (d *forecast) cell(k int) (p, below float64) {
	p = 1
	for v := int32(0); v >= 0; {
		left := d.left(v)
		side, child := d.tree.child(v, k)
		if side == 1 {
			p *= left
		} else {
			below += p * left
			p *= 1 - left
		}
		v = child
	}
	return p, below
}

// LogProbability returns log P(Y = y), in nats.
func (d *forecast) LogProbability(y int) float64 {
	if y < 1 {
		return math.Inf(-1)
	}
	k := d.cells.Of(y)
	p, _ := d.cell(k)
	return math.Log(p) + d.cells.Within(k).LogProbability(y)
}

// CDF returns P(Y ≤ y).
func (d *forecast) CDF(y int) float64 {
	if y < 1 {
		return 0
	}
	k := d.cells.Of(y)
	p, below := d.cell(k)
	return min(1, below+p*d.cells.Within(k).CDF(y))
}

// Quantile returns the smallest integer y with P(Y ≤ y) ≥ q, for q in (0, 1).
func (d *forecast) Quantile(q float64) float64 {
	p, below := 1., 0.
	v := int32(0)
	for v >= 0 {
		left := d.left(v)
		if below+p*left >= q {
			p *= left
			v = d.tree.left[v]
		} else {
			below += p * left
			p *= 1 - left
			v = d.tree.right[v]
		}
	}
	return d.cells.Within(int(-1 - v)).Quantile((q - below) / p)
}

// Mean returns the expected count. It reads every node of the tree, and costs about ten times as much as Quantile.
func (d *forecast) Mean() float64 {
	sum := 0.
	for k := range d.cells.Len() {
		p, _ := d.cell(k)
		sum += p * d.cells.Within(k).Mean()
	}
	return sum
}
