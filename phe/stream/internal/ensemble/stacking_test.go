package ensemble

import (
	"math"
	"testing"

	"gophe/phe/stream/schema"
)

// What came last are running means: k equal labels leave (1 − 1/m)ᵏ of the first value of a window of m rows.
func TestRecentLabels(t *testing.T) {
	const k, classes = 7, 3
	made := func(kind schema.TargetKind, classes int) Part {
		parts, inputs := newStacking(1, schema.Target{Kind: kind, Classes: make([]string, classes)}, true, Ablation{})
		r := Row{Label: Label{Known: true, Y: 1, Weight: 1}, share: 1}
		r.Predictions.Main.Inputs = make([]float64, inputs)
		r.Predictions.Main.Inputs[inputs-1] = 1 // a number's deviation
		for range k {
			parts[0].Learn(&r)
		}
		return parts[0]
	}
	two, several := made(schema.Classes, 2).(*binaryStacking), made(schema.Classes, classes).(*classStacking)
	number := made(schema.Amount, 0).(*numberStacking)
	for i, m := range windows {
		left := math.Pow(1-1/m, k)
		for name, c := range map[string]struct{ got, want float64 }{
			"two classes":   {two.recent.labels[i], 1 - left/2},
			"three classes": {several.recent.labels[i*classes+1], 1 - left*(1-1./classes)},
			"a number":      {number.recent.labels[i], 1}, // the first row's
		} {
			if !(math.Abs(c.got-c.want) < 1e-12) {
				t.Errorf("%s: the window of %g rows has %g, want %g", name, m, c.got, c.want)
			}
		}
	}
}

// Nothing is surer than one in ten million: log-odds are at most ±ln(10⁷ − 1).
func TestSurest(t *testing.T) {
	most := math.Log(1e7 - 1)
	for p, want := range map[float64]float64{0: -most, 1e-9: -most, 1e-7: -most, 2e-7: math.Log(2e-7 / (1 - 2e-7)), 0.5: 0, 1: most} {
		if got := logit(p); !(math.Abs(got-want) < 1e-6) {
			t.Errorf("the log-odds of %g are %g, want %g", p, got, want)
		}
	}
}
