package change

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/onepass"
)

func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// draw draws a class.
func draw(rng *rand.Rand, p []float64) int {
	u := rng.Float64()
	for k, q := range p[1:] {
		if u -= p[k]; u < 0 {
			return k
		} else if k+2 == len(p) {
			_ = q
		}
	}
	return len(p) - 1
}

// right are streams of forecasts that are right: each call returns the ratios of one more row.
func right() map[string]func(*rand.Rand) Ratios {
	two := func(odds func(*rand.Rand) float64) func(*rand.Rand) Ratios {
		return func(rng *rand.Rand) Ratios {
			p := sigmoid(odds(rng))
			return OfClasses([]float64{1 - p, p}, draw(rng, []float64{1 - p, p}))
		}
	}
	several := func(classes int, spread float64) func(*rand.Rand) Ratios {
		p := make([]float64, classes)
		return func(rng *rand.Rand) Ratios {
			for k := range p {
				p[k] = spread * rng.NormFloat64()
			}
			onepass.SoftmaxInto(p, p)
			return OfClasses(p, draw(rng, p))
		}
	}
	places, rows := NewPlaces(), int64(0)
	skewed := Places{0.01, 0.9, 0.09}
	return map[string]func(*rand.Rand) Ratios{
		"log-odds N(0, 1)": two(func(rng *rand.Rand) float64 { return rng.NormFloat64() }),
		"log-odds N(0, 9)": two(func(rng *rand.Rand) float64 { return 3 * rng.NormFloat64() }),
		"rare":             two(func(rng *rand.Rand) float64 { return rng.NormFloat64() - 5 }),
		"sure":             two(func(rng *rand.Rand) float64 { return 8 * math.Copysign(1, rng.NormFloat64()) }),
		"3 classes":        several(3, 1),
		"12 classes":       several(12, 3),
		"numbers": func(rng *rand.Rand) Ratios {
			place := draw(rng, skewed[:])
			r := places.Ratios(place)
			places.Learn(place, rows)
			rows++
			return r
		},
	}
}

func TestQuietTmp(t *testing.T) {
	for name, next := range right() {
		rng := rand.New(rand.NewPCG(1, 2))
		a := Test{}
		most := 0.
		for row := range int64(1_000_000) {
			if a.Watches(row, row) {
				a.Add(next(rng), row+1, 0)
				s := 0.
				for _, v := range a.Sums { s += v/6 }
				most = max(most, s)
			}
		}
		t.Log(name, a.Alarms, most)
	}
	_ = json.Marshal
	_ = filetest.Check
}
