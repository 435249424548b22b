package picture

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"gophe/data/files"
	"gophe/data/sales"
	"gophe/experiments/result/fixture"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec"
	"gophe/figures/draw/drawtest"
	"gophe/notebooks/play"
	"gophe/notebooks/show"
	"gophe/phe/count"
	"gophe/phe/disk/filetest"
)

// retail reads the sales once for all tests.
var retail = sync.OnceValues(func() (*sales.Sales, error) { return sales.Load(files.Options{}) })

// december is the notebook's stream of Retail, cut after some days, with forecasts of two rules.
func december(t testing.TB, days int) *Fans {
	all := filetest.Must(retail())(t)
	stream := filetest.Must(all.Daily(all.OverlappingWindows(10), 19))(t)
	stream.Steps, stream.Days = stream.Steps[:days], stream.Days[:days]
	var dates []string
	for _, day := range stream.Days {
		dates = append(dates, sales.Start.AddDate(0, 0, day).Format("2 January 2006"))
	}
	fans := newFans(stream, dates, 3)
	fans.rules("Product histogram", "Counting rule", "Median of nine")
	return fans
}

// Each kept sale has the forecasts of all rules, in the order of time.
func TestFans(t *testing.T) {
	fans := december(t, 20)
	if got := strings.Join(fans.Products, " "); got != "85123A 22720 22423" {
		t.Errorf("the products are %s", got)
	}
	for name, list := range fans.Sales {
		for i, s := range list {
			if len(s.Forecasts) != 3 || i > 0 && (s.Window <= list[i-1].Window || s.Day < list[i-1].Day) {
				t.Fatalf("%s, sale %d: %+v", name, i, s)
			}
		}
	}
}

// Two days on, the fan has the sales of two more days. The range of nine in ten holds the median.
func TestFanPicture(t *testing.T) {
	fans := december(t, 6)
	at := play.NewPosition(play.Player("day", 1, 6, 4), play.Choice("product", fans.Products...), play.Choice("forecast", "Product histogram", "Counting rule"))
	count := func(name string, at play.Position) (sold int) {
		for text := range drawtest.ByText(t, fans.Draw(at), name) {
			if strings.HasPrefix(text, "sold, ") {
				sold++
			}
		}
		return sold
	}
	before, after := count("fan-4", at), count("fan-6", at.With("day", 6))
	want := [2]int{}
	for _, s := range fans.Sales["85123A"] {
		if s.Day < 4 {
			want[0]++
		}
		want[1]++
	}
	if before != want[0] || after != want[1] || before == after {
		t.Errorf("%d and %d sales are drawn, want %v", before, after, want)
	}
	narrow, wide := fans.Draw(at.With("forecast", "Counting rule")), fans.Draw(at)
	if !strings.Contains(narrow.Caption, "85123A, Counting rule, until 23 December 2010: ") || narrow.Caption == wide.Caption {
		t.Errorf("captions %q and %q", narrow.Caption, wide.Caption)
	}
	if empty := (&Fans{Days: []string{"today"}}).Draw(play.NewPosition(play.Player("day", 1, 1, 1), play.Choice("product", "a"), play.Choice("forecast", "b"))); !strings.Contains(empty.Caption, "Nobody buys a") {
		t.Errorf("caption %q", empty.Caption)
	}
}

// Quantiles are the smallest counts with enough probability.
func TestFanQuantiles(t *testing.T) {
	law := count.Poisson(3, 30)
	quantiles := fanQuantiles(baseline.Forecast{Distribution: law})
	for i, q := range quantiles {
		if law.CDF(int(q)) < fanLevels[i] || q > 1 && law.CDF(int(q)-1) >= fanLevels[i] {
			t.Errorf("quantile %g is %g", fanLevels[i], q)
		}
	}
	if quantiles[2] != law.Quantile(0.5) {
		t.Errorf("the median is %g, want %g", quantiles[2], law.Quantile(0.5))
	}
}

// The distribution has its probabilities, and each quantity has a point.
func TestQuantities(t *testing.T) {
	marks := drawtest.ByText(t, Quantities([]float64{25, 50, 0.25}, "law", func(y float64) float64 { return y / 100 }), "quantities")
	drawtest.Has(t, marks, "Online Retail, 2: 50", "Online Retail, 3: 0.2500", "law, 3: 3")
}

// An item that comes early and late is early.
func TestNewcomers(t *testing.T) {
	early, later := Newcomers([]string{"a", "b", "c", "a", "d", "d"}, func(row int) bool { return row < 2 })
	if early != 2 || later != 2 {
		t.Errorf("%d early and %d later, want 2 and 2", early, later)
	}
}

// Two specs are columns, and each choice is a row.
func TestFilterChoices(t *testing.T) {
	online, forecast := show.Must(spec.Load("retail-online")), show.Must(spec.Load("retail-forecast"))
	df := FilterChoices(online, forecast)
	if names := df.Names(); names[len(names)-1] != "retail-forecast" {
		t.Errorf("columns %v", names)
	}
	page := fmt.Sprint(df.Records())
	fixture.WantText(t, page, "reconstruction", "pack-sizes", "all-columns", "1009", "109")
}
