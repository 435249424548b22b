package ncf_test

import (
	"math"
	"testing"

	"gophe/phe/models/ncf"

	"gophe/phe/disk/filetest"
)

// Two components, 0.2 and 0.8, of deviation 0.3, at y = 0.5: one from the left and one from the right by a deviation each.
func TestPredictiveByHand(t *testing.T) {
	p := ncf.Recommender{StdDev: 0.3}.Forecast([]float32{0.2, 0.8})
	one := ncf.Recommender{StdDev: 0.3}.Forecast([]float32{0.2})
	const atOne = 0.8413447460685429 // Φ(1)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"mean", p.Mean(), 0.5},
		{"deviation", p.StdDev, 0.3},
		{"log density", p.LogDensity(0.5), -0.5 - math.Log(0.3) - 0.5*math.Log(2*math.Pi)},
		{"log density aside", p.LogDensity(0.8), math.Log((1+math.Exp(-2))/2) - math.Log(0.3) - 0.5*math.Log(2*math.Pi)},
		{"log density of one", one.LogDensity(0.2), -math.Log(0.3) - 0.5*math.Log(2*math.Pi)},
		{"CDF between", p.CDF(0.5), 0.5},
		{"CDF at a component", p.CDF(0.2), (0.5 + 1 - 0.977249868051821) / 2}, // Φ(0) and Φ(−2)
		{"CDF of one", one.CDF(0.5), atOne},
	} {
		if !(math.Abs(c.got-c.want) <= 1e-7) { // 0.2 and 0.8 are float32's
			t.Errorf("%s is %.9g, by hand %.9g", c.name, c.got, c.want)
		}
	}
	// Far in the tail the density is 0 to float64, and its logarithm is not.
	want := -0.5*math.Pow((30-0.8)/0.3, 2) - math.Log(2*0.3) - 0.5*math.Log(2*math.Pi)
	filetest.Near(t, p.LogDensity(30), want, 1e-2, "log density at 30")
}
