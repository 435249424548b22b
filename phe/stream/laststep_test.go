package stream

import (
	"math"
	"testing"

	"gophe/phe/stream/schema"
)

// What came last are running means: k equal labels leave (1 − 1/m)ᵏ of the first value of a window of m rows.
func TestRecentLabels(t *testing.T) {
	const k, rate = 7, 0.3
	classes := func(n int) schema.Target { return schema.Target{Kind: schema.Classes, Classes: make([]string, n)} }
	known := &scale{Spread: 1}
	for name, c := range map[string]struct {
		target schema.Target
		recent func(lastStep) *recent
		first  float64 // before any row
		to     float64 // the label
	}{
		"two classes":   {classes(2), func(s lastStep) *recent { return &s.(*twoStep).recent }, 0.5, 1},
		"three classes": {classes(3), func(s lastStep) *recent { return &s.(*severalStep).recent }, 1. / 3, 1},
		"a number":      {schema.Target{Kind: schema.Amount}, func(s lastStep) *recent { return &s.(*numberStep).recent }, 0, 1},
	} {
		step := newLastStep(1, c.target, known, ablation{})
		one, class := prediction{Variance: 1}, 0
		if n := len(c.target.Classes); n > 0 {
			for o := range n {
				one.Classes = append(one.Classes, rate)
				one.Classes[o] = []float64{1 - rate*float64(n-1), rate}[min(o, 1)]
			}
			class = 1
		}
		for range k {
			p := &predictions{Main: one.kept(), Experts: []prediction{one}, BaseRate: one}
			step.forecast(p)
			step.learn(p.Main.Inputs, 1, 1, 1, 1)
		}
		r := c.recent(step)
		for i, m := range windows {
			left := math.Pow(1-1/m, k)
			if c.target.Kind == schema.Amount { // the first rows have the mean as it is
				left = 0
			}
			want := left*c.first + (1-left)*c.to
			at := i*r.outputs + min(class, r.outputs-1)
			if got := r.labels[at]; !(math.Abs(got-want) < 1e-12) {
				t.Errorf("%s: the window of %g rows has %g, want %g", name, m, got, want)
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
