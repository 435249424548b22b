// Package baseline forecasts the sales of Online Retail as a practitioner would without a neural network: by the last
// values, by running medians, and by counting. The paper compares embeddings with each other only. These rules
// show the worth of a learned forecast. The baselines of classes and of ratings are in package task.
package baseline

import (
	"slices"
	"strings"

	"gophe/data/sales"
	"gophe/phe/count"

	"github.com/pkg/errors"
)

// Forecast is a baseline's forecast of one window: its median and, for some rules, a distribution.
// The mean of a forecast without a distribution equals its median.
type Forecast struct {
	Median, Mean float64
	Distribution count.Distribution // nil where the baseline gives a point only
}

// Run takes a baseline, one of Names, along a stream of days: at each step it forecasts every window, then it observes
// the sales of that day, and of the days until the next step's. The first step finds all sales before its day observed.
//
// A forecast knows the sales of earlier days, including sales in windows that the stream leaves out. It knows the window's
// own sales before the scored one, which may be of the same day, and the product and the customer of the scored sale.
// The quantity to forecast never reaches a rule. The repetitions that pad a window do not count as sales: where a
// product has one sale only, its padding is the answer.
//
// Run calls forecast window by window, and window is an index into s.Windows. It stops at the first error of forecast,
// which it returns as it is.
func Run(name string, s *sales.Stream, forecast func(step, window int, f Forecast) error) error {
	l, err := newLedger(s)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(baselines(), func(b named) bool { return b.name == name })
	if i < 0 {
		return errors.Errorf("unknown baseline %q; there are %s", name, strings.Join(SalesNames(), ", "))
	}
	return run(baselines()[i].build(l.products, l.customers), l, s, forecast)
}

// rule forecasts quantities from those it has observed, day after day.
type rule interface {
	observe(day int, l line, quantity int)
	// forecast is given the product's latest quantities up to the moment of the line, the last one last. There may be none.
	forecast(l line, earlier []float64) Forecast
}

// run is Run for a rule.
func run(r rule, l *ledger, s *sales.Stream, forecast func(step, window int, f Forecast) error) error {
	rows := l.byDay()
	for step, windows := range s.Steps {
		for len(rows) > 0 {
			row := int(rows[0])
			day := l.sales.Day(row)
			if day >= s.Days[step] {
				break
			}
			r.observe(day, l.lines[row], int(l.sales.Quantities[row]))
			rows = rows[1:]
		}
		for _, i := range windows {
			f := r.forecast(l.lines[s.Windows.Last(int(i))], l.earlier(s.Windows, int(i)))
			if err := forecast(step, int(i), f); err != nil {
				return err
			}
		}
	}
	return nil
}
