package baseline

import (
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"gophe/data/files"
	"gophe/data/sales"
	"gophe/experiments/result/resulttest"
	"gophe/phe/disk/filetest"
)

// figures of a baseline on the authors' stream of Retail. Padded windows are left out but where errors are capped.
type figures struct {
	whole, rows float64 // absolute error of the median: averaged over a day's windows and then over days, and over all windows
	capped      float64 // as whole, each error at most 100
	mean        float64 // absolute error of the mean, as whole
	nll         float64 // negative log likelihood, averaged over windows; 0 without a distribution
}

// measure runs a rule along the stream.
func measure(s *sales.Stream, build func(products, customers int) rule) (sum figures) {
	l := newLedger(s)
	rule := Forecaster{rule: build(l.products, l.customers), ledger: l}
	windows, days := 0.0, float64(len(s.Steps))
	for _, step := range s.Steps {
		var day figures
		n := 0.0
		for _, window := range step {
			y, f := float64(s.Sales.Quantities[s.Windows.Last(int(window))]), rule.Forecast(window)
			day.capped += min(100, math.Abs(f.Median-y))
			if s.Windows.IsPadded(int(window)) {
				continue
			}
			n++
			day.whole += math.Abs(f.Median - y)
			day.mean += math.Abs(f.Mean - y)
			if f.Distribution != nil {
				sum.nll -= f.Distribution.LogProbability(int(y))
			}
		}
		sum.capped += day.capped / float64(len(step)) / days
		sum.whole += day.whole / n / days
		sum.mean += day.mean / n / days
		sum.rows += day.whole
		windows += n
	}
	sum.rows /= windows
	sum.nll /= windows
	return sum
}

// TestRetail compares the baselines with the results of another program (in Python), to its decimals.
func TestRetail(t *testing.T) {
	sales := filetest.Must(sales.Load(files.Options{}))(t)
	s := filetest.Must(sales.Daily(sales.OverlappingWindows(10), 62))(t)
	for i, test := range []struct {
		named
		want      figures // 0: not measured there, or by another rule
		tolerance float64
	}{
		{named{name: "Last value"}, figures{12.53, 12.29, 9.62, 12.53, 0}, 0.005},
		{named{name: "Mean of nine"}, figures{11.00, 10.81, 9.27, 11.00, 0}, 0.005},
		{named{name: "Median of nine"}, figures{8.28, 8.16, 6.73, 8.28, 0}, 0.005},
		{named{name: "Exponential smoothing"}, figures{10.99, 10.80, 9.27, 10.99, 0}, 0.005},
		{named{name: "Product median"}, figures{8.12, 8.02, 6.56, 8.12, 0}, 0.005},
		{named{name: "Customer median"}, figures{7.26, 7.04, 6.01, 7.26, 0}, 0.005}, // our own; the other program's follows at the end
		{named{name: "Customer median from 3 sales"}, figures{7.16, 6.96, 5.97, 7.16, 0}, 0.005},
		{named{name: "Product × customer last"}, figures{6.43, 6.24, 5.32, 6.43, 0}, 0.005},
		{named{name: "Gamma–Poisson filter"}, figures{0, 0, 0, 10.39, 0}, 0.005},
		{named{name: "Product histogram"}, figures{8.13, 8.02, 6.56, 0, 2.021}, 0.005},
		{named{name: "Counting rule"}, figures{6.01, 5.87, 4.85, 0, 1.749}, 0.015}, // ours 5.998 and 1.7466
		{named{"Customer median, for a new customer that of all", func(products, customers int) rule {
			return &pointRule{newHistory(products, customers), func(h *history, l line, _ []float64) float64 {
				if h.customers[l.customer].n == 0 {
					return h.median()
				}
				return h.customers[l.customer].median()
			}}
		}}, figures{7.60, 7.34, 6.35, 7.60, 0}, 0.005},
	} {
		if i < len(SalesNames()) {
			test.named = baselines()[i]
		}
		t.Run(test.name, func(t *testing.T) {
			if !slices.Contains([]string{"Last value", "Customer median", "Counting rule"}, test.name) && !filetest.Long() {
				t.Skip("one rule of each kind does; GOPHE_TEST=long takes all")
			}
			start := time.Now()
			got := measure(s, test.build)
			t.Logf("%+.3f in %.1f s", got, time.Since(start).Seconds())
			w := test.want
			for _, pair := range [][2]float64{{got.whole, w.whole}, {got.rows, w.rows}, {got.capped, w.capped}, {got.mean, w.mean},
				{got.nll, w.nll}} {
				filetest.True(t, pair[1] == 0 || math.Abs(pair[0]-pair[1]) <= test.tolerance, "%.4f, want %.3f", pair[0], pair[1])
			}
		})
	}
}

// Each pack is a cell, and each cell begins where the one before ends.
func TestCells(t *testing.T) {
	c := Cells()
	filetest.Want(t, c.Len(), 95, "cells")
	for y, want := range map[int]int{1: 0, 2: 1, 50: 49, 51: 50, 59: 50, 60: 51, 61: 52, 71: 56, 599: 92, 600: 93, 601: 94, 80995: 94,
		1 << 60: 94} {
		filetest.Want(t, c.Of(y), want, "cell of %d", y)
	}
	for y := 1; y < 1000; y++ { // each cell begins where the one before ends
		step := c.Of(y+1) - c.Of(y)
		filetest.True(t, step == 0 || step == 1, "from %d on, %d cells further", y, step)
	}
	defer func() {
		filetest.True(t, recover() != nil, "0 has a cell")
	}()
	c.Of(0)
}

// TestRecount finds packs, and the exponent of count's last cell, again in the sales before 2011-02-01.
func TestRecount(t *testing.T) {
	lines, sold := resulttest.Retail(), map[int]int{}
	const quantity, date = 3, 4
	filetest.Must(lines.Read())(t) // the header; below it dates never decrease
	for line := filetest.Must(lines.Read())(t); line[date] < "2011-02-01"; line = filetest.Must(lines.Read())(t) {
		sold[filetest.Must(strconv.Atoi(line[quantity]))(t)]++
	}
	var common []int
	logs, large := 0.0, 0
	for y, n := range sold {
		if y > singles && n >= 7 {
			common = append(common, y)
		}
		if y > packs[len(packs)-1] {
			logs += float64(n) * math.Log(float64(y)/(float64(packs[len(packs)-1])+0.5)) // Hill's estimate, of rounded values
			large += n
		}
	}
	slices.Sort(common)
	filetest.True(t, slices.Equal(common, packs), "sold at least 7 times: %v, declared %v", common, packs)
	filetest.Want(t, [3]int{sold[300], sold[408], sold[720]}, [3]int{6, 6, 6}, "times that 300, 408, 720 were sold")
	filetest.Want(t, large, 38, "times that more than 600 were sold")
	last, first := Cells().Len()-1, float64(packs[len(packs)-1]+1)
	declared := math.Log(1-Cells().Within(last).CDF(10_000)) / math.Log(first/10_001) // P(Y > y) = (first/(y+1))^exponent
	filetest.Near(t, declared, float64(large)/logs, 0.05, "the declared tail exponent, and the likeliest")
}
