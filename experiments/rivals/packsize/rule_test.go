package packsize

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gophe/data/files"
	"gophe/data/sales"
	"gophe/phe/count"
	"gophe/phe/disk/filetest"
)

// A customer who buys dozens will buy a dozen of a product that is new to her.
func Example() {
	shares := slices.Repeat([]float64{1}, Cells().Len())
	rule, err := newRule(Config{Contexts: ten, Slots: 1 << 12, Weights: 1 << 10, Levels: 1 << 8}, shares)
	if err != nil {
		fmt.Println(err)
		return
	}
	var d description
	for day := range 10 {
		for customer, quantity := range []int{1, 12} {
			rule.describe(&d, &line{product: uint64(day), customer: uint64(customer), country: 1, price: 2.55, minute: day * minutesPerDay, quantity: quantity}, nil)
			rule.Weigh(d.Row, quantity)
			rule.count(&d, quantity)
		}
	}
	for customer := range 2 {
		rule.describe(&d, &line{product: 99, customer: uint64(customer), country: 1, price: 2.55, minute: 10 * minutesPerDay}, nil)
		fmt.Println(rule.Forecast(d.Row).Quantile(0.5))
	}
	// Output:
	// 1
	// 12
}

// prototype is a small stream that another program, in Python, forecast and learned day by day.
type prototype struct {
	Product, Customer, Country, Minute, Quantity, Order, Start []int

	Anonymous []bool
	Price     []float64
	Cases     []struct {
		Name                   string
		Slots, Weights, Levels int
		Seed                   uint64
		Learned, Cell          []int
		P, Below, Within       []float64
	}
}

// Every forecast is the prototype's, from the sales to the median.
func TestPrototype(t *testing.T) {
	var g prototype
	err := json.Unmarshal(filetest.Unzip(t, "testdata/prototype.json.gz"), &g)
	if err != nil || len(g.Cases) != 2 {
		t.Fatalf("%d cases, %v", len(g.Cases), err)
	}
	cells := Cells()
	shares := slices.Repeat([]float64{0.2}, cells.Len())
	for _, i := range g.Order[:200] {
		shares[cells.Of(g.Quantity[i])]++
	}
	lines, first := make([]line, len(g.Quantity)), make([]int, len(g.Quantity))
	for i := range lines {
		lines[i] = line{uint64(g.Product[i]), uint64(g.Customer[i]), uint64(g.Country[i]), g.Anonymous[i], g.Price[i], g.Minute[i], g.Quantity[i]}
		first[i] = i
		if i > 0 && g.Product[i] == g.Product[i-1] {
			first[i] = first[i-1]
		}
	}
	for _, c := range g.Cases {
		contexts := map[string]string{"small": ten, "full": nineteen}[c.Name]
		rule := filetest.Must(newRule(Config{Contexts: contexts, Slots: c.Slots, Weights: c.Weights, Levels: c.Levels, Seed: c.Seed}, shares))(t)
		for day := range g.Start[1:] {
			rows := g.Order[g.Start[day]:g.Start[day+1]]
			described := make([]description, len(rows))
			for k, i := range rows {
				rule.describe(&described[k], &lines[i], lines[first[i]:i])
			}
			for k, i := range rows {
				d, y := rule.Forecast(described[k].Row), g.Quantity[i]
				if p := math.Exp(d.LogProbability(y) - cells.LogWithin(y)); math.Abs(p/c.P[i]-1) > 1e-6 {
					t.Fatalf("%s, day %d, row %d: %.9g, want %.9g", c.Name, day, i, p, c.P[i])
				}
				if want := cells.QuantileWithin(c.Cell[i], c.Within[i]); d.Quantile(0.5) != want {
					t.Fatalf("%s, day %d, row %d: median %v, want %v", c.Name, day, i, d.Quantile(0.5), want)
				}
			}
			for k, i := range rows {
				if c.Learned[i] == 1 {
					rule.Weigh(described[k].Row, g.Quantity[i])
				}
			}
			for k, i := range rows {
				if c.Learned[i] == 1 {
					rule.count(&described[k], g.Quantity[i])
				}
			}
		}
	}
}

func TestNothingAllocates(t *testing.T) {
	rule := filetest.Must(newRule(Config{Contexts: nineteen, Slots: 1 << 12, Weights: 1 << 10, Levels: 1 << 8}, slices.Repeat([]float64{1}, Cells().Len())))(t)
	lines := make([]line, 20)
	for i := range lines {
		lines[i] = line{1, uint64(i % 3), 1, false, 2.5, i, i + 1}
	}
	var d description
	sum := 0.
	if n := testing.AllocsPerRun(100, func() {
		rule.describe(&d, &lines[19], lines[:19])
		f := rule.Forecast(d.Row)
		sum += f.Quantile(0.5) + f.LogProbability(20)
		rule.Weigh(d.Row, 20)
		rule.count(&d, 20)
	}); n != 0 {
		t.Errorf("%v allocations a sale", n)
	}
}

func TestRefusals(t *testing.T) {
	good := Config{Contexts: seven, Slots: 1 << 10, Weights: 1 << 8, Levels: 1 << 6}
	for _, c := range []struct {
		change func(c *Config)
		want   string
	}{
		{func(c *Config) { c.Contexts = "eleven" }, `contexts is "eleven"`},
		{func(c *Config) { c.Levels = 100 }, "levels is 100"},
		{func(c *Config) { c.Levels = 0 }, "levels is 0"},
		{func(c *Config) { c.Learns = "nothing" }, `learns is "nothing"`},
		{func(c *Config) { c.Slots = 100 }, "100 slots"},
		{func(c *Config) { c.Memory = 100 }, "memory is 100"},
		{func(c *Config) { c.Contexts = byColumns }, "memory 0, slots 1024"},
	} {
		bad := good
		c.change(&bad)
		if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
}

// run returns the medians of a step's windows, along all steps of a stream.
func run(t testing.TB, c Config, s *sales.Stream, step int) map[int32]float64 {
	t.Helper()
	medians := map[int32]float64{}
	counter := filetest.Must(New(c, s))(t)
	for at, windows := range s.Steps {
		filetest.Check(t, counter.Forecast(windows, func(window int32, f count.Distribution) {
			if median := f.Quantile(0.5); at == step {
				medians[window] = median
			}
		}))
		filetest.Check(t, counter.Learn(windows))
	}
	return medians
}

// retail returns the days of Retail from a day on, all earlier ones being initial.
func retail(t testing.TB, firstDay int) *sales.Stream {
	t.Helper()
	sales := filetest.Must(sales.Load(files.Options{}))(t)
	return filetest.Must(sales.Daily(sales.OverlappingWindows(10), firstDay))(t)
}

// The sales of a day do not tell the day's forecasts: if each product's last sale of the day and all later sales change, no
// median of the day moves.
func TestNoLeak(t *testing.T) {
	s := retail(t, 10)
	const step = 2
	s.Steps, s.Days = s.Steps[:step+1], s.Days[:step+1]
	altered, changed := *s.Sales, 0
	altered.Quantities = slices.Clone(s.Sales.Quantities)
	codes := s.Sales.Categorical[s.Sales.Incremental].Values
	for row, q := range altered.Quantities {
		day := s.Sales.Day(row)
		last := row+1 == len(codes) || codes[row+1] != codes[row] || s.Sales.Day(row+1) != day
		switch {
		case day > s.Days[step]:
			altered.Quantities[row] = 7
		case day == s.Days[step] && last:
			altered.Quantities[row] = 3*q + 50
			changed++
		}
	}
	other := *s
	other.Sales = &altered
	for _, c := range []Config{{Contexts: seven, Slots: 1 << 15, Weights: 1 << 13, Levels: 1 << 11}, {Contexts: byColumns, Memory: 1 << 19}} {
		was, is := run(t, c, s, step), run(t, c, &other, step)
		if len(was) != 1253 || len(is) != 1253 || changed < 500 {
			t.Fatalf("%s: %d windows, %d sales changed", c.Contexts, len(was), changed)
		}
		for window, median := range was {
			if is[window] != median {
				t.Errorf("%s, window %d: %v has become %v", c.Contexts, window, median, is[window])
			}
		}
	}
}

func BenchmarkRetail(b *testing.B) {
	s := retail(b, 62)
	for b.Loop() {
		run(b, Config{Contexts: ten, Slots: 1 << 20, Weights: 1 << 18, Levels: 1 << 14}, s, -1)
	}
}
