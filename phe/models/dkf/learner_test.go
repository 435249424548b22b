package dkf_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe"
	"gophe/phe/count"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/learn/learntest"
	"gophe/phe/models/dkf"
)

// A filter keeps the contract under every method's tables and scope of updates. One with a histogram is a classifier of cells.
func TestContract(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*dkf.Config)
	}{
		{"PHE, incremental column", func(c *dkf.Config) {}},
		{"PHE, all columns, dropout, samples", func(c *dkf.Config) {
			c.Scope, c.ItemDropout, c.TrainSamples, c.TestSamples = phe.AllColumns, 0.1, 2, 5
		}},
		{"PHE, all parameters, ELBO, not pinned", func(c *dkf.Config) { c.Scope, c.Objective = phe.AllParameters, dkf.ELBO }},
		{"Ada, incremental column", func(c *dkf.Config) { c.Encoder.Estimate = phe.Point }},
		{"P-EE, incremental column, rows, not pinned", func(c *dkf.Config) { vocabulary(c); c.Scheme = phe.Fresh }},
		{"EE, all parameters", func(c *dkf.Config) {
			vocabulary(c)
			c.Encoder.Estimate, c.Scope = phe.Point, phe.AllParameters
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !filetest.Long() && (strings.HasPrefix(c.name, "PHE, all") || strings.HasPrefix(c.name, "Ada")) {
				t.Skip("the others have each table, scope and way of data once; GOPHE_TEST=long takes all")
			}
			config := learning(dkf.Histogram)
			c.change(&config)
			suite := contract(t, config)
			suite.Pinned = !strings.HasSuffix(c.name, "not pinned")
			if nettest.Brief(t) {
				if c.name != "PHE, incremental column" {
					t.Skip("ten seconds of compilation")
				}
				suite.Beside = 0
			}
			suite.Check(t)
		})
	}
}

func vocabulary(c *dkf.Config) {
	c.Encoder = phe.Config{Rows: phe.Vocabulary, Estimate: phe.Posterior, EmbeddingDim: 4, Capacity: 13, InitialLogStdDev: -3}
}

// learning is a forecaster with beliefs that learns fast.
func learning(l dkf.Likelihood) dkf.Config {
	c := toyConfig()
	c.Filter = dkf.Filter{Prediction: dkf.Forecast, Likelihood: l, Objective: dkf.Predictive, Inputs: dkf.Relative,
		Transition: dkf.WithGap, Hidden: 5, Latent: 3, TransitionHidden: 4, EmissionHidden: 8}
	c.Encoder.Estimate, c.Encoder.EmbeddingDim, c.Encoder.NumBuckets, c.Encoder.InitialLogStdDev = phe.Posterior, 4, 37, -3
	c.BatchSize, c.LearningRate = 32, 0.03
	return c
}

const learnt, seen = 96, 80 // windows, and those of the initial phase

// byItem lets the incremental column's item decide: history says nothing.
func byItem(_, _, _, item1 int) float32 { return []float32{1, 2, 4, 12, 24, 60, 7}[item1] }

func contract(t *testing.T, c dkf.Config) learntest.Contract {
	d := contractData()
	m := newModel(t, c)
	return learntest.Contract{
		Network: m.Network, Config: m.Config.Config, Options: learn.Options{MaxUpdated: 5},
		All: filetest.Must(m.Batch(d))(t), Initial: upTo(seen), Chunk: chunk, Unseen: newcomer, Epochs: 12, Pinned: true,
		Loss: func(forecast []float32, window int32) (float64, error) {
			total := 0.0
			for _, v := range forecast {
				total += math.Exp(float64(v))
			}
			if !(math.Abs(total-1) < 1e-5) || len(forecast) != toyCells().Len() { // float32 logs of averages over the samples
				return 0, errors.Errorf("%d probabilities %v add up to %g", len(forecast), forecast, total)
			}
			return -float64(forecast[toyCells().Of(last(d, window))]), nil
		},
		Guess:  math.Log(float64(toyCells().Len())),
		Beside: 2e-3, // roundings of 1e-7 that a dozen steps of Adam divide by the size of small gradients
	}
}

// chunk is few windows, so that some rows of the tables are not theirs. newcomer are windows of an item of its own.
var chunk, newcomer = []int32{81, 87}, []int32{learnt, learnt + 1, learnt + 2, learnt + 3, learnt + 4}

// contractData are windows of counts that items decide. The last ones have an incremental item that no other window has, and the
// counts of item number 4.
func contractData() dkf.Data {
	d := toyData(learnt+len(newcomer), byItem)
	for event := learnt * toyLength; event < len(d.Counts); event++ {
		d.Index[2*event+1], d.Counts[event] = int32(len(d.Items)), byItem(0, 0, 0, 0)
	}
	d.Items = append(d.Items, "column1_newcomer")
	return d
}

// last is the last count of a window.
func last(d dkf.Data, window int32) int {
	return int(d.Counts[d.Windows[(int(window)+1)*toyLength-1]])
}

// A filter that has learnt forecasts windows that it has not seen far better than any one distribution can. Where the last event's
// item decides, the embeddings must tell; where a window repeats one count, its history must. Pack sizes could cost 0; a
// Poisson of the right rate costs ½ log 2πy, 1.9 nats in the mean of these counts.
func TestLearning(t *testing.T) {
	if nettest.Brief(t) {
		t.Skip("five seconds of compilation each")
	}
	repeated := func(window, _, _, _ int) float32 { return []float32{1, 24, 3, 60, 9}[window%5] }
	for _, c := range []struct {
		name       string
		likelihood dkf.Likelihood
		objective  dkf.Objective
		counts     func(window, place, item0, item1 int) float32
		epochs     int
		worst      float64 // nats, of unseen windows
	}{
		{"pack sizes, item", dkf.Histogram, dkf.Predictive, byItem, 60, 0.5},
		{"pack sizes, history", dkf.Histogram, dkf.Predictive, repeated, 60, 0.5},
		{"Poisson, item", dkf.Poisson, dkf.Predictive, byItem, 60, 2.8},
		{"Poisson, history", dkf.Poisson, dkf.Predictive, repeated, 60, 2.8},
		{"negative binomial, item", dkf.NegativeBinomial, dkf.Predictive, byItem, 60, 2.8},
		{"Poisson, item, ELBO", dkf.Poisson, dkf.ELBO, byItem, 60, 3},
		{"Poisson, history, ELBO", dkf.Poisson, dkf.ELBO, repeated, 60, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := learning(c.likelihood)
			config.Objective, config.TestSamples = c.objective, 16
			if strings.Contains(c.name, "history") {
				config.ItemDropout = 0.7 // or the items learn the windows by heart
			}
			d := toyData(learnt, c.counts)
			l := newLearner(t, config, d, learnt, 3)
			unseen := upTo(learnt)[seen:]
			before := loss(t, config, d, unseen, l.Predict(t, unseen, 0))
			filetest.Check(t, l.Fit(upTo(seen), c.epochs))
			after, single := loss(t, config, d, unseen, l.Predict(t, unseen, 0)), marginal(config.Likelihood, d, unseen)
			t.Logf("%.3f nats before, %.3f after training, %.3f by one distribution", before, after, single)
			filetest.True(t, after < c.worst, "unseen counts cost %.3f nats; want less than %g", after, c.worst)
			filetest.True(t, after < single-1, "unseen counts cost %.3f nats; want a nat less than one distribution's %.3f", after, single)
		})
	}
}

// loss is the mean negative log probability of the windows' last counts, in nats.
func loss(t *testing.T, c dkf.Config, d dkf.Data, windows []int32, values []float32) (mean float64) {
	m, width := newModel(t, c), len(values)/len(windows)
	for i, w := range windows {
		mean -= m.Forecast(values[i*width:(i+1)*width]).LogProbability(last(d, w)) / float64(len(windows))
	}
	return
}

// marginal is the loss of the likeliest single distribution: a Poisson of the mean, or shares of cells.
func marginal(l dkf.Likelihood, d dkf.Data, windows []int32) (loss float64) {
	n := float64(len(windows))
	mean, shares := 0.0, make([]float64, toyCells().Len())
	var counts []int
	for _, w := range windows {
		y := last(d, w)
		counts = append(counts, y)
		mean += float64(y) / n
		shares[toyCells().Of(y)] += 1 / n
	}
	distribution := count.Poisson(mean)
	if l == dkf.Histogram {
		distribution = count.Histogram(toyCells(), shares)
	}
	for _, y := range counts {
		loss -= distribution.LogProbability(y) / n
	}
	return
}

// A model that diverges, as FastAda does on Retail, is a result: it says so in its numbers, without an error.
func TestDiverging(t *testing.T) {
	if nettest.Brief(t) {
		t.Skip("ten seconds of compilation")
	}
	for _, prediction := range []dkf.Prediction{dkf.Reconstruction, dkf.Forecast} {
		c := toyConfig()
		c.Prediction, c.LearningRate = prediction, 1e3
		d := toyData(20, randomCounts())
		l := newLearner(t, c, d, 5, 1)
		filetest.Check(t, l.Fit(upTo(20), 5))
		l.Settle()
		filetest.Check(t, l.Update(upTo(5), 3))
		values := l.Predict(t, upTo(5), 0)
		sane := 0
		for _, v := range values {
			if rate := newModel(t, c).Forecast([]float32{v}).Mean(); rate > 1e-6 && rate < 1e6 {
				sane++
			}
		}
		filetest.True(t, sane <= 2, "%s: log rates %v", prediction, values)
	}
	nan := float32(math.NaN())
	for likelihood, width := range map[dkf.Likelihood]int{dkf.Poisson: 1, dkf.NegativeBinomial: 2, dkf.Histogram: 95} {
		c := toyConfig()
		c.Likelihood = likelihood
		distribution := newModel(t, c).Forecast(slices.Repeat([]float32{nan}, width))
		filetest.True(t, math.IsNaN(distribution.Quantile(0.5)), "%s: the median of no number is %v", likelihood,
			distribution.Quantile(0.5))
	}
}
