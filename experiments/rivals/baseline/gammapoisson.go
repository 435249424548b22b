package baseline

import "gophe/phe/count"

// gammaPoisson models a product's sales as Poisson draws with a gamma prior on the rate. The posterior's shape is the sum of quantities and
// its rate the number of sales. Old sales are discounted by discount^(sales since). priorWeight sales of the mean quantity are added. The
// forecast is a negative binomial distribution, whose dispersion is the shape.
//
// That distribution is far too narrow for Retail, where one product sells in singles and by the dozen: 11.1 nats a sale, where
// the same means with a dispersion of 0.7 have 3.2. Sales vary far more than the uncertainty about their rate.
type gammaPoisson struct {
	discount   float64
	sum, sales []float64 // [products]
	allSum     float64
	all        float64
}

const priorWeight = 2

func newGammaPoisson(products int, discount float64) *gammaPoisson {
	return &gammaPoisson{discount: discount, sum: make([]float64, products), sales: make([]float64, products)}
}

func (g *gammaPoisson) observe(_ int, l line, quantity int) {
	g.allSum += float64(quantity)
	g.all++
	g.sum[l.product] = g.discount*g.sum[l.product] + float64(quantity)
	g.sales[l.product] = g.discount*g.sales[l.product] + 1
}

func (g *gammaPoisson) forecast(l line, _ []float64) Forecast {
	mean := (g.allSum + 1) / (g.all + 1) // an imagined sale of 1 makes it a number from the start
	shape, rate := g.sum[l.product]+priorWeight*mean, g.sales[l.product]+priorWeight
	d := count.NegativeBinomial([]float64{shape / rate}, []float64{shape})
	return Forecast{d.Quantile(0.5), d.Mean(), d}
}
