// Package baseline forecasts the sales of Online Retail as a practitioner would without a neural network: by the last
// values, by running medians, and by counting. The paper compares embeddings with each other only. These rules
// show the worth of a learned forecast. The baselines of classes and of ratings are in package task.
package baseline

import (
	"gophe/data/sales"
	"gophe/phe/count"
)

// Forecast is a baseline's forecast of one window: its median and, for some rules, a distribution.
// The mean of a forecast without a distribution equals its median.
type Forecast struct {
	Median, Mean float64
	Distribution count.Distribution // nil where the baseline gives a point only
}

// Forecaster takes a baseline along a stream of days. A forecast knows the sales of earlier days, including sales in windows that the
// stream leaves out. It knows the window's own sales before the scored one, which may be of the same day, and the product and the
// customer of the scored sale. The quantity to forecast never reaches a rule. The repetitions that pad a window do not count as
// sales: where a product has one sale only, its padding is the answer.
type Forecaster struct {
	Name string
	rule
	*ledger
	next int // number of rows of byDay that the rule has observed, in whole days
}

// rule forecasts quantities from those it has observed, day after day.
type rule interface {
	observe(day int, l line, quantity int)
	// forecast is given the product's latest quantities up to the moment of the line, the last one last. There may be none.
	forecast(l line, earlier []float64) Forecast
}

// Forecasters returns the baselines in the order of SalesNames. None has seen a sale.
func Forecasters(s *sales.Stream) (all []*Forecaster) {
	l := newLedger(s)
	for _, b := range baselines() {
		all = append(all, &Forecaster{Name: b.name, rule: b.build(l.products, l.customers), ledger: l})
	}
	return all
}

// Forecast forecasts the last sale of a window, by its index in the stream's windows. All sales of earlier days are observed before. Ask
// for windows day after day.
func (f *Forecaster) Forecast(window int32) Forecast {
	last := f.windows.Last(int(window))
	for today := f.sales.Day(int(last)); f.next < len(f.byDay); f.next++ {
		row := f.byDay[f.next]
		day := f.sales.Day(int(row))
		if day >= today {
			break
		}
		f.observe(day, f.lines[row], int(f.sales.Quantities[row]))
	}
	return f.forecast(f.lines[last], f.earlier(int(window)))
}
