package baseline

import (
	"math"

	"gophe/phe/count"

	"gonum.org/v1/gonum/floats"
)

// counting is naive Bayes on histograms over Cells: p ∝ p_product·(p_customer/p_all)^power. All counts are
// discounted by the day. The power is below 1 because product and customer tell in part the same.
type counting struct {
	discount, power     float64
	weight              float64 // of a sale of the latest day: discount^−day, instead of multiplying old counts each day
	all                 histogram
	products, customers []histogram
	rates               []float64 // [cells], the probabilities of all; nil when sales have been added since
}

const (
	priorSales = 10  // sales spread as all are, added to the histogram of each item: a Dirichlet prior
	priorCell  = 0.5 // sales added to each cell of the histogram of all (Jeffreys)
)

func newCounting(products, customers int, discount, power float64) *counting {
	return &counting{discount: discount, power: power, weight: 1,
		products: make([]histogram, products), customers: make([]histogram, customers)}
}

func (c *counting) observe(day int, l line, quantity int) {
	c.weight = math.Pow(c.discount, -float64(day))
	cell := cells.Of(quantity)
	for _, h := range []*histogram{&c.all, &c.products[l.product], &c.customers[l.customer]} {
		h.add(cell, c.weight)
	}
	c.rates = nil
}

func (c *counting) forecast(l line, _ []float64) Forecast {
	if c.rates == nil {
		c.rates = make([]float64, cells.Len())
		for k := range c.rates {
			c.rates[k] = c.all.smoothed(k, c.weight*priorCell*float64(cells.Len()), 1/float64(cells.Len()))
		}
	}
	p := make([]float64, cells.Len())
	for k, rate := range c.rates {
		p[k] = c.products[l.product].smoothed(k, c.weight*priorSales, rate)
		if c.power != 0 {
			p[k] *= math.Pow(c.customers[l.customer].smoothed(k, c.weight*priorSales, rate)/rate, c.power)
		}
	}
	floats.Scale(1/floats.Sum(p), p)
	h := count.Histogram(cells, p)
	return Forecast{h.Quantile(0.5), h.Mean(), h}
}

// histogram holds weights of cells; the zero value is empty.
type histogram struct {
	weights []float64 // [cells], nil if empty
	total   float64
}

func (h *histogram) add(cell int, weight float64) {
	if h.weights == nil {
		h.weights = make([]float64, cells.Len())
	}
	h.weights[cell] += weight
	h.total += weight
}

// smoothed returns the probability of a cell under a Dirichlet prior, given by its weight and its mean.
func (h *histogram) smoothed(cell int, priorWeight, priorMean float64) float64 {
	if h.weights == nil {
		return priorMean
	}
	return (h.weights[cell] + priorWeight*priorMean) / (h.total + priorWeight)
}
