package ensemble

import (
	"math"
	"testing"

	"gophe/phe/stream/schema"
)

// A narrow density to the power of a weight is infinite, and a wide one 0. The models still get the weights of Bayes' rule, in which only
// ratios count.
func TestNarrowDensities(t *testing.T) {
	for _, variance := range []float64{1e-40, 1, 1e40} {
		m := &mixture{kind: schema.Amount, weights: []float64{0.5, 0.25, 0.25}, odds: make([]float64, 3)}
		wide := Prediction{Mean: 0, Variance: variance}
		narrow := Prediction{Mean: 0, Variance: variance / 1.1} // √1.1 as dense at its mean
		m.Learn(&Row{Label: Label{Known: true, Weight: 30}, Predictions: Predictions{Experts: []Prediction{wide, narrow}, BaseRate: wide}})
		odds := 0.25 / 0.5 * math.Pow(1.1, 30./2)
		want := (1-shareOut)*odds/(1+odds+0.5) + shareOut/3
		if got := m.weights[1]; !(math.Abs(got-want) < 1e-12) {
			t.Errorf("of variance %g, the narrower model has the weight %g, want %g", variance, got, want)
		}
	}
}

// The variance of the base rate remembers the numbers before a change of scale. So it counts as three units at most, once there is a unit
// that follows.
func TestOldVariance(t *testing.T) {
	for _, test := range []struct {
		follows bool
		spread  float64
		want    float64
	}{{true, 2, (1 + away*away*4) / 2.}, {true, 0, 500.5}, {false, 2, 500.5}, {true, 100, 500.5}} {
		r := &Row{known: unit{Spread: test.spread}, Predictions: Predictions{Experts: []Prediction{{Variance: 1}},
			BaseRate: Prediction{Variance: 1000}}}
		newMixture(schema.Amount, 1, test.follows).Forecast(r)
		wantNear(t, "mixture: variance", r.Predictions.Main.Variance, test.want)
	}
}
