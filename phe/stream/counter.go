package stream

import (
	"math"

	"gophe/phe/count"
	"gophe/phe/onepass"
	"gophe/phe/stream/internal/counttree"
)

// counter forecasts counts by an ordered tree of cells. Its contexts are the items of a record, their pairs, and what came last: the
// running means of log₂(1 + y) over the last labelled rows, in bins.
type counter struct {
	tree   *counttree.Forecaster
	row    counttree.Row
	recent recent
	came   []float64 // bins of what came last [windows], of the last forecast
}

// cameBins is the number of bins of an octave of what came last.
const cameBins = 2

// newCounter returns a counter that has seen nothing. Its prior probability of a count y is proportional to 1/(y + 1).
func newCounter(c counttree.Config) *counter {
	cells := count.Octaves()
	shares := make([]float64, cells.Len())
	for k := range shares {
		shares[k] = 1 / float64(cells.First(k))
		if k+1 < len(shares) {
			shares[k] = math.Log(float64(cells.First(k+1)) / float64(cells.First(k)))
		}
	}
	row := counttree.Row{Items: make([]uint64, c.Contexts)}
	return &counter{counttree.New(c, cells, shares), row, newRecent(1, 0), make([]float64, len(windows))}
}

// read makes a row of the tree. Several items of a column make one context, and their order does not matter.
func (c *counter) read(row *onepass.Row, came []float64, seen int64) {
	clear(c.row.Items)
	for i := range row.Cells {
		cell := &row.Cells[i]
		c.row.Items[cell.Column] += counttree.Item(uint64(cell.Column), cell.Key)
	}
	first := len(c.row.Items) - len(windows)
	for i, bin := range came {
		c.row.Items[first+i] = counttree.Item(uint64(first+i), uint64(bin))
	}
	c.row.Set = NoveltyTier(seen)
}

func (c *counter) forecast(row *onepass.Row, seen int64) count.Distribution {
	for i, mean := range c.recent.labels {
		c.came[i] = math.Round(cameBins * mean)
	}
	c.read(row, c.came, seen)
	return shifted{c.tree.Forecast(c.row)}
}

// learn learns a count, with what came last when it was forecast.
func (c *counter) learn(row *onepass.Row, came []float64, seen int64, y int) {
	c.read(row, came, seen)
	c.tree.Learn(c.row, y+1)
	c.recent.learn(0, math.Log2(1+float64(y)), 0, 1, 0)
}

// shifted is the distribution of a count that may be 0. The cells of package count begin at 1.
type shifted struct{ count.Distribution }

// LogProbability returns log P(Y = y), in nats.
func (s shifted) LogProbability(y int) float64 { return s.Distribution.LogProbability(y + 1) }

// CDF returns P(Y ≤ y).
func (s shifted) CDF(y int) float64 { return s.Distribution.CDF(y + 1) }

// Mean returns the expected count.
func (s shifted) Mean() float64 { return s.Distribution.Mean() - 1 }

// Quantile returns the smallest y with P(Y ≤ y) ≥ q.
func (s shifted) Quantile(q float64) float64 { return s.Distribution.Quantile(q) - 1 }

func predictionOfCount(d count.Distribution) prediction {
	return prediction{Median: d.Quantile(0.5), Low: d.Quantile(lowQuantile), High: d.Quantile(highQuantile), count: d}
}

// cellsOf returns the probabilities of the cells of a count.
func cellsOf(d count.Distribution) (shares []float32) {
	cells, below := count.Octaves(), 0.
	for k := range cells.Len() {
		through := 1.
		if k+1 < cells.Len() {
			through = d.CDF(cells.First(k+1) - 2) // the cells begin at 1, and counts at 0
		}
		shares, below = append(shares, float32(through-below)), through
	}
	return shares
}

// wake gives a count that has waited its distribution again.
func (p *prediction) wake() {
	if len(p.Cells) > 0 {
		shares := make([]float64, len(p.Cells))
		for k, share := range p.Cells {
			shares[k] = float64(share)
		}
		p.count = shifted{count.Histogram(count.Octaves(), shares)}
	}
}
