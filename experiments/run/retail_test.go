package run

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"gophe/data/files"
	"gophe/data/sales"
	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/spec/protocol/protocoltest"
	"gophe/experiments/task"
	"gophe/phe"
	"gophe/phe/count"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn"
	"gophe/phe/models/dkf"
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

// retailSpecs are both kinds of a protocol's.
func retailSpecs(t *testing.T, named string) map[string]spec.Spec {
	return map[string]spec.Spec{"forecast": tinyRetail(t, named), "authors": tinyAuthors(t, named)}
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

// threeGroups returns the stream of full[Products] with all rows of each test.
func threeGroups(t *testing.T) *sales.Stream {
	t.Helper()
	return filetest.Must(shortSales(t).ByProduct(3, 10, false))(t)
}

// atMost20 are 20 of a test's rows, evenly spaced, or all.
func atMost20(rows []int32) []int32 {
	if len(rows) <= 20 {
		return rows
	}
	var some []int32
	for k := range 20 {
		some = append(some, rows[k*len(rows)/20])
	}
	return some
}

// The days from spec to file: what every row of the result holds, and the same result again. The scores are checked by hand below.
func TestDaily(t *testing.T) {
	stream := threeDays(t)
	rows, whole := daysOf(t, stream)
	labels := append([]string{"PHE", "Ada", "PHE (frozen)", "Ada (frozen)"}, baseline.SalesNames()...)
	for kind, s := range retailSpecs(t, protocol.Daily) {
		t.Run(kind, func(t *testing.T) {
			out := t.TempDir()
			f := mustExecute(t, s, options(t, out))
			if f.Status != result.Complete || f.Stream.Initial != len(stream.Initial) || f.Stream.Steps != 3 || len(f.Stream.Tests) != 0 ||
				!slices.Equal(f.Stream.Days, []string{"2011-02-01", "2011-02-02", "2011-02-03"}) {
				t.Errorf("%s, stream %+v", f.Status, f.Stream)
			}
			if m := f.Manifest; m.Dataset != spec.Retail || m.DataSHA256 != stream.Sales.SHA256 || m.DataVerified {
				t.Errorf("manifest %+v", m)
			}
			if got := labelsOf(f); !slices.Equal(got, labels) {
				t.Fatalf("methods %q, want %q", got, labels)
			}
			for i := range f.Methods {
				m, isModel, steps := &f.Methods[i], i < 4, 0
				if m.Protocol != protocol.Daily || m.Dataset != spec.Retail || m.Convention != s.Convention() || len(m.Runs) != 2 {
					t.Fatalf("%s is of %s %s %s, %d runs", m.Label(), m.Convention, m.Dataset, m.Protocol, len(m.Runs))
				}
				if i < 2 {
					steps = 3 * s.Methods[i].UpdateEpochs
				}
				hasForecast := isModel || slices.Contains([]string{"Gamma–Poisson filter", "Product histogram", "Counting rule"}, m.Name)
				calibrated := hasForecast && (kind == "forecast" || !isModel)
				for k, run := range m.Runs {
					if run.Seed != int64(k) || run.Status != result.Complete || !slices.Equal(run.Rows, rows) || run.Accuracy != nil || run.Tests != nil ||
						len(run.Scores) != 4 || (len(run.LogLikelihood) == 3) != hasForecast || !hasForecast && run.LogLikelihood != nil {
						t.Fatalf("%s, run %d: %+v", m.Label(), k, run)
					}
					if run.UpdateSteps != steps || (run.InitialSteps == Batches(len(stream.Initial), 64)) != isModel {
						t.Errorf("%s took %d and %d steps", m.Label(), run.InitialSteps, run.UpdateSteps)
					}
					if inAll := floats.Sum(run.Calibration); math.Abs(inAll-fixture.Pick(calibrated, float64(whole), 0)) > 1e-9 || calibrated != (len(run.Calibration) == 20) {
						t.Errorf("%s has %v counts in %d cells, want the counts of %d whole windows: %v", m.Label(), inAll, len(run.Calibration), whole, calibrated)
					}
					for day, capped := range run.Scores[measure.CappedError] {
						if capped > 100 || capped > run.Scores[measure.WholeError][day] {
							t.Errorf("%s, day %d: capped error %v", m.Label(), day, capped)
						}
					}
				}
				for _, metric := range measure.Metrics(m) {
					v, ok := measure.Of(metric, f, m, &m.Runs[0])
					series := m.Runs[0].Series(metric)
					if ok != (metric != measure.LogLikelihood || hasForecast) || ok && (len(series) != 3 || !(math.Abs(v-stat.Mean(series, nil)) <= 1e-12)) {
						t.Errorf("%s of %s is %v, %v", metric, m.Label(), v, ok)
					}
				}
			}
			wantNoNull(t, out)
			wantSameAgain(t, s, readResult(t, out))
			for _, name := range labels[:2] {
				wantSameFirstDay(t, f, name, []string{measure.AbsoluteError, measure.WholeError, measure.CappedError, measure.ErrorOfMean, measure.LogLikelihood})
				wantLearned(t, f, name, measure.ErrorOfMean, measure.LogLikelihood)
			}
			wantOtherSeeds(t, f.Methods[0])
		})
	}
}

// daysOf returns the number of windows of each day, and of all windows that no repeated sale pads. There must be both kinds.
func daysOf(t *testing.T, stream *sales.Stream) (rows []int, whole int) {
	t.Helper()
	all := 0
	for _, step := range stream.Steps {
		rows = append(rows, len(step))
		all += len(step)
		for _, w := range step {
			if stream.Windows.Padding[w] == 0 {
				whole++
			}
		}
	}
	if whole == all || whole < all/2 {
		t.Fatalf("%d of %d windows are whole; the test is about both kinds", whole, all)
	}
	return rows, whole
}

// The groups of products from spec to file: tests of all groups after each, by models and by what looks at the window only.
func TestProducts(t *testing.T) {
	stream := threeGroups(t)
	for kind, spec := range retailSpecs(t, protocol.Products) {
		t.Run(kind, func(t *testing.T) {
			out := t.TempDir()
			f := mustExecute(t, spec, options(t, out))
			if f.Status != result.Complete || f.Stream.Initial != len(stream.Initial) || f.Stream.Steps != 2 || f.Stream.Days != nil || len(f.Stream.Tests) != 3 {
				t.Fatalf("%s, stream %+v", f.Status, f.Stream)
			}
			for i, test := range f.Stream.Tests {
				if want := stream.Tests[i]; test.Name != want.Name || !slices.Equal(test.Items, want.Items) || test.Train != want.Train || test.Rows != min(20, len(want.Rows)) {
					t.Errorf("test %+v, want %+v", test, want)
				}
			}
			for i := range f.Methods {
				m := &f.Methods[i]
				for k, run := range m.Runs {
					if run.Seed != int64(k) || run.Status != result.Complete || len(run.Rows) != 0 || run.Scores != nil || run.LogLikelihood != nil || run.Calibration != nil || len(run.Tests) != 9 {
						t.Errorf("%s %+v", m.Label(), run)
					}
					for n, s := range run.Tests {
						if s.After != n/3 || s.Set != n%3 || !(s.AbsoluteError > 0) || math.IsInf(s.AbsoluteError, 0) || s.Accuracy != 0 || (s.LogLikelihood < 0) != (i < 4) {
							t.Errorf("%s has test %+v at %d", m.Label(), s, n)
						}
						start := run.Tests[n%3]
						if same := s.AbsoluteError == start.AbsoluteError && s.LogLikelihood == start.LogLikelihood; same != (i >= 2 || n < 3) {
							t.Errorf("%s goes from %+v to %+v", m.Label(), start, s)
						}
					}
				}
				last := m.Runs[1].Tests[6:]
				if v, ok := measure.Of(measure.FinalError, f, m, &m.Runs[1]); !ok || math.Abs(v-(last[0].AbsoluteError+last[1].AbsoluteError+last[2].AbsoluteError)/3) > 1e-9 {
					t.Errorf("%s ends with %v, %v; tests %+v", m.Label(), v, ok, last)
				}
			}
			if names := labelsOf(f); !slices.Equal(names, []string{"PHE", "Ada", "PHE (frozen)", "Ada (frozen)", "Last value", "Mean of nine", "Median of nine"}) {
				t.Errorf("methods %q", names)
			}
			wantNoNull(t, out)
			wantSameAgain(t, spec, f)
		})
	}
}

// The rivals of groups, by hand: the nine sales before the one to forecast.
func TestProductsRivals(t *testing.T) {
	stream := threeGroups(t)
	spec := tinyRetail(t, protocol.Products)
	made, p, err := task.Load(spec, files.Options{AllowAltered: true})
	filetest.Check(t, err)
	methods, err := made.Baselines(spec, p)
	if err != nil || len(methods) != 3 {
		t.Fatalf("%d rivals, %v", len(methods), err)
	}
	for set, test := range stream.Tests {
		sum := map[string]float64{}
		windows := atMost20(test.Rows)
		for _, w := range windows {
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
				if want := sum[m.Name] / float64(len(windows)); s.Set == set && s.AbsoluteError != result.Rounded(want) {
					t.Errorf("%s, %+v; want an error of %v", m.Name, s, want)
				}
			}
		}
	}
}

// byHand scores forecasts of windows by the words of Supp. G.4 and of the metrics' names.
func byHand(c spec.Config, s *sales.Stream, windows []int32, predicted []float32) map[string]float64 {
	width := len(predicted) / len(windows)
	series := map[string][]float64{}
	add := func(metric string, v float64) { series[metric] = append(series[metric], v) }
	for i, w := range windows {
		distribution := distributionOf(c)(predicted[i*width : (i+1)*width])
		y := s.Sales.Quantities[s.Windows.Rows[w*10+9]]
		point := distribution.Quantile(0.5)
		if c.Filter.Prediction == dkf.Reconstruction {
			point = distribution.Mean()
		}
		e := math.Abs(point - float64(y))
		add(measure.AbsoluteError, e)
		if s.Windows.Padding[w] > 0 {
			continue
		}
		add(measure.WholeError, e)
		add(measure.CappedError, math.Min(e, 100))
		add(measure.ErrorOfMean, math.Abs(distribution.Mean()-float64(y)))
		add(measure.LogLikelihood, distribution.LogProbability(int(y)))
	}
	means := map[string]float64{}
	for metric, values := range series {
		means[metric] = stat.Mean(values, nil)
	}
	return means
}

// The runner takes the very steps that one would take by hand: predict and score a day's windows, then learn from them.
func TestDailyByHand(t *testing.T) {
	stream := threeDays(t)
	for kind, s := range retailSpecs(t, protocol.Daily) {
		s.Methods[1] = fixture.Pick(kind == "forecast", spec.Method{Name: "EE replay", Rows: phe.Vocabulary, Estimate: phe.Point, UpdateEpochs: 2, Replay: true},
			spec.Method{Name: "PHE all", Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 1, Scope: phe.AllParameters})
		f := mustExecute(t, s, options(t, t.TempDir()))
		for _, m := range s.Methods {
			learner, c := learnedByHand(t, s, m, stream)
			run, past := methodOf(t, f, m.Name, false).Runs[1], slices.Clone(stream.Initial)
			cells := make([]float64, 20)
			for day, windows := range stream.Steps {
				predicted := predictedAt(t, learner, windows, day)
				calibrateByHand(cells, c, stream, windows, predicted)
				for metric, want := range byHand(c, stream, windows, predicted) {
					if got := run.Series(metric)[day]; math.Abs(got-want) > 1e-6 {
						t.Errorf("%s, %s, day %d: %s is %v by hand, %v by the runner", kind, m.Name, day, metric, want, got)
					}
				}
				if past = append(past, windows...); m.Replay {
					filetest.Check(t, learner.Replay(learner.All.Take(past), m.UpdateEpochs))
				} else {
					filetest.Check(t, learner.Update(learner.All.Take(windows), m.UpdateEpochs))
				}
			}
			for i, n := range run.Calibration { // none of the authors'
				if math.Abs(n-cells[i]) > 1e-6 {
					t.Errorf("%s, %s: %v by hand, %v by the runner", kind, m.Name, cells, run.Calibration)
					break
				}
			}
		}
	}
}

// calibrateByHand spreads each whole window's count evenly from P(Y < y) to P(Y ≤ y).
func calibrateByHand(cells []float64, c spec.Config, s *sales.Stream, windows []int32, predicted []float32) {
	width := len(predicted) / len(windows)
	for i, w := range windows {
		if s.Windows.Padding[w] > 0 {
			continue
		}
		y := int(s.Sales.Quantities[s.Windows.Rows[w*10+9]])
		distribution := distributionOf(c)(predicted[i*width : (i+1)*width])
		from, to := distribution.CDF(y-1), distribution.CDF(y)
		for k := range cells {
			if overlap := min(to, float64(k+1)/20) - max(from, float64(k)/20); overlap > 0 {
				cells[k] += overlap / (to - from)
			}
		}
	}
}

// learnedByHand is a method's learner of seed 1 after the initial phase.
func learnedByHand(t *testing.T, s spec.Spec, m spec.Method, stream *sales.Stream) (Device, spec.Config) {
	t.Helper()
	most := 0
	for _, step := range stream.Steps {
		most = max(most, len(step))
	}
	e := task.Events(stream)
	c := s.Config(m, len(e.Items))
	config := dkf.Config{Config: c.Config, Filter: c.Filter, Columns: []string{"StockCode", "CustomerID", "Country"}, Numbers: 1, Length: 10,
		Maxima: []float32{38970}, GapUnit: 7 * 24 * time.Hour, MaxGaps: 3, Tick: time.Minute, Cells: baseline.Cells()}
	if config.Likelihood == packSizes {
		config.Likelihood = dkf.Histogram
	}
	model := filetest.Must(dkf.New(config))(t)
	learner := ledByHand(t, options(t, ""), model.Network, c.Config, 1, most, true, func() (*learn.Batch, error) { return model.Batch(e) })
	filetest.Check(t, learner.Fit(learner.All.Take(stream.Initial), s.Protocol.InitialEpochs))
	learner.Settle()
	return learner, c
}

// distributionOf reads forecasts of a spec's filter.
func distributionOf(c spec.Config) func([]float32) count.Distribution {
	f := c.Filter
	if f.Likelihood == packSizes {
		f.Likelihood = dkf.Histogram
	}
	return (&dkf.Model{Config: dkf.Config{Filter: f, Cells: baseline.Cells()}}).Forecast
}

// The filter reads the sales as they are: items by their tokens, a missing customer too.
func TestEvents(t *testing.T) {
	stream := threeDays(t)
	sales, e := stream.Sales, task.Events(stream)
	if len(e.Index) != 3*sales.NumRows() || len(e.Counts) != sales.NumRows() || len(e.Numbers) != sales.NumRows() {
		t.Fatalf("%d indices, %d counts, %d prices of %d sales", len(e.Index), len(e.Counts), len(e.Numbers), sales.NumRows())
	}
	seen := map[string]bool{}
	for row := range sales.NumRows() {
		for c := range 3 {
			token, want := e.Items[e.Index[row*3+c]], sales.Categorical[c].Token(row)
			if seen[token] = true; token != want {
				t.Fatalf("sale %d, column %d: %q, want %q", row, c, token, want)
			}
		}
		if e.Counts[row] != float32(sales.Quantities[row]) || e.Numbers[row] != float32(sales.Prices[row]) || e.Times[row] != sales.Minutes[row] {
			t.Fatalf("sale %d: %v at %v, minute %v", row, e.Counts[row], e.Numbers[row], e.Times[row])
		}
	}
	if len(seen) != len(e.Items) || !seen["CustomerID_<NA>"] || !seen["Country_United Kingdom"] || !slices.Equal(e.Windows, stream.Windows.Rows) {
		t.Errorf("%d items met of %d; %d windows", len(seen), len(e.Items), len(e.Windows)/10)
	}
}

// The rivals along the days are package baseline's forecasts: errors of their medians, and of the mean where it has one.
func TestDailyRivals(t *testing.T) {
	stream := threeDays(t)
	spec := tinyAuthors(t, protocol.Daily) // the rivals do not depend on whose model it is
	made, p, err := task.Load(spec, files.Options{AllowAltered: true})
	filetest.Check(t, err)
	methods, err := made.Baselines(spec, p)
	if err != nil || len(methods) != len(baseline.SalesNames()) {
		t.Fatalf("%d rivals, %v", len(methods), err)
	}
	for i, name := range baseline.SalesNames() {
		m := methods[i]
		if m.Name != name || m.Frozen || m.Hash != "" || len(m.Runs) != 2 || !baseline.Has(name) {
			t.Errorf("rival %d is %+v, want %s", i, m, name)
		}
		sums, n := make([]map[string]float64, 3), make([]map[string]float64, 3)
		for day := range sums {
			sums[day], n[day] = map[string]float64{}, map[string]float64{}
		}
		add := func(day int, metric string, v float64) { sums[day][metric] += v; n[day][metric]++ }
		rule := baseline.Forecasters(stream)[i]
		for day, windows := range stream.Steps {
			for _, w := range windows {
				y, f := stream.Sales.Quantities[stream.Windows.Last(int(w))], rule.Forecast(w)
				e := math.Abs(f.Median - float64(y))
				add(day, measure.AbsoluteError, e)
				if stream.Windows.IsPadded(int(w)) {
					continue
				}
				add(day, measure.WholeError, e)
				add(day, measure.CappedError, min(100, e))
				add(day, measure.ErrorOfMean, math.Abs(f.Mean-float64(y)))
				if f.Distribution != nil {
					add(day, measure.LogLikelihood, f.Distribution.LogProbability(int(y)))
				}
			}
		}
		for _, run := range m.Runs {
			for day := range sums {
				if scored := sums[day][measure.LogLikelihood] != 0; run.Rows[day] != len(stream.Steps[day]) || scored != (len(run.LogLikelihood) == 3) {
					t.Errorf("%s: rows %v, log-likelihoods %v", name, run.Rows, run.LogLikelihood)
				}
				for metric, sum := range sums[day] {
					if got, want := run.Series(metric)[day], sum/n[day][metric]; math.Abs(got-want) > 1e-6 {
						t.Errorf("%s, day %d: %s is %v, want %v", name, day, metric, got, want)
					}
				}
			}
		}
	}
}

// A stream is cut by the fields that name the windows, the first day and the number of days.
func TestRetailPlans(t *testing.T) {
	cut := func(change func(*protocol.Spec), named string) (*protocol.Plan, error) {
		return planOf(tinyRetail(t, named), change)
	}
	must := func(change func(*protocol.Spec), named string) *protocol.Plan {
		return filetest.Must(cut(change, named))(t)
	}
	short := must(func(*protocol.Spec) {}, protocol.Daily)
	all := must(func(p *protocol.Spec) { p.MaxChunks = 0 }, protocol.Daily)
	if !short.Scored || len(short.Tests) != 0 || len(all.Steps) != 16 || all.Days[15] != "2011-02-18" || slices.Contains(all.Days, "2011-02-05") { // a Saturday
		t.Errorf("%d days: %q", len(all.Steps), all.Days)
	}
	if !slices.Equal(short.Initial, all.Initial) || !slices.Equal(short.Days, all.Days[:3]) || !slices.EqualFunc(short.Steps, all.Steps[:3], slices.Equal[[]int32]) {
		t.Error("max_chunks changes more than the end")
	}
	later := must(func(p *protocol.Spec) { p.FirstDay = "2011-02-17" }, protocol.Daily)
	if !slices.Equal(later.Days, all.Days[14:]) || len(later.Initial) <= len(all.Initial) {
		t.Errorf("from 2011-02-17 on: %q after %d windows", later.Days, len(later.Initial))
	}
	if separate := must(func(p *protocol.Spec) { p.Windows = protocol.Separate }, protocol.Daily); len(separate.Initial) > len(all.Initial)/5 {
		t.Errorf("%d separate windows beside %d that overlap", len(separate.Initial), len(all.Initial))
	}
	groups := must(func(p *protocol.Spec) { p.Windows, p.MaxTestRows = protocol.Overlapping, 0 }, protocol.Products)
	if few := must(func(p *protocol.Spec) { p.MaxTestRows = 0 }, protocol.Products); groups.Scored || groups.Untrained || len(groups.Initial) < 5*len(few.Initial) || len(groups.Tests[0].Rows) < 5*len(few.Tests[0].Rows) {
		t.Errorf("overlapping %s, separate %s", protocoltest.SizesOf(groups), protocoltest.SizesOf(few))
	}
	_, err := cut(func(p *protocol.Spec) { p.FirstDay = "2011-02-19" }, protocol.Daily) // after the file
	filetest.WantError(t, err, "spec tiny, protocol", "choose another first day")
	for _, n := range []int{40, 1000} { // too few windows in a group, too few products
		_, err := cut(func(p *protocol.Spec) { p.Groups = n }, protocol.Products)
		filetest.WantError(t, err, "spec tiny, protocol", "group")
	}
}

// diverging has a method that overflows at its first update.
func diverging(t *testing.T, named string) spec.Spec {
	t.Helper()
	s := tinyRetail(t, named)
	s.Methods[1] = spec.Method{Name: "PHE Poisson", Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 2, Likelihood: dkf.Poisson, UpdateLearningRate: 1e30, Scope: phe.AllParameters}
	filetest.Check(t, s.Validate())
	return s
}

// Options of a filter that a method has for itself make a model of their own, with its own frozen row; the rest are shared.
func TestOwnFilters(t *testing.T) {
	none := 0.0
	s := tinyRetail(t, protocol.Daily)
	s.Seeds, s.Protocol.MaxChunks, s.Filter.ItemDropout = s.Seeds[:1], 1, 0.5
	own := func(name string, change func(*spec.Method)) spec.Method {
		m := spec.Method{Name: name, Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 1}
		change(&m)
		return m
	}
	s.Methods = []spec.Method{
		own("PHE", func(*spec.Method) {}),
		own("PHE likelihood", func(m *spec.Method) { m.Likelihood = dkf.NegativeBinomial }),
		own("PHE objective", func(m *spec.Method) { m.Objective = dkf.ELBO }),
		own("PHE inputs", func(m *spec.Method) { m.Inputs = dkf.Logarithms }),
		own("PHE transition", func(m *spec.Method) { m.Transition = dkf.WithoutGap }),
		own("PHE log-std", func(m *spec.Method) { m.InitialLogStdDev = -2 }),
		own("PHE no dropout", func(m *spec.Method) { m.ItemDropout = &none }),
	}
	f := mustRun(t, s, options(t, t.TempDir()))
	wantOwnModels(t, f, s.Methods)
	hashes := map[string]string{}
	for _, m := range s.Methods {
		hash := methodOf(t, f, m.Name, false).Hash
		if other, same := hashes[hash]; same {
			t.Errorf("%s hashes as %s does", m.Name, other)
		}
		hashes[hash] = m.Name
	}
	// A repeated setting changes nothing.
	said := own("PHE", func(m *spec.Method) {
		half := 0.5
		m.Likelihood, m.Objective, m.Inputs, m.Transition, m.ItemDropout = packSizes, dkf.Predictive, dkf.Relative, dkf.WithGap, &half
	})
	if s.Config(said, 7) != s.Config(s.Methods[0], 7) {
		t.Errorf("%+v, want %+v", s.Config(said, 7), s.Config(s.Methods[0], 7))
	}
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
		if got := r.together(f); fmt.Sprint(got) != "[[0 1 2] [3 4]]" {
			t.Errorf("%s: seeds %v side by side", f.name, got)
		}
	}
}
