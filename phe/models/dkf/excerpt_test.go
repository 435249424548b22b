package dkf_test

import (
	"testing"

	"gophe/phe"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn/learntest"
	"gophe/phe/models/dkf"
)

// A batch that is not pinned goes to the device window by window, with the rows of its items alone. It is learned and predicted
// as a pinned one, also where its windows share events. Noise is laid out by the number of windows that a call is padded to, 64
// without a pin. The two draw the same noise where a pinned batch is padded to 64 too. They also do where a forecast draws nothing
// but one latent a window: under a point estimate, with one sample.
func TestUnpinnedEqualsPinned(t *testing.T) {
	if nettest.Brief(t) {
		t.Skip("ten seconds of compilation; the contract of unseen items has unpinned batches")
	}
	d := overlapping(toyData(12, byItem)) // 34 windows
	for _, c := range []struct {
		name   string
		most   int // windows that a call on the pinned batch is padded to
		change func(*dkf.Config)
	}{
		{"PHE, all columns, samples", 64, func(c *dkf.Config) {
			c.Scope, c.TrainSamples, c.TestSamples, c.HistorySamples = phe.AllColumns, 2, 6, 3
		}},
		{"P-EE, incremental column, rows", 64, func(c *dkf.Config) { vocabulary(c); c.Scheme = phe.Fresh }},
		{"Ada, all parameters", 10, func(c *dkf.Config) { c.Encoder.Estimate, c.Scope = phe.Point, phe.AllParameters }},
		{"EE, all columns", 10, func(c *dkf.Config) { vocabulary(c); c.Encoder.Estimate, c.Scope = phe.Point, phe.AllColumns }},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := learning(dkf.Histogram)
			c.change(&config)
			config.BatchSize = 8
			pinned := newLearner(t, config, d, c.most, 4, 5)
			unpinned := pinned.Forked(t, 4, 5)
			for _, call := range []struct {
				name string
				do   func(l learntest.Led) error
			}{
				{"two epochs", func(l learntest.Led) error { return l.Fit(upTo(20), 2) }},
				{"more epochs, and their end", func(l learntest.Led) error { defer l.Settle(); return l.Fit(upTo(20), 4) }},
				{"an update", func(l learntest.Led) error { return l.Update([]int32{20, 21, 22, 24, 27, 33}, 3) }},
				{"an update of more windows than a step", func(l learntest.Led) error { return l.Update(upTo(33)[23:], 2) }},
				{"an update of one window", func(l learntest.Led) error { return l.Update([]int32{7}, 4) }},
			} {
				check(t, unpinned.Restore(snapshot(t, pinned))) // differences of one call only
				check(t, call.do(pinned))
				check(t, call.do(unpinned))
				want, got := snapshot(t, pinned), snapshot(t, unpinned)
				if want.Counts != got.Counts {
					t.Errorf("%s: pinned, the learner counts %+v, and not pinned %+v", call.name, want.Counts, got.Counts)
				}
				const tolerance = 1e-5 // sums may be rounded otherwise, by 1e-7, and Adam divides that by the size of small gradients
				nettest.Same(t, call.name+": parameters", got.Parameters, want.Parameters, tolerance)
				windows := []int32{30, 3, 31, 32, 3}
				nettest.Same(t, call.name+": forecasts", [][]float32{predict(t, unpinned, windows, 2)}, [][]float32{predict(t, pinned, windows, 2)}, tolerance)
			}
		})
	}
}
