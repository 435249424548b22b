package onepass

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
)

// TestFlat learns random records by flat rows and by cells. Forecasts and tables must be the same.
func TestFlat(t *testing.T) {
	names := []string{"a", "b", "same", "opposite", "number", "list", "few"}
	for _, c := range []struct {
		name   string
		memory int
		head   Head
		change func(*Config)
		twins  bool
	}{
		{"pairs", 64 << 10, Bernoulli, func(*Config) {}, false},
		{"pairs that share items", 64 << 10, Bernoulli, func(*Config) {}, true},
		{"few buckets, which cells of a row share", 1 << 10, Bernoulli, func(*Config) {}, true},
		{"a number", 16 << 10, Gaussian, func(c *Config) { c.Clip = 5 }, true},
		{"pairs are dropped", 16 << 10, Bernoulli, func(c *Config) { c.Kept = 17 }, false},
		{"two hashes without pairs", 8 << 10, Bernoulli, nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			shape := Shape{Columns: len(names), Memory: c.memory, Head: c.head, Interactions: Pairs}
			if c.change == nil {
				shape.Interactions = None
			}
			config := Stream(shape)
			config.Keys, config.Seed = hash.Quick, 7
			if c.change != nil {
				c.change(&config)
			}
			flat, cells := filetest.Must(NewEncoder(config, names))(t), filetest.Must(NewEncoder(config, names))(t)
			if !flat.flat {
				t.Fatal("the rows are not flat")
			}
			cells.flat = false
			encoders := []*Encoder{flat, cells}
			learners := []*Model{filetest.Must(New(config))(t), filetest.Must(New(config))(t)}
			for _, e := range encoders {
				if c.twins {
					e.Same(2, 0, false)
					e.Same(3, 1, true)
				}
			}
			random := rand.New(rand.NewPCG(3, 4))
			for row := range 1500 {
				record := randomRecord(random)
				y, weight := float64(random.IntN(2)), 1.0
				if row%7 == 3 {
					weight = 2.5
				}
				var forecasts []Forecast
				for i, e := range encoders {
					record(e)
					r := e.Row()
					f := learners[i].Predict(r)
					f.Classes = append([]float64(nil), f.Classes...)
					if forecasts = append(forecasts, f); weight == 1 {
						if g := learners[i].Step(r, y); g.Mean != f.Mean {
							t.Fatalf("row %d: Step forecasts %g and Predict %g", row, g.Mean, f.Mean)
						}
					} else {
						learners[i].LearnWeighted(r, y, weight)
					}
					learners[i].Choose(e)
				}
				if !reflect.DeepEqual(forecasts[0], forecasts[1]) {
					t.Fatalf("row %d: %+v by a flat row, and %+v by cells", row, forecasts[0], forecasts[1])
				}
			}
			if !reflect.DeepEqual(learners[0].Beliefs(), learners[1].Beliefs()) {
				t.Error("the beliefs differ")
			}
			if config.Kept > 0 && (len(flat.pairs) != config.Kept || !reflect.DeepEqual(flat.pairs, cells.pairs)) {
				t.Errorf("%d pairs are left, and %d by cells", len(flat.pairs), len(cells.pairs))
			}
		})
	}
}

// randomRecord returns a function that gives a record to an encoder.
func randomRecord(random *rand.Rand) func(*Encoder) {
	items := make([][]string, 7)
	for c := range items {
		n := 1
		switch {
		case random.IntN(5) == 0:
			n = 0
		case c == 5:
			n = 1 + random.IntN(4)
		}
		for range n {
			items[c] = append(items[c], fmt.Sprint(random.IntN(1+random.IntN(40))))
		}
	}
	x, quantile := random.NormFloat64(), random.IntN(quantiles)
	return func(e *Encoder) {
		for c, list := range items {
			switch {
			case c != 4:
				for _, item := range list {
					e.Item(c, item)
				}
			case len(list) > 0:
				e.Number(c, x)
				e.Quantile(c, quantile)
			}
		}
	}
}

// A row from another encoder's row is the row of a copied record.
func TestRowFrom(t *testing.T) {
	names := []string{"a", "b", "same", "opposite", "number", "list", "few"}
	pairs, plain := Stream(Shape{Columns: len(names), Interactions: Pairs}), Stream(Shape{Columns: len(names), Interactions: None})
	pairs.Keys, plain.Keys = hash.Quick, hash.Quick
	first, copied, follower := filetest.Must(NewEncoder(pairs, names))(t), filetest.Must(NewEncoder(plain, names))(t), filetest.Must(NewEncoder(plain, names))(t)
	if !follower.follows(first) || first.follows(follower) {
		t.Fatal("an encoder without pairs follows one with pairs")
	}
	random := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		randomRecord(random)(first)
		copied.copy(first)
		want, got := copied.Row().Flat, &Row{}
		follower.rowFrom(got, first.Row())
		if !reflect.DeepEqual(got.Flat.Cells, want.Cells) || !reflect.DeepEqual(got.Flat.Slots, want.Slots) || got.Flat.Apart != want.Apart {
			t.Fatalf("%+v, want %+v", got.Flat, want)
		}
	}
}

func TestLogarithms(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float64, 4096), make([]float64, 4096)
	for round := range 100 {
		for i := range x {
			switch p := random.Float64(); round % 3 {
			case 0:
				x[i] = p / (1 - p)
			case 1:
				x[i] = math.Float64frombits(random.Uint64N(0x7fe<<52-1<<52) + 1<<52)
			default:
				x[i] = math.Ldexp(math.Sqrt2*(1+float64(random.IntN(9)-4)*0x1p-52), random.IntN(20)-10)
			}
		}
		copy(y, x)
		logarithms(y)
		for i, v := range x {
			if want := math.Log(v); math.Abs(want-y[i]) > 1e-15*math.Abs(want) {
				t.Fatalf("log %v is %v, want %v", v, y[i], want)
			}
		}
	}
}
