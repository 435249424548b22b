package score

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestError compares with errors computed by hand.
func TestError(t *testing.T) {
	for _, c := range []struct {
		name string
		rows []forecast
		want float64
	}{
		{"no rows", nil, math.NaN()},
		{"too high", []forecast{{0.8, 1, 1}, {0.8, 0, 1}}, 0.3},
		{"too low", []forecast{{0.2, 1, 1}, {0.2, 0, 1}}, 0.3},
		{"right", []forecast{{0.5, 1, 1}, {0.5, 0, 1}}, 0},
		{"certain and right", []forecast{{1, 1, 1}, {0, 0, 1}}, 0},
		{"certain and wrong", []forecast{{1, 0, 1}, {0, 1, 1}}, 1},
		{"bins do not make up for each other", []forecast{{0.1, 1, 1}, {0.9, 0, 1}}, 0.9},
		{"rows of a bin do", []forecast{{0.91, 0, 1}, {0.92, 1, 10}}, (0.91 + 9.2 - 10) / 11},
		{"weights ½ and 3", []forecast{{0.25, 1, 0.5}, {0.75, 1, 3}}, (0.5*0.75 + 3*0.25) / 3.5},
		{"NaN is left out", []forecast{{math.NaN(), 1, 1}, {0.8, 1, 1}}, 0.2},
		{"outside of 0 to 1", []forecast{{1.5, 1, 1}, {-0.5, 0, 1}}, 0},
	} {
		var calibration Calibration
		for _, row := range c.rows {
			calibration.AddProbability(row.probability, row.class == 1, row.weight)
		}
		if got := calibration.Error(); !near(got, c.want) {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
		throughJSON(t, calibration)
	}
}

// TestBins: each bin takes the probabilities from its lower end on, and the last bin takes 1 too.
func TestBins(t *testing.T) {
	for bin := range calibrationBins {
		low, high := float64(bin)/calibrationBins, float64(bin+1)/calibrationBins
		for _, p := range []float64{low, (low + high) / 2, high - 1e-9} {
			if got := calibrationBin(p); got != bin {
				t.Errorf("%g is in bin %d, want %d", p, got, bin)
			}
		}
	}
	if got := calibrationBin(1); got != calibrationBins-1 {
		t.Errorf("1 is in bin %d", got)
	}
}

// TestAddTransform compares with weights computed by hand.
func TestAddTransform(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name             string
		from, to, weight float64
		want             map[int]float64
	}{
		{"a point", 0.32, 0.32, 3, map[int]float64{6: 3}},
		{"within a bin", 0.31, 0.34, 0.5, map[int]float64{6: 0.5}},
		{"two bins", 0.04, 0.09, 1, map[int]float64{0: 0.2, 1: 0.8}},
		{"three bins", 0.86, 0.96, 4, map[int]float64{17: 1.6, 18: 2, 19: 0.4}},
		{"one bin exactly", 0.5, 0.55, 1, map[int]float64{10: 1}},
		{"the lowest point", 0, 0, 1, map[int]float64{0: 1}},
		{"the highest point", 1, 1, 1, map[int]float64{19: 1}},
		{"rounding turns the interval around", 0.3, math.Nextafter(0.3, 0), 1, map[int]float64{6: 1}},
		{"NaN", nan, nan, 1, map[int]float64{}},
		{"half NaN", nan, 0.5, 1, map[int]float64{}},
		{"the other half NaN", 0.5, nan, 1, map[int]float64{}},
	} {
		var calibration Calibration
		calibration.AddTransform(c.from, c.to, c.weight)
		for bin, got := range calibration.Weight {
			if want := c.want[bin]; !near(got, want) {
				t.Errorf("%s: bin %d has %g, want %g", c.name, bin, got, want)
			}
		}
	}
	for _, ends := range [][2]float64{{0, 1}, {-1e-16, math.Nextafter(1, 2)}, {-1, 2}, {math.Inf(-1), math.Inf(1)}} {
		var whole Calibration
		whole.AddTransform(ends[0], ends[1], calibrationBins)
		for bin, got := range whole.Weight {
			if !near(got, 1) {
				t.Errorf("from %g to %g: bin %d has %g, want 1", ends[0], ends[1], bin, got)
			}
		}
	}
}

// TestCalibratedCounts: if counts follow the forecast exactly, all bins have exactly equal weights. The distribution is geometric,
// P(Y = y) = (1 − q) q^y, and each count comes with its probability as weight.
func TestCalibratedCounts(t *testing.T) {
	for _, q := range []float64{0.01, 0.3, 0.9, 0.999} {
		var calibration Calibration
		for from, power := 0., 1.; power > 1e-18; power *= q {
			to := 1 - power*q
			calibration.AddTransform(from, to, to-from)
			from = to
		}
		for bin, got := range calibration.Weight {
			if math.Abs(got-1./calibrationBins) > 1e-12 {
				t.Errorf("q = %g: bin %d has %g, want 1/20", q, bin, got)
			}
		}
	}
}

// TestWeightKept: for any interval, the bins gain the row's weight.
func TestWeightKept(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 100_000 {
		from, to := r.Float64(), r.Float64()
		if r.IntN(2) == 0 { // ends of bins
			from, to = math.Round(20*from)/20, math.Round(20*to)/20
		}
		var calibration Calibration
		calibration.AddTransform(min(from, to), max(from, to), 3)
		sum := 0.
		for _, w := range calibration.Weight {
			sum += w
		}
		if !near(sum, 3) {
			t.Fatalf("from %g to %g: weight %g, want 3", from, to, sum)
		}
	}
}
