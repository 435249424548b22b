package score

import (
	"math"
	"math/rand/v2"
	"testing"
)

// forecast is a forecast of two classes and the class that came.
type forecast struct {
	probability float64
	class       int
	weight      float64
}

// pairwise returns the AUC by its definition: over all pairs of rows of different classes. Pairs that tie count half, and shared
// is the share of the pairs that do not tie but share a bin.
func pairwise(rows []forecast) (auc, shared float64) {
	all := 0.
	for _, one := range rows {
		for _, zero := range rows {
			if one.class == 0 || zero.class == 1 {
				continue
			}
			w := one.weight * zero.weight
			all += w
			switch distance := logit(one.probability) - logit(zero.probability); {
			case one.probability == zero.probability:
				auc += w / 2
			case distance > 0:
				auc += w
				fallthrough
			default:
				if math.Abs(distance) <= 2*curveRange/(curveBins-1) {
					shared += w
				}
			}
		}
	}
	return auc / all, shared / all
}

func logit(p float64) float64 { return math.Log(p / (1 - p)) }

func curveOf(rows []forecast) *Curve {
	c := &Curve{}
	for _, row := range rows {
		c.Add(row.probability, row.class, row.weight)
	}
	return c
}

// TestAUC compares with areas computed by hand.
func TestAUC(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name string
		rows []forecast
		want float64
	}{
		{"no rows", nil, nan},
		{"class 0 only", []forecast{{0.3, 0, 1}}, nan},
		{"class 1 only", []forecast{{0.3, 1, 1}}, nan},
		{"right order", []forecast{{0.3, 0, 1}, {0.4, 1, 1}}, 1},
		{"wrong order", []forecast{{0.3, 1, 1}, {0.4, 0, 1}}, 0},
		{"tie", []forecast{{0.3, 1, 1}, {0.3, 0, 1}}, 0.5},
		{"certain and right", []forecast{{1, 1, 1}, {0, 0, 1}}, 1},
		{"certain and wrong", []forecast{{0, 1, 1}, {1, 0, 1}}, 0},
		{"weights", []forecast{{0.2, 0, 3}, {0.5, 1, 0.5}, {0.8, 0, 1}, {0.9, 1, 1.5}}, (0.5*3 + 1.5*4) / 8},
		{"half of a tie's weight", []forecast{{0.5, 0, 3}, {0.5, 1, 2}, {0.1, 0, 1}}, (2*3/2. + 2) / 8},
		{"NaN is left out", []forecast{{nan, 0, 9}, {nan, 1, 9}, {0.3, 0, 1}, {0.4, 1, 1}}, 1},
		{"only NaN", []forecast{{nan, 0, 1}, {nan, 1, 1}}, nan},
		{"outside of 0 to 1", []forecast{{-1e-16, 0, 1}, {math.Nextafter(1, 2), 1, 1}}, 1},
		{"infinite", []forecast{{math.Inf(-1), 0, 1}, {math.Inf(1), 1, 1}}, 1},
	} {
		if got := curveOf(c.rows).AUC(); !near(got, c.want) {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
}

// TestPairwise: the area differs from the area over all pairs by at most half of the pairs that share a bin. On forecasts such as
// a model makes, this is less than 0.001.
func TestPairwise(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 2))
		var rows []forecast
		for range 1000 {
			p := 1 / (1 + math.Exp(-3*r.NormFloat64()))
			if r.IntN(4) == 0 {
				p = math.Round(10*p) / 10 // ties, and forecasts of exactly 0 and 1
			}
			class := 0
			if r.Float64() < 0.2+0.6*p {
				class = 1
			}
			rows = append(rows, forecast{p, class, []float64{0.5, 1, 3}[r.IntN(3)]})
		}
		want, shared := pairwise(rows)
		if got := curveOf(rows).AUC(); math.Abs(got-want) > min(shared/2+1e-12, 0.001) || want < 0.6 {
			t.Errorf("AUC %g, pair by pair %g, %g of the pairs share a bin", got, want, shared)
		}
	}
}

// TestCurveThroughJSON: a curve goes through JSON empty and filled, and its area stays the same.
func TestCurveThroughJSON(t *testing.T) {
	rows := []forecast{{0.2, 0, 1. / 3}, {0.7, 1, 0.5}, {0.7, 0, 3}, {0.9, 1, 0.1}}
	want, resumed := &Curve{}, Curve{}
	for _, row := range rows {
		resumed = throughJSON(t, resumed)
		want.Add(row.probability, row.class, row.weight)
		resumed.Add(row.probability, row.class, row.weight)
	}
	if a, b := want.AUC(), throughJSON(t, &resumed).AUC(); a != b || math.IsNaN(a) {
		t.Errorf("AUC %g, through JSON %g", a, b)
	}
}
