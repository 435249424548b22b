package baseline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gophe/data/column"
	"gophe/data/sales"
	"gophe/phe/disk/filetest"

	"gonum.org/v1/gonum/floats"
)

// toy returns a stream of 400 sales of 7 products on 30 days, the last products with few sales: one of them with a
// single sale, on a scored day.
func toy(t *testing.T) *sales.Stream {
	r := rand.New(rand.NewPCG(1, 2))
	s := &sales.Sales{Name: "toy", Categorical: []column.Categorical{{Name: "StockCode"}, {Name: "CustomerID"}, {Name: "Country"}}}
	for product, sales := range []int{150, 110, 70, 40, 25, 4, 1} {
		minutes := make([]int32, sales)
		for i := range minutes {
			minutes[i] = int32(r.IntN(30 * 24 * 60))
		}
		if sales == 1 {
			minutes[0] = 20 * 24 * 60
		}
		slices.Sort(minutes)
		for _, minute := range minutes {
			customer := []string{"<NA>", "17850", "13047", "12583", "13748"}[r.IntN(5)]
			for i, item := range []string{fmt.Sprint(product), customer, "EIRE"} {
				s.Categorical[i].Values = append(s.Categorical[i].Values, item)
			}
			s.Minutes = append(s.Minutes, minute)
			s.Prices = append(s.Prices, 1)
			s.Quantities = append(s.Quantities, int32(math.Exp(1+1.5*r.NormFloat64()))+1)
		}
	}
	return filetest.Must(s.Daily(s.OverlappingWindows(10), 10))(t)
}

// forecastOf returns the forecast of one window by a baseline that has not been asked before, as numbers that can be compared bit by bit.
func forecastOf(name string, s *sales.Stream, window int32) []float64 {
	f := Forecasters(s)[slices.Index(SalesNames(), name)].Forecast(window)
	numbers := []float64{f.Median, f.Mean}
	for _, y := range []int{1, 2, 7, 100, 5000} {
		if f.Distribution != nil {
			numbers = append(numbers, f.Distribution.LogProbability(y), f.Distribution.CDF(y))
		}
	}
	return numbers
}

// withQuantities returns the stream with each quantity replaced that change tells, in a copy.
func withQuantities(s *sales.Stream, change func(row int) bool) *sales.Stream {
	sales, stream := *s.Sales, *s
	sales.Quantities = slices.Clone(sales.Quantities)
	for row, y := range sales.Quantities {
		if change(row) {
			sales.Quantities[row] = 3*y + 50
		}
	}
	stream.Sales = &sales
	return &stream
}

// TestForecastsKnowNoFuture: the quantities of the scored day and of later days change no bit of a forecast. The window's
// sales before the scored one are an exception: they may matter, and do.
func TestForecastsKnowNoFuture(t *testing.T) {
	s := toy(t)
	single, moved := 0, make(map[string]bool)
	for step, windows := range s.Steps {
		for i, window := range windows {
			w := int(window)
			if !s.Windows.IsPadded(w) && i > 1 {
				continue // two whole windows a day, and all padded ones
			}
			lags := s.Windows.Rows[w*10+int(s.Windows.Padding[w]) : w*10+9]
			if len(lags) == 0 {
				single++
			}
			future := withQuantities(s, func(row int) bool {
				return s.Sales.Day(row) >= s.Days[step] && !slices.Contains(lags, int32(row))
			})
			past := withQuantities(s, func(row int) bool { return s.Sales.Day(row) < s.Days[step] || slices.Contains(lags, int32(row)) })
			if future.Sales.Quantities[s.Windows.Last(w)] == s.Sales.Quantities[s.Windows.Last(w)] {
				t.Fatal("the test leaves the scored quantity as it is")
			}
			for _, name := range SalesNames() {
				want := forecastOf(name, s, window)
				filetest.Want(t, forecastOf(name, future, window), want,
					"%s, day %d, window %d, with another future", name, s.Days[step], w)
				filetest.True(t, !floats.HasNaN(want), "%s, day %d, window %d: %v", name, s.Days[step], w, want)
				moved[name] = moved[name] || !reflect.DeepEqual(forecastOf(name, past, window), want)
			}
		}
	}
	for _, name := range filetest.Some(t, SalesNames(), "rules of sales") {
		filetest.True(t, moved[name], "%s: the past moves nothing", name)
	}
	filetest.True(t, single != 0, "no product of a single sale is scored; choose another day for it")
}

// TestObservesAllSales: at each step all sales of earlier days are known, whether the stream keeps their windows or not.
func TestObservesAllSales(t *testing.T) {
	s := toy(t)
	r := &spy{}
	f := Forecaster{rule: r, ledger: newLedger(s)}
	for step, windows := range s.Steps {
		before := 0
		for row := range s.Sales.NumRows() {
			if s.Sales.Day(row) < s.Days[step] {
				before++
			}
		}
		for _, window := range windows {
			if f.Forecast(window); r.observed != before {
				t.Fatalf("day %d: %d sales observed, want %d", s.Days[step], r.observed, before)
			}
		}
	}
}

// spy is a rule that counts.
type spy struct{ observed int }

func (s *spy) observe(int, line, int) { s.observed++ }

func (s *spy) forecast(line, []float64) Forecast { return Forecast{} }

func TestWindowRules(t *testing.T) {
	earlier := []float64{1, 1, 2, 12, 3, 1, 1, 24, 6}
	h := newHistory(1, 1)
	h.observe(0, line{}, 5)
	for name, want := range map[string][2]float64{ // of nine sales, of none: the median of all
		"Last value": {6, 5}, "Mean of nine": {51.0 / 9, 5}, "Median of nine": {2, 5}, "Exponential smoothing": {40.1649 / 6.1258, 5},
	} {
		i := slices.Index(SalesNames(), name)
		say := baselines()[i].build(1, 1).(*pointRule).say
		filetest.Near(t, say(h, line{}, earlier), want[0], 1e-4, "%s", name)
		filetest.Want(t, say(h, line{}, nil), want[1], "%s of none", name)
	}
	filetest.Want(t, medianOfNine(earlier[:4]), 1.5, "median of four")
}

func TestFallbacks(t *testing.T) {
	h, nine := newHistory(3, 4), []float64{7, 7, 9}
	for _, sale := range []struct {
		line
		quantity int
	}{{line{0, 0, false}, 4}, {line{0, 0, false}, 6}, {line{1, 0, false}, 10}, {line{0, 1, true}, 100}, {line{1, 2, false}, 20}} {
		h.observe(0, sale.line, sale.quantity)
	}
	for _, test := range []struct {
		what      string
		got, want float64
	}{
		{"product", productMedian(h, line{0, 3, false}, nil), 6}, // 4, 6, 100
		{"new product", productMedian(h, line{2, 0, false}, nil), 10},
		{"customer", h.customerMedian(line{2, 0, false}, 1), 6},
		{"customer of one sale", h.customerMedian(line{1, 2, false}, 3), 15}, // the product's 10, 20
		{"new customer, new product", h.customerMedian(line{2, 3, false}, 1), 10},
		{"pair", productCustomerLast(h, line{0, 0, false}, nine), 6},
		{"pair of one sale", productCustomerLast(h, line{1, 2, false}, nine), 20},
		{"pair without a customer's name", productCustomerLast(h, line{0, 1, true}, nine), 7},
		{"new pair", productCustomerLast(h, line{2, 0, false}, nine), 6},
		{"new pair of a customer of one sale", productCustomerLast(h, line{2, 2, false}, nine), 7},
	} {
		filetest.Want(t, test.got, test.want, "%s", test.what)
	}
}

func TestTally(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var running tally
	var all []float64
	for range 300 {
		y := int(math.Exp(4*r.Float64())) * 3
		running.add(y)
		all = append(all, float64(y))
		slices.Sort(all)
		filetest.Want(t, running.median(), (all[(len(all)-1)/2]+all[len(all)/2])/2, "median of %d", len(all))
	}
}

// TestCounting compares the counting rule with the same rule written plainly: all counts multiplied by the discount day after day.
func TestCounting(t *testing.T) {
	const discount, power, numCells = 0.9, 0.7, 95
	type sale struct {
		day, customer, quantity int
	}
	sales := []sale{{0, 0, 12}, {0, 1, 1}, {3, 0, 12}, {3, 0, 24}, {4, 1, 2}, {9, 1, 700}}
	c := newCounting(1, 3, discount, power)
	var all [numCells]float64
	var customers [3][numCells]float64
	day := 0
	for _, s := range sales {
		for ; day < s.day; day++ {
			floats.Scale(discount, all[:])
			floats.Scale(discount, customers[0][:])
			floats.Scale(discount, customers[1][:])
		}
		c.observe(s.day, line{0, int32(s.customer), false}, s.quantity)
		k := cells.Of(s.quantity)
		all[k]++
		customers[s.customer][k]++
	}
	for customer := range customers {
		p := make([]float64, numCells)
		n, ofCustomer := floats.Sum(all[:]), floats.Sum(customers[customer][:])
		for k := range p {
			usual := (all[k] + 0.5) / (n + 0.5*numCells)
			product, buyer := (all[k]+10*usual)/(n+10), (customers[customer][k]+10*usual)/(ofCustomer+10)
			p[k] = product * math.Pow(buyer/usual, power)
		}
		floats.Scale(1/floats.Sum(p), p)
		f := c.forecast(line{0, int32(customer), false}, nil)
		for _, y := range []int{1, 2, 5, 12, 24} {
			filetest.Near(t, f.Distribution.LogProbability(y), math.Log(p[cells.Of(y)]), 1e-12, "customer %d, log P(%d)", customer, y)
		}
	}
}

func TestGammaPoisson(t *testing.T) {
	g := newGammaPoisson(2, 0.5)
	for _, y := range []int{8, 4, 2} { // discounted: sum 2 + 4/2 + 8/4 = 6, sales 1.75
		g.observe(0, line{}, y)
	}
	usual := 15.0 / 4
	f := g.forecast(line{}, nil)
	filetest.Near(t, f.Mean, (6+2*usual)/3.75, 1e-12, "mean")
	shape, success := 6+2*usual, 3.75/4.75
	filetest.Near(t, f.Distribution.LogProbability(0), shape*math.Log(success), 1e-12, "log P(0)")
	filetest.Near(t, g.forecast(line{product: 1}, nil).Mean, usual, 1e-12, "a new product's mean")
}

func ExampleForecasters() {
	values := func(name string, all ...string) column.Categorical {
		return column.Categorical{Name: name, Values: all}
	}
	sold := &sales.Sales{
		Categorical: []column.Categorical{values("StockCode", "84077", "84077", "84077"), values("CustomerID", "17850", "17850", "17850")},
		Quantities:  []int32{48, 24, 12},
		Minutes:     []int32{500, 600, 1500}, // two on the first day, one on the next
	}
	stream := &sales.Stream{Sales: sold, Windows: sold.OverlappingWindows(3), Steps: [][]int32{{0}}, Days: []int{1}}
	for _, f := range Forecasters(stream) {
		if slices.Contains([]string{"Last value", "Mean of nine", "Product × customer last"}, f.Name) {
			fmt.Printf("%s: %v\n", f.Name, f.Forecast(0).Median)
		}
	}
	// Output:
	// Last value: 24
	// Mean of nine: 36
	// Product × customer last: 24
}
