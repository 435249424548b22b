package ensemble

import (
	"math"

	"gophe/phe/belief"
	"gophe/phe/count"
	"gophe/phe/onepass"
	"gophe/phe/stream/change"
	"gophe/phe/stream/internal/counttree"
	"gophe/phe/stream/novelty"
)

// Counter forecasts counts by an ordered tree of cells. Its contexts are items, their pairs, and binned running means of log₂(1 + y).
type Counter struct {
	tree   *counttree.Forecaster
	row    counttree.Row
	recent recent
	hedge  *hedge
}

// newCounter returns a counter that has seen nothing. Its prior probability of a count y is proportional to 1/(y + 1).
func newCounter(c counttree.Config) *Counter {
	cells := count.Octaves()
	shares := make([]float64, cells.Len())
	for k := range shares {
		shares[k] = 1 / float64(cells.First(k))
		if k+1 < len(shares) {
			shares[k] = math.Log(float64(cells.First(k+1)) / float64(cells.First(k)))
		}
	}
	row := counttree.Row{Items: make([]uint64, c.Contexts)}
	return &Counter{tree: counttree.New(c, cells, shares), row: row, recent: newRecent(1, 0)}
}

// read makes a row of the tree. Several items of a column make one context, and their order does not matter.
func (c *Counter) read(row *onepass.Row, came []float64, seen int64) {
	clear(c.row.Items)
	for i := range row.Cells {
		cell := &row.Cells[i]
		c.row.Items[cell.Column] += counttree.Item(uint64(cell.Column), cell.Key)
	}
	first := len(c.row.Items) - len(windows)
	for i, bin := range came {
		c.row.Items[first+i] = counttree.Item(uint64(first+i), uint64(bin))
	}
	c.row.Set = novelty.Tier(seen)
}

// Forecast is the main forecast, and the only expert's.
func (c *Counter) Forecast(r *Row) {
	if r.Late != nil {
		return
	}
	p := &r.Predictions.Experts[0]
	inputs := p.Inputs[:0]
	const bins = 2 // of an octave
	for _, mean := range c.recent.labels {
		inputs = append(inputs, math.Round(bins*mean))
	}
	c.read(r.encoded[0], inputs, r.Predictions.Seen)
	*p = predictionOfCount(shifted{c.tree.Forecast(c.row)})
	p.Inputs = inputs
	r.Predictions.Main = *p
	c.hedge.joinCounts(&r.Predictions)
}

// joinCounts makes the mixture of the tree and the base rate the main forecast, once a label has come late.
func (h *hedge) joinCounts(p *Predictions) {
	const little = 1e-3 // of a base rate; its quantiles would cost more than the tree
	if h != nil && h.Late && h.Weights[1] > little {
		tree, base := p.Experts[0].Count.(shifted), p.BaseRate.Count.(shifted)
		p.Main = predictionOfCount(shifted{count.Mixture(h.Weights[0], tree.Distribution, base.Distribution)})
		p.Main.Inputs = p.Experts[0].Inputs
	}
}

// Learn learns a count, with the running means of its forecast. A distribution reads a node when it is asked, and then remembers it. So
// Learn asks the questions of the score before it learns the label.
func (c *Counter) Learn(r *Row) {
	p := &r.Predictions.Main
	if r.Late != nil {
		p = &r.Late.Main
	}
	if p.Count != nil {
		p.Count.CDF(int(r.Y) - 1)
		p.Count.CDF(int(r.Y))
	}
	inputs := p.Inputs
	c.read(r.encoded[0], inputs, r.Predictions.Seen)
	c.tree.Learn(c.row, int(r.Y)+1)
	c.recent.learn(0, math.Log2(1+r.Y), 0, 1, 0)
	if r.remedy != change.Nothing {
		c.tree.Forget()
	}
}

func (c *Counter) tables() []belief.Part { return append(c.tree.Parts(), c.recent.tables()...) }

// Bytes returns the memory of the tables.
func (c *Counter) Bytes() int { return c.tree.Bytes() }
