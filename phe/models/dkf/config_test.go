package dkf_test

import (
	"cmp"
	"math"
	"testing"
	"time"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/models/dkf"
)

// filter makes everything that learns from data: a model, a batch, and a learner.
func filter(t *testing.T, c dkf.Config, d dkf.Data) error {
	t.Helper()
	m, err := dkf.New(c)
	if err != nil {
		return err
	}
	l, err := learn.New(m.Network, m.Config.Config, learn.Options{Backend: nettest.Backend(t), MaxUpdated: 2})
	if err != nil {
		return err
	}
	defer l.Close()
	b, err := m.Batch(d)
	return cmp.Or(err, l.Pin(b))
}

// A damaged configuration is refused by what would be right, and so is data that does not fit, on the host: an accelerator would clamp its
// indices in silence.
func TestRefuses(t *testing.T) {
	filetest.Check(t, dkf.Paper().Validate())
	filetest.Check(t, filter(t, toyConfig(), toyData(4, randomCounts())))
	for _, c := range []struct {
		right  string
		damage func(*dkf.Config, *dkf.Data)
	}{
		{`"reconstruction" (the authors' program) or "forecast"`, func(c *dkf.Config, _ *dkf.Data) { c.Prediction = "" }},
		{`"poisson", "negative-binomial" or "histogram"`, func(c *dkf.Config, _ *dkf.Data) { c.Likelihood = "gaussian" }},
		{`"elbo", "mean-elbo" or "predictive"`, func(c *dkf.Config, _ *dkf.Data) { c.Objective = "mse" }},
		{`"with-gap" (the paper) or "without-gap"`, func(c *dkf.Config, _ *dkf.Data) { c.Transition = "" }},
		{`"raw", "logarithms" or "relative"`, func(c *dkf.Config, _ *dkf.Data) { c.Inputs = "log" }},
		{"at least 1 (the authors take 20)", func(c *dkf.Config, _ *dkf.Data) { c.Hidden = 0 }},
		{"at least 1 (the authors take 20)", func(c *dkf.Config, _ *dkf.Data) { c.Latent = -1 }},
		{"0 (a linear map) or more", func(c *dkf.Config, _ *dkf.Data) { c.TransitionHidden = -1 }},
		{"0 (a linear map) or more", func(c *dkf.Config, _ *dkf.Data) { c.EmissionHidden = -1 }},
		{"divide test_samples", func(c *dkf.Config, _ *dkf.Data) { c.TestSamples, c.HistorySamples = 16, 3 }},
		{"below 1", func(c *dkf.Config, _ *dkf.Data) { c.ItemDropout = 1 }},
		{"0 or more", func(c *dkf.Config, _ *dkf.Data) { c.ItemDropout = -0.1 }},
		{"0 or more", func(c *dkf.Config, _ *dkf.Data) { c.ItemDropout = math.NaN() }},
		{`use it with prediction "forecast"`, func(c *dkf.Config, _ *dkf.Data) { c.Objective = dkf.Predictive }},
		{`use scheme "local"`, func(c *dkf.Config, _ *dkf.Data) { c.Scheme = phe.Moments }},
		{`use scheme "local"`, func(c *dkf.Config, _ *dkf.Data) { c.Scheme = phe.Quadrature }},
		{"that is no bound", func(c *dkf.Config, _ *dkf.Data) { c.Loss = phe.LogAverage }},

		{"at least 2 events", func(c *dkf.Config, d *dkf.Data) { c.Length = 1 }},
		{"1 column", func(c *dkf.Config, d *dkf.Data) { c.Columns = nil }},
		{"1 number", func(c *dkf.Config, d *dkf.Data) { c.Numbers = 0 }},
		{"count from 0", func(c *dkf.Config, d *dkf.Data) { c.Incremental = 2 }},
		{"count from 0", func(c *dkf.Config, d *dkf.Data) { c.Incremental = -1 }},
		{"an index of 23 cells", func(c *dkf.Config, d *dkf.Data) { d.Index = d.Index[1:] }},
		{`input "numbers" has 11 values for 12 events`, func(c *dkf.Config, d *dkf.Data) { d.Numbers = d.Numbers[1:] }},
		{`input "times" has 11 values for 12 events`, func(c *dkf.Config, d *dkf.Data) { d.Times = d.Times[1:] }},
		{"multiple of 3", func(c *dkf.Config, d *dkf.Data) { d.Windows = d.Windows[1:] }},
		{"positive one for each", func(c *dkf.Config, d *dkf.Data) { c.Maxima = []float32{} }},
		{"positive one for each", func(c *dkf.Config, d *dkf.Data) { c.Maxima = []float32{0} }},
		{"at least a tick", func(c *dkf.Config, d *dkf.Data) { c.GapUnit = time.Second }},
		{"above 0", func(c *dkf.Config, d *dkf.Data) { c.Tick = -1 }},
		{"above 0", func(c *dkf.Config, d *dkf.Data) { c.MaxGaps = -1 }},
		{"above 0", func(c *dkf.Config, d *dkf.Data) { c.MaxGaps = math.NaN() }},
		{"one of the 12 items", func(c *dkf.Config, d *dkf.Data) { d.Index[3] = 12 }},
		{"one of the 12 items", func(c *dkf.Config, d *dkf.Data) { d.Index[0] = -1 }},
		{"the batch has 12 events", func(c *dkf.Config, d *dkf.Data) { d.Windows[5] = 12 }},
		{"the batch has 12 events", func(c *dkf.Config, d *dkf.Data) { d.Windows[5] = -1 }},
		{"at least 0", func(c *dkf.Config, d *dkf.Data) { d.Counts[1] = -1 }},
		{"at least 0", func(c *dkf.Config, d *dkf.Data) { d.Counts[1] = float32(math.NaN()) }},
		{"at least 1", func(c *dkf.Config, d *dkf.Data) { c.Likelihood, d.Counts[1] = dkf.Histogram, 0 }},
		{"hidden", func(c *dkf.Config, d *dkf.Data) { c.Hidden = 0 }},
		{"must be whole", func(c *dkf.Config, d *dkf.Data) { d.Counts[1] = 1.5 }},
		{"at most 16777216", func(c *dkf.Config, d *dkf.Data) { d.Counts[1] = float32(math.Inf(1)) }},
		{"at most 16777216", func(c *dkf.Config, d *dkf.Data) { c.Likelihood, d.Counts[1] = dkf.Histogram, float32(math.Inf(1)) }},
		{"must be finite", func(c *dkf.Config, d *dkf.Data) { d.Numbers[1] = float32(math.NaN()) }},
		{"positive one for each", func(c *dkf.Config, d *dkf.Data) { c.Maxima = []float32{float32(math.NaN())} }},
		{"above 0 and finite", func(c *dkf.Config, d *dkf.Data) { c.MaxGaps = math.Inf(1) }},
		{"at least one", func(c *dkf.Config, d *dkf.Data) { d.Windows = nil }},
		{"it belongs to classifiers", func(c *dkf.Config, d *dkf.Data) { c.Loss, c.LikelihoodFloor = phe.LogAverage, 1e-8 }},
		{"raise capacity", func(c *dkf.Config, d *dkf.Data) { vocabulary(c); c.Encoder.Capacity = 7 }}, // of 12 items
	} {
		config, d := toyConfig(), toyData(4, randomCounts())
		c.damage(&config, &d)
		filetest.WantError(t, filter(t, config, d), c.right)
	}
}
