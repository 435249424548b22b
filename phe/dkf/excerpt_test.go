package dkf_test

import (
	"math"
	"slices"
	"testing"

	"gophe/phe"
	"gophe/phe/dkf"
	"gophe/phe/learn"
	"gophe/phe/phetest"
)

// A batch that is not pinned goes to the device window by window, with the rows of its items alone. It is learned and predicted
// as a pinned one, also where its windows share events. Noise is laid out by the number of windows that a call is padded to, so
// that the two agree where there is none: under a point estimate, with latents that hardly vary.
func TestUnpinnedEqualsPinned(t *testing.T) {
	if phetest.Brief(t) {
		t.Skip("ten seconds of compilation; the contract of unseen items has unpinned batches")
	}
	d := overlapping(toyData(12, byItem)) // 34 windows
	for name, change := range map[string]func(*dkf.Config){
		"Ada, all columns":       func(c *dkf.Config) { c.Scope = phe.AllColumns },
		"Ada, all parameters":    func(c *dkf.Config) { c.Scope = phe.AllParameters },
		"EE, incremental column": vocabulary,
	} {
		t.Run(name, func(t *testing.T) {
			c := learning(dkf.Histogram)
			change(&c)
			c.Encoder.Estimate, c.BatchSize = phe.Point, 8
			pinned := newLearner(t, c, d, 10, 4, 5)
			fork, err := pinned.Fork([]int64{4, 5})
			check(t, err)
			t.Cleanup(fork.Close)
			all, err := newModel(t, c).Batch(d)
			check(t, err)
			unpinned := phetest.Led{Learner: fork, All: all}
			check(t, pinned.Restore(calm(newModel(t, c), snapshot(t, pinned))))
			for _, call := range []struct {
				name string
				do   func(l phetest.Led) error
			}{
				{"two epochs", func(l phetest.Led) error { return l.Fit(upTo(20), 2) }},
				{"more epochs, and their end", func(l phetest.Led) error { defer l.Settle(); return l.Fit(upTo(20), 4) }},
				{"an update", func(l phetest.Led) error { return l.Update([]int32{20, 21, 22, 24, 27, 33}, 3) }},
				{"an update of more windows than a step", func(l phetest.Led) error { return l.Update(upTo(33)[23:], 2) }},
				{"an update of one window", func(l phetest.Led) error { return l.Update([]int32{7}, 4) }},
			} {
				check(t, unpinned.Restore(snapshot(t, pinned))) // differences of one call only
				check(t, call.do(pinned))
				check(t, call.do(unpinned))
				want, got := snapshot(t, pinned), snapshot(t, unpinned)
				if want.Counts.Updates != got.Counts.Updates || want.Counts.FitSteps != got.Counts.FitSteps {
					t.Errorf("%s: pinned, the learner counts %+v, and not pinned %+v", call.name, want.Counts, got.Counts)
				}
				near(t, call.name+": parameter", got.Parameters, want.Parameters)
				windows := []int32{30, 3, 31, 32, 3}
				near(t, call.name+": forecasts", [][]float32{predict(t, unpinned, windows, 2)}, [][]float32{predict(t, pinned, windows, 2)})
			}
		})
	}
}

// near compares numbers to roundings of 1e-7 that Adam divides by the size of small gradients.
func near(t *testing.T, name string, got, want [][]float32) {
	t.Helper()
	for list := range want {
		if len(got[list]) != len(want[list]) {
			t.Fatalf("%s %d has %d numbers, pinned %d", name, list, len(got[list]), len(want[list]))
		}
		largest := 0.0
		for i, v := range want[list] {
			largest = max(largest, math.Abs(float64(got[list][i]-v)))
		}
		if !(largest <= 1e-5) {
			t.Errorf("%s %d differs by %g", name, list, largest)
		}
	}
}

// calm returns a snapshot of a model with a layer in the transition, in which every z has a standard deviation of e^−30.
func calm(m *dkf.Model, s learn.Snapshot) learn.Snapshot {
	const posterior, transition = 2, 4 // the maps that end in means and log σ
	theta := len(s.Parameters) - len(m.Weights())
	for _, k := range []int{posterior, transition} {
		for i, value := range []float32{0, -30} { // weights, bias
			list := slices.Clone(s.Parameters[theta+2*k+i])
			for row := range slices.Chunk(list, 2*m.Latent) {
				for j := m.Latent; j < 2*m.Latent; j++ {
					row[j] = value
				}
			}
			s.Parameters[theta+2*k+i] = list
		}
	}
	return s
}
