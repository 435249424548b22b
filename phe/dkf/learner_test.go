package dkf_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gophe/phe"
	"gophe/phe/count"
	"gophe/phe/dkf"
	"gophe/phe/online"
	"gophe/phe/phetest"
)

// The filter of pack sizes is a classifier of cells, and keeps the contract of classifiers, under every method's tables and
// scope of updates.
func TestContract(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*dkf.Config)
	}{
		{"PHE, incremental column", func(c *dkf.Config) {}},
		{"PHE, all columns, dropout, samples", func(c *dkf.Config) {
			c.Scope, c.ItemDropout, c.TrainSamples, c.TestSamples = phe.AllColumns, 0.1, 2, 5
		}},
		{"PHE, all parameters, ELBO", func(c *dkf.Config) { c.Scope, c.Objective = phe.AllParameters, dkf.ELBO }},
		{"Ada, incremental column", func(c *dkf.Config) { c.Encoder.Estimate = phe.Point }},
		{"P-EE, incremental column, rows", func(c *dkf.Config) { vocabulary(c); c.Scheme = phe.Rows }},
		{"EE, all parameters", func(c *dkf.Config) {
			vocabulary(c)
			c.Encoder.Estimate, c.Scope = phe.Point, phe.AllParameters
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := learning(dkf.PackSizes)
			c.change(&config)
			suite := contract(config)
			if phetest.Brief(t) {
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

func contract(c dkf.Config) phetest.Contract[online.Snapshot] {
	d := toyData(learnt, byItem)
	labels := make([]int32, learnt)
	for w := range labels {
		labels[w] = int32(count.PackSizes().Of(int(d.Counts[d.Windows[(w+1)*toyLength-1]])))
	}
	models := map[int]*online.Model{}
	still, moving := split(c, d, chunk)
	return phetest.Contract[online.Snapshot]{
		New: func(t testing.TB, seeds ...int64) phetest.Learner[online.Snapshot] {
			if models[len(seeds)] == nil {
				models[len(seeds)] = newModel(t, c, d, len(seeds), 5)
			}
			l, err := models[len(seeds)].NewLearner(seeds)
			check(t, err)
			return l
		},
		Initial: upTo(seen), Chunk: chunk, Labels: labels, Classes: count.PackSizes().Len(), Epochs: 12,
		Flat:  func(s online.Snapshot) [][]float32 { return slices.Concat(s.Parameters, s.Moments) },
		Still: still, Moving: moving,
		Beside: 2e-3, // roundings of 1e-7 that a dozen steps of Adam divide by the size of small gradients
	}
}

// chunk is few windows, so that some rows of the tables are not theirs.
var chunk = []int32{81, 87}

// split tells which numbers of a single run an update by rows may touch: table rows of their events' items, of the
// incremental column alone where only that learns, and θ where all parameters do.
func split(c dkf.Config, d dkf.Data, windows []int32) (still, moving func(online.Snapshot) [][]float32) {
	encoder, err := phe.NewEncoder(c.Encoder)
	if err != nil {
		panic(err)
	}
	rows, err := encoder.Items(d.Items)
	if err != nil {
		panic(err)
	}
	buckets, weights := map[int]bool{}, map[int]bool{}
	for _, w := range windows {
		for _, event := range d.Windows[w*toyLength : (w+1)*toyLength] {
			for column := range c.Columns {
				if column != c.Incremental && c.Scope == phe.IncrementalColumn {
					continue
				}
				item := int(d.Index[int(event)*c.Columns+column])
				for k := range c.Encoder.RowsPerItem() {
					buckets[int(rows.Buckets[item*c.Encoder.RowsPerItem()+k])] = true
				}
				if len(rows.Weights) > 0 {
					weights[int(rows.Weights[item])] = true
				}
			}
		}
	}
	parts := func(s online.Snapshot) (touched, untouched [][]float32) {
		rest := s.Parameters
		cut := func(touchedRows map[int]bool, width int) {
			copies := 1
			if c.Encoder.Estimate == phe.Posterior {
				copies = 2
			}
			for _, list := range rest[:copies] {
				var in, out []float32
				row := 0
				for values := range slices.Chunk(list, width) {
					if touchedRows[row] {
						in = append(in, values...)
					} else {
						out = append(out, values...)
					}
					row++
				}
				touched, untouched = append(touched, in), append(untouched, out)
			}
			rest = rest[copies:]
		}
		cut(buckets, c.Encoder.EmbeddingDim)
		if c.Encoder.HasWeights() {
			cut(weights, c.Encoder.NumHashes)
		}
		if c.Scope == phe.AllParameters {
			return append(touched, rest...), untouched
		}
		return touched, append(untouched, rest...)
	}
	moving = func(s online.Snapshot) [][]float32 { touched, _ := parts(s); return touched }
	still = func(s online.Snapshot) [][]float32 { _, untouched := parts(s); return untouched }
	return
}

// Some table rows belong to other items, so that the contract's clause on what must stay says something.
func TestSplit(t *testing.T) {
	if phetest.Brief(t) {
		t.Skip("says nothing of the backend")
	}
	for _, scope := range []phe.UpdateScope{phe.IncrementalColumn, phe.AllColumns} {
		c := learning(dkf.PackSizes)
		c.Scope = scope
		d := toyData(learnt, byItem)
		l := newLearner(t, newModel(t, c, d, 1, 5), 1)
		still, moving := split(c, d, chunk)
		s := snapshot(t, l)
		for list := range 4 {
			if len(still(s)[list]) == 0 || len(moving(s)[list]) == 0 {
				t.Errorf("%s: all or nothing of list %d moves", scope, list)
			}
		}
	}
}

// A filter that has learnt forecasts windows that it has not seen far better than any one law can. Where the last event's
// item decides, the embeddings must tell; where a window repeats one count, its history must. Pack sizes could cost 0; a
// Poisson of the right rate costs ½ log 2πy, 1.9 nats in the mean of these counts.
func TestLearning(t *testing.T) {
	if phetest.Brief(t) {
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
		{"pack sizes, item", dkf.PackSizes, dkf.Predictive, byItem, 60, 0.5},
		{"pack sizes, history", dkf.PackSizes, dkf.Predictive, repeated, 60, 0.5},
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
			l := newLearner(t, newModel(t, config, d, 1, learnt), 3)
			unseen := upTo(learnt)[seen:]
			before := loss(config, d, unseen, predict(t, l, unseen, 0))
			for epoch := range c.epochs {
				check(t, l.TrainEpoch(upTo(seen), epoch))
			}
			after, single := loss(config, d, unseen, predict(t, l, unseen, 0)), marginal(config.Likelihood, d, unseen)
			t.Logf("%.3f nats before, %.3f after training, %.3f by one law", before, after, single)
			if !(after < c.worst) || !(after < single-1) {
				t.Errorf("unseen counts cost %.3f nats; want less than %g, and a nat less than the %.3f of one law", after, c.worst, single)
			}
		})
	}
}

// loss is the mean negative log probability of the windows' last counts, in nats.
func loss(c dkf.Config, d dkf.Data, windows []int32, values []float32) (mean float64) {
	width := len(values) / len(windows)
	for i, w := range windows {
		y := int(d.Counts[d.Windows[(int(w)+1)*toyLength-1]])
		mean -= c.Distribution(values[i*width:(i+1)*width]).LogProbability(y) / float64(len(windows))
	}
	return
}

// marginal is the loss of the likeliest single law: a Poisson of the mean, or shares of cells.
func marginal(l dkf.Likelihood, d dkf.Data, windows []int32) (loss float64) {
	n := float64(len(windows))
	mean, shares := 0.0, make([]float64, count.PackSizes().Len())
	var counts []int
	for _, w := range windows {
		y := int(d.Counts[d.Windows[(int(w)+1)*toyLength-1]])
		counts = append(counts, y)
		mean += float64(y) / n
		shares[count.PackSizes().Of(y)] += 1 / n
	}
	var law count.Distribution = count.PoissonMixture{Rates: []float64{mean}}
	if l == dkf.PackSizes {
		law = count.Histogram{Cells: count.PackSizes(), P: shares}
	}
	for _, y := range counts {
		loss -= law.LogProbability(y) / n
	}
	return
}

// A model that diverges, as FastAda does on Retail, is a result: it says so in its numbers, without an error.
func TestDiverging(t *testing.T) {
	if phetest.Brief(t) {
		t.Skip("ten seconds of compilation")
	}
	for _, prediction := range []dkf.Prediction{dkf.Reconstruction, dkf.Forecast} {
		c := toyConfig()
		c.Prediction, c.LearningRate = prediction, 1e3
		d := toyData(20, randomCounts())
		l := newLearner(t, newModel(t, c, d, 1, 5), 1)
		for epoch := range 5 {
			check(t, l.TrainEpoch(upTo(20), epoch))
		}
		l.EndInitialPhase()
		check(t, l.Update(upTo(5), 3, 0))
		values := predict(t, l, upTo(5), 0)
		sane := 0
		for _, v := range values {
			if rate := c.Distribution([]float32{v}).Mean(); rate > 1e-6 && rate < 1e6 {
				sane++
			}
		}
		if sane > 2 {
			t.Errorf("%s: log rates %v", prediction, values)
		}
	}
	nan := float32(math.NaN())
	for likelihood, width := range map[dkf.Likelihood]int{dkf.Poisson: 1, dkf.NegativeBinomial: 2, dkf.PackSizes: 95} {
		law := dkf.Filter{Likelihood: likelihood}.Distribution(slices.Repeat([]float32{nan}, width))
		if m := law.Median(); !math.IsNaN(m) {
			t.Errorf("%s: the median of no number is %g", likelihood, m)
		}
	}
}
