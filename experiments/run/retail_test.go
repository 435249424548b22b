package run

import (
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"gophe/data/files"
	"gophe/data/sales"
	"gophe/experiments/result"
	"gophe/experiments/result/resulttest"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/spec/protocol/protocoltest"
	"gophe/experiments/task"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/models/dkf"
	"gophe/phe/models/tabular"
)

// tinyRetail is a filter's spec with little of everything, on a few products: an epoch, three days or groups, two seeds.
func tinyRetail(t *testing.T, named string) spec.Spec {
	t.Helper()
	c := dkf.Paper()
	c.Encoder.EmbeddingDim, c.Encoder.NumBuckets, c.Encoder.NumHashes, c.Encoder.NumWeights = 3, 11, 2, 7
	c.Hidden, c.Latent, c.TestSamples, c.BatchSize = 3, 2, 2, 64
	c.Prediction, c.Likelihood, c.Objective, c.Inputs, c.Transition = dkf.Forecast, packSizes, dkf.Predictive, dkf.Relative, dkf.WithGap
	spec := spec.Spec{
		Name: "tiny", Title: "for tests", Dataset: spec.Retail, Protocol: protocoltest.Full[named], Seeds: []int64{0, 1},
		Model: c.Config, Filter: &c.Filter,
		Methods: []spec.Method{
			{Name: "PHE", Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 2},
			{Name: "Ada", Rows: phe.Hashed, Estimate: phe.Point, UpdateEpochs: 1},
		},
	}
	filetest.Check(t, spec.Validate())
	return spec
}

// tinyAuthors is tinyRetail by the authors' program: Poisson rates of counts that were looked at.
func tinyAuthors(t *testing.T, named string) spec.Spec {
	t.Helper()
	s := tinyRetail(t, named)
	s.Model.TestSamples = 1
	s.Filter.Prediction, s.Filter.Likelihood, s.Filter.Objective = dkf.Reconstruction, dkf.Poisson, dkf.MeanELBO
	s.Filter.Inputs, s.Filter.Transition = dkf.Raw, dkf.WithoutGap
	filetest.Check(t, s.Validate())
	return s
}

// retailSpecs are both kinds of a protocol's. Each has a third method of its own kind.
func retailSpecs(t *testing.T, named string) map[string]spec.Spec {
	forecast, authors := tinyRetail(t, named), tinyAuthors(t, named)
	replay := spec.Method{Name: "EE replay", Rows: phe.Vocabulary, Estimate: phe.Point, UpdateEpochs: 2, Replay: true}
	all := spec.Method{Name: "PHE all", Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 1, Scope: phe.AllParameters}
	forecast.Methods, authors.Methods = append(forecast.Methods, replay), append(authors.Methods, all)
	return map[string]spec.Spec{"forecast": forecast, "authors": authors}
}

// packSizes is the likelihood of specs over cells of quantities.
const packSizes dkf.Likelihood = "pack-sizes"

// shortSales are the sales of TestMain's file.
func shortSales(t *testing.T) *sales.Sales {
	t.Helper()
	return filetest.Must(sales.Load(files.Options{AllowAltered: true}))(t)
}

// threeDays is the stream of full[Daily], cut without the package under test.
func threeDays(t *testing.T) *sales.Stream {
	t.Helper()
	sales := shortSales(t)
	stream := filetest.Must(sales.Daily(sales.OverlappingWindows(10), 62))(t)
	stream.Steps, stream.Days = stream.Steps[:3], stream.Days[:3]
	return stream
}

// The groups of products from spec to file: tests of all groups after each, by models and by what looks at the window only.
func TestProducts(t *testing.T) {
	stream := filetest.Must(shortSales(t).ByProduct(3, 10, false))(t)
	for kind, s := range map[string]spec.Spec{"forecast": tinyRetail(t, protocol.Products), "authors": tinyAuthors(t, protocol.Products)} {
		t.Run(kind, func(t *testing.T) {
			f := wantWhole(t, s, "PHE", "Ada", "PHE (frozen)", "Ada (frozen)", "Last value", "Mean of nine", "Median of nine")
			for i, want := range stream.Tests {
				test := result.Test{Name: want.Name, Items: want.Items, Train: want.Train, Rows: min(20, len(want.Rows))}
				filetest.Want(t, f.Stream.Tests[i], test, "test %d", i)
			}
		})
	}
}

// The rivals of groups, by hand: the nine sales before the one to forecast.
func TestProductsRivals(t *testing.T) {
	stream := filetest.Must(shortSales(t).ByProduct(3, 10, false))(t)
	s := tinyRetail(t, protocol.Products)
	made, p := loaded(t, s)
	methods := filetest.Must(made.Baselines(s, p))(t)
	filetest.Want(t, len(methods), 3, "number of rivals")
	for set, test := range p.Tests {
		sum := map[string]float64{}
		for _, w := range test.Rows {
			var nine []float64
			for _, row := range stream.Windows.Rows[w*10 : w*10+9] {
				nine = append(nine, float64(stream.Sales.Quantities[row]))
			}
			y := float64(stream.Sales.Quantities[stream.Windows.Rows[w*10+9]])
			sum["Last value"] += math.Abs(nine[8] - y)
			sum["Mean of nine"] += math.Abs(stat.Mean(nine, nil) - y)
			slices.Sort(nine)
			sum["Median of nine"] += math.Abs(nine[4] - y)
		}
		for _, m := range methods {
			for _, s := range m.Runs[0].Tests {
				if s.Set == set {
					want := result.Rounded(sum[m.Name] / float64(len(test.Rows)))
					filetest.Want(t, s.AbsoluteError, want, "%s, set %d: error", m.Name, set)
				}
			}
		}
	}
}

// The runner takes the very steps that one would take by hand: predict and score a day's windows, then learn from them.
func TestDailyByHand(t *testing.T) {
	stream := threeDays(t)
	for kind, s := range retailSpecs(t, protocol.Daily) {
		f := inFull(t, s)
		_, p := loaded(t, s)
		for _, m := range s.Methods {
			d, c := ledByHand(t, s, m, 1)
			h, forecast := newHandScore(), (&dkf.Model{Config: filterByHand(c)}).Forecast
			along(t, d, m, p, func(day int, predicted []float32) {
				width := len(predicted) / len(stream.Steps[day])
				for i, w := range stream.Steps[day] {
					own := forecast(predicted[i*width : (i+1)*width])
					point := resulttest.Pick(kind == "authors", own.Mean(), own.Quantile(0.5))
					h.sale(stream, w, point, own.Mean(), own, kind == "forecast")
				}
				h.endStep()
			})
			h.check(t, kind+", "+m.Name, methodOf(t, f, m.Name, false).Runs[1])
		}
	}
}

// filterByHand is the filter of a configuration.
func filterByHand(c spec.Config) dkf.Config {
	config := dkf.Config{Config: c.Config, Filter: c.Filter, Numbers: 1, Maxima: []float32{38970}, Tick: time.Minute}
	if config.Likelihood == packSizes {
		config.Likelihood, config.Cells = dkf.Histogram, baseline.Cells()
	}
	return config
}

// The filter reads the sales as they are: items by their tokens, a missing customer too.
func TestEvents(t *testing.T) {
	stream := threeDays(t)
	sales, e := stream.Sales, task.Events(stream)
	seen := map[string]bool{}
	var tokens, items []string
	var counts, prices []float32
	for row := range sales.NumRows() {
		for c := range 3 {
			tokens, items = append(tokens, sales.Categorical[c].Token(row)), append(items, e.Items[e.Index[row*3+c]])
			seen[items[len(items)-1]] = true
		}
		counts, prices = append(counts, float32(sales.Quantities[row])), append(prices, float32(sales.Prices[row]))
	}
	filetest.Want(t, items, tokens, "the list of tokens")
	filetest.Want(t, e.Counts, counts, "the list of quantities")
	filetest.Want(t, e.Numbers, prices, "the list of prices")
	filetest.Want(t, e.Times, sales.Minutes, "the list of minutes")
	filetest.Want(t, e.Windows, stream.Windows.Rows, "the list of windows")
	filetest.Want(t, len(seen), len(e.Items), "number of items met")
	filetest.True(t, seen["CustomerID_<NA>"] && seen["Country_United Kingdom"], "items %q", e.Items)
	for kind, s := range retailSpecs(t, protocol.Daily) {
		c := s.Config(s.Methods[0], len(e.Items))
		filetest.Want(t, c.FilterModel(), filterByHand(c), "the filter, %s,", kind)
	}
}

// The rivals along the days are package baseline's forecasts: errors of their medians, and of the mean where it has one.
func TestDailyRivals(t *testing.T) {
	stream := threeDays(t)
	s := tinyAuthors(t, protocol.Daily) // the rivals do not depend on whose model it is
	rules := baseline.Forecasters(stream)
	wantRivals(t, s, baseline.SalesNames(), func(rival int, h *handScore) {
		for _, windows := range stream.Steps {
			for _, w := range windows {
				f := rules[rival].Forecast(w)
				h.sale(stream, w, f.Median, f.Mean, f.Distribution, f.Distribution != nil)
			}
			h.endStep()
		}
	})
}

// diverging has a method that overflows at its first update.
func diverging(t *testing.T, named string) spec.Spec {
	t.Helper()
	s := tinyRetail(t, named)
	s.Methods[1] = overflowing("PHE Poisson")
	s.Methods[1].Likelihood = dkf.Poisson
	filetest.Check(t, s.Validate())
	return s
}

// Of five seeds of a filter, three learn side by side on XLA.
func TestFilterTogether(t *testing.T) {
	spec, o := tinyRetail(t, protocol.Daily), options(t, "")
	o.BackendName = "together"
	r := &run{spec: spec.WithSeeds(5), options: o, file: &result.File{}}
	for _, f := range modelsOf(r.spec, hundredItems) {
		for _, own := range f.methods {
			r.file.Methods = append(r.file.Methods, f.entry(r.spec, own))
		}
		filetest.Want(t, r.together(f), [][]int64{{0, 1, 2}, {3, 4}}, "%s: seeds side by side", f.name)
	}
}

// tinyCounts is a spec of counts in two memories on three days.
func tinyCounts() spec.Spec {
	counts := func(name string, memory int) spec.Method {
		return spec.Method{Name: name, Rows: phe.Hashed, Estimate: phe.Posterior, Rule: spec.Counts, Memory: memory}
	}
	return spec.Spec{
		Name: "tiny", Title: "a test", Dataset: spec.Retail, Seeds: []int64{0, 3},
		Model: tabular.Paper().Config,
		Protocol: protocol.Spec{Name: protocol.Daily, InitialEpochs: 1, FirstDay: "2011-02-01", Windows: protocol.Overlapping,
			MaxChunks: 3},
		Methods: []spec.Method{counts("Small", 128<<10), counts("Large", 256<<10)},
	}
}

// A spec of counts gives a result like other daily specs: the counts, then the trivial rivals. TestCommittedCounts of package task
// checks the scores.
func TestCounts(t *testing.T) {
	shortSales(t)
	s := tinyCounts()
	f := resultOf(t, s)
	filetest.Want(t, labelsOf(f), append([]string{"Small", "Large"}, baseline.SalesNames()...), "methods")
	filetest.Want(t, f.Manifest.Backend, noBackend, "backend")
	filetest.Want(t, f.Stream.Steps, 3, "number of days")
	filetest.True(t, f.Manifest.DataSHA256 != "", "no checksum")
	for i, method := range s.Methods {
		m := &f.Methods[i]
		filetest.Want(t, m.Parameters, method.Memory/4, "%s: parameters", m.Name)
		filetest.Want(t, m.Runs[1].Seed, 3, "%s: the second seed", m.Name)
		filetest.Want(t, [2]int{m.Runs[0].InitialSteps, m.Runs[0].UpdateSteps}, [2]int{0, 3}, "%s: steps", m.Name)
		filetest.True(t, m.Hash != "" && len(m.Runs[0].Calibration) > 0, "%s: %+v", m.Name, m)
		filetest.True(t, !slices.Equal(m.Runs[0].LogLikelihood, m.Runs[1].LogLikelihood), "%s: both seeds draw the same hashes", m.Name)
	}
	filetest.Want(t, f.Manifest.SpecHash, s.Fingerprint(), "the spec")
	s.Methods[1].Memory *= 2
	filetest.True(t, s.Fingerprint() != f.Manifest.SpecHash, "the memory does not count")
}
