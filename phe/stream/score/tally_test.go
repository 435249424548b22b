package score

import (
	"math"
	"math/rand/v2"
	"testing"
)

// exact returns an outcome whose sums have no rounding: all of its numbers are multiples of 1/8 below 128.
func exact(r *rand.Rand) Outcome {
	eighth := func() float64 { return float64(r.IntN(1024)) / 8 }
	return Outcome{eighth(), float64(r.IntN(2)), eighth(), float64(r.IntN(2)), eighth(), eighth(), float64(r.IntN(2))}
}

// TestMeans compares the means with means computed by hand, for no rows, one row, and weights.
func TestMeans(t *testing.T) {
	nan := math.NaN()
	one := Outcome{LogLoss: 2, Brier: 0.5, Right: 1, Absolute: 3, Square: 9, Covered: 1}
	two := Outcome{LogLoss: 4, Brier: 0.1, Absolute: 1, Square: 1}
	unknown := Outcome{Unknown: 1, Absolute: 1, Square: 1}
	type row struct {
		o      Outcome
		weight float64
	}
	for _, c := range []struct {
		name                                          string
		rows                                          []row
		logLoss, brier, accuracy, mae, rmse, coverage float64
	}{
		{"no rows", nil, nan, nan, nan, nan, nan, nan},
		{"one row", []row{{one, 1}}, 2, 0.5, 1, 3, 3, 1},
		{"one row of weight ½", []row{{one, 0.5}}, 2, 0.5, 1, 3, 3, 1},
		{"two rows", []row{{one, 1}, {two, 1}}, 3, 0.3, 0.5, 2, math.Sqrt(5), 0.5},
		{"weights ½ and 3", []row{{one, 0.5}, {two, 3}}, 13 / 3.5, 0.55 / 3.5, 0.5 / 3.5, 4.5 / 3.5, math.Sqrt(7.5 / 3.5), 0.5 / 3.5},
		{"one loss of two not known", []row{{one, 0.5}, {unknown, 3}}, 2, 0.25 / 3.5, 0.5 / 3.5, 4.5 / 3.5, math.Sqrt(7.5 / 3.5), 0.5 / 3.5},
		{"no loss known", []row{{unknown, 0.1}, {unknown, 0.2}}, nan, 0, 0, 1, 1, 0},
	} {
		var tally Tally
		for _, r := range c.rows {
			tally.Add(r.o, r.weight)
		}
		got := [...]float64{tally.LogLoss(), tally.Brier(), tally.Accuracy(), tally.MAE(), tally.RMSE(), tally.Coverage()}
		for i, want := range [...]float64{c.logLoss, c.brier, c.accuracy, c.mae, c.rmse, c.coverage} {
			if !near(got[i], want) {
				t.Errorf("%s: mean %d is %g, want %g", c.name, i, got[i], want)
			}
		}
		if tally.Rows != int64(len(c.rows)) {
			t.Errorf("%s: %d rows", c.name, tally.Rows)
		}
	}
}

// TestMerge: tallies that are merged in any order and any groups equal the tally of all rows.
func TestMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		var all Tally
		list := make([]Tally, 1+r.IntN(20))
		for i := range list {
			for range r.IntN(5) {
				o, weight := exact(r), []float64{0.5, 1, 3}[r.IntN(3)]
				all.Add(o, weight)
				list[i].Add(o, weight)
			}
		}
		for len(list) > 1 {
			r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			last := len(list) - 1
			list[0].merge(list[last])
			list = list[:last]
		}
		if list[0] != all {
			t.Fatalf("merged %+v, added %+v", list[0], all)
		}
	}
}

// TestLargestError: the sums of the largest errors are finite, for more rows and weights than any stream has.
func TestLargestError(t *testing.T) {
	var tally Tally
	tally.Add(OfNumber(0, 0, 0, math.MaxFloat64), 1e6)
	for range 100 { // 2¹⁰⁰ rows
		tally.merge(tally)
	}
	if math.IsInf(tally.Sum.Square, 0) || !near(tally.RMSE(), maxError) {
		t.Errorf("RMSE %g of %+v", tally.RMSE(), tally)
	}
}

func TestSince(t *testing.T) {
	var all, before, later Tally
	for i := range 10 {
		o := OfClasses([]float64{0.25, 0.75}, i%2)
		all.Add(o, 2)
		if i < 4 {
			before.Add(o, 2)
		} else {
			later.Add(o, 2)
		}
	}
	got := all.Since(before)
	if got.Rows != 6 || got.Weight != 12 || math.Abs(got.LogLoss()-later.LogLoss()) > 1e-12 || math.Abs(got.Brier()-later.Brier()) > 1e-12 || got.Accuracy() != later.Accuracy() {
		t.Errorf("of the later rows %+v, want %+v", got, later)
	}
}
