package score

import (
	"math"
	"testing"
)

// near tells whether two numbers are equal up to rounding. NaN equals NaN.
func near(a, b float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-12*max(1, math.Abs(b))
}

// TestOfClasses compares with scores computed by hand. certain is the largest log-loss, and sure the smallest.
func TestOfClasses(t *testing.T) {
	certain, sure := 6*math.Ln10, -math.Log1p(-1e-6)
	nan := math.NaN()
	for _, c := range []struct {
		name                  string
		p                     []float64
		class                 int
		logLoss, brier, right float64
	}{
		{"second of two", []float64{0.2, 0.8}, 1, -math.Log(0.8), 0.04, 1},
		{"first of two", []float64{0.2, 0.8}, 0, -math.Log(0.2), 0.64, 0},
		{"even odds go to the first", []float64{0.5, 0.5}, 0, math.Ln2, 0.25, 1},
		{"even odds miss the second", []float64{0.5, 0.5}, 1, math.Ln2, 0.25, 0},
		{"right for certain", []float64{0, 1}, 1, sure, 0, 1},
		{"wrong for certain", []float64{0, 1}, 0, certain, 1, 0},
		{"just above the bound", []float64{2e-6, 1 - 2e-6}, 0, -math.Log(2e-6), (1 - 2e-6) * (1 - 2e-6), 0},
		{"first of three", []float64{0.5, 0.3, 0.2}, 0, math.Ln2, 0.25 + 0.09 + 0.04, 1},
		{"last of three", []float64{0.5, 0.3, 0.2}, 2, -math.Log(0.2), 0.25 + 0.09 + 0.64, 0},
		{"tie of three", []float64{0.2, 0.4, 0.4}, 1, -math.Log(0.4), 0.04 + 0.36 + 0.16, 1},
		{"three, wrong for certain", []float64{1, 0, 0}, 1, certain, 2, 0},
		{"three, right for certain", []float64{0, 0, 1}, 2, sure, 0, 1},
		{"NaN of two", []float64{nan, nan}, 0, certain, 1, 0},
		{"NaN of three", []float64{nan, 0.5, 0.5}, 1, certain, 2, 0},
		{"infinite", []float64{0, math.Inf(1), 0}, 1, certain, 2, 0},
	} {
		o := OfClasses(c.p, c.class)
		if !near(o.LogLoss, c.logLoss) || !near(o.Brier, c.brier) || o.Right != c.right {
			t.Errorf("%s: %+v, want log-loss %g, Brier %g, right %g", c.name, o, c.logLoss, c.brier, c.right)
		}
		if rest := (Outcome{LogLoss: o.LogLoss, Brier: o.Brier, Right: o.Right}); rest != o {
			t.Errorf("%s: %+v has scores that are not of classes", c.name, o)
		}
	}
}

// TestOfNumber compares with scores computed by hand, also where the error or its square would overflow.
func TestOfNumber(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name               string
		mean, low, high, y float64
		want               Outcome
	}{
		{"inside", 10, 8, 12, 11.5, Outcome{Absolute: 1.5, Square: 2.25, Covered: 1}},
		{"below", 10, 8, 12, 7, Outcome{Absolute: 3, Square: 9}},
		{"on the lower end", 10, 8, 12, 8, Outcome{Absolute: 2, Square: 4, Covered: 1}},
		{"on the upper end", 10, 8, 12, 12, Outcome{Absolute: 2, Square: 4, Covered: 1}},
		{"exact", -1, -1, -1, -1, Outcome{Covered: 1}},
		{"no number", nan, nan, nan, 0, Outcome{Absolute: maxError, Square: maxError * maxError}},
		{"infinite", -inf, -inf, inf, 0, Outcome{Absolute: maxError, Square: maxError * maxError, Covered: 1}},
		{"square overflows", 0, -1, 1, 1e200, Outcome{Absolute: maxError, Square: maxError * maxError}},
		{"difference overflows", -1e308, -1e308, 0, 1e308, Outcome{Absolute: maxError, Square: maxError * maxError}},
	} {
		if o := OfNumber(c.mean, c.low, c.high, c.y); o != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, o, c.want)
		}
	}
}

// TestOfCount compares with scores computed by hand. A log probability of −∞ gives the largest log-loss, and NaN gives none.
func TestOfCount(t *testing.T) {
	for _, c := range []struct {
		name           string
		logProbability float64
		want           Outcome
	}{
		{"known", -2.5, Outcome{LogLoss: 2.5, Absolute: 3, Square: 9, Covered: 1}},
		{"certain", 0, Outcome{Absolute: 3, Square: 9, Covered: 1}},
		{"impossible", math.Inf(-1), Outcome{LogLoss: 700, Absolute: 3, Square: 9, Covered: 1}},
		{"not known", math.NaN(), Outcome{Unknown: 1, Absolute: 3, Square: 9, Covered: 1}},
	} {
		if o := OfCount(c.logProbability, 4, 0, 7, 7); o != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, o, c.want)
		}
	}
	if o := OfCount(-1, math.NaN(), 0, 7, 8); o.Absolute != maxError || o.Covered != 0 || o.LogLoss != 1 {
		t.Errorf("a median that is no number: %+v", o)
	}
}
