package run

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"gophe/data/column"
	"gophe/data/labelled"
	"gophe/data/splits"
	"gophe/experiments/result"
	"gophe/experiments/result/resulttest"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/task"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/models/dkf"
)

func TestRunComplete(t *testing.T) {
	out := filepath.Join(t.TempDir(), "made", "by", "run")
	s, o := tiny(t), options(t, out)
	var shares []float64
	o.Progress = func(done float64, _ string) { shares = append(shares, done) }
	f := mustRun(t, s, o)
	wantSame(t, readResult(t, out), f, "read from the file")
	filetest.WantFiles(t, out, fileNames[:]...)
	filetest.True(t, slices.IsSorted(shares) && shares[0] > 0, "progress %v; want a rise to 1", shares)
	filetest.Near(t, shares[len(shares)-1], 1, 1e-9, "the progress at the end")
	m := f.Manifest
	filetest.Want(t, []string{f.Name, m.SpecHash, m.Backend}, []string{"tiny", s.Fingerprint(), "go"}, "the manifest")
	filetest.True(t, len(m.DataSHA256) == 64 && m.Commit != "" && m.Versions["go"] != "", "manifest %+v", m)
	filetest.True(t, m.Seconds > 0 && m.PeakMemoryMB > 0, "%g s, %g MB", m.Seconds, m.PeakMemoryMB)
	read := filetest.Must(spec.Parse("manifest", m.Spec))(t)
	filetest.Want(t, read.Fingerprint(), s.Fingerprint(), "the manifest's spec")
	filetest.Want(t, read.Seeds, s.Seeds, "the list of seeds")
	whole := wantWhole(t, s, "PHE", "SlowAda", "FastAda", "PHE (frozen)", "Ada (frozen)", "Majority", "ItemMajority")
	filetest.Want(t, whole.Methods[0].Runs[0].Rows, []int{24, 24, 24}, "four fifths of each block of 30: the list of rows")
}

// overflowing is a method whose first update overflows.
func overflowing(name string) spec.Method {
	return spec.Method{Name: name, Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 2, UpdateLearningRate: 1e30,
		Scope: phe.AllParameters}
}

// A method that diverges is written down with its step, and the others go on.
func TestDiverged(t *testing.T) {
	table, ratings := tiny(t), tinyRatings(t)
	table.Model.KLWeight = 1e300 // it overflows float32, and ruins the methods with a posterior
	ratings.Seeds, ratings.Methods[1] = ratings.Seeds[:1], overflowing("PHE fast")
	for _, c := range []struct {
		name             string
		spec             spec.Spec
		diverges         []string
		at, steps, tests int // scored before the method broke
	}{
		{"table", table, []string{"PHE", "PHE (frozen)"}, 0, 0, 0},
		{"days", diverging(t, protocol.Daily), []string{"PHE Poisson"}, 1, 1, 0},
		{"products", diverging(t, protocol.Products), []string{"PHE Poisson"}, 0, 0, 3},
		{"ratings", ratings, []string{"PHE fast"}, 1, 1, 0},
	} {
		out := t.TempDir()
		f := mustRun(t, c.spec, options(t, out))
		filetest.Want(t, f.Status, result.Complete, "%s: a diverged run is finished too; status", c.name)
		wantSame(t, readResult(t, out), f, "%s, read from the file", c.name)
		filetest.WantFiles(t, out, fileNames[:]...)
		for _, m := range f.Methods {
			for _, run := range m.Runs {
				want := resulttest.Pick(slices.Contains(c.diverges, m.Label()), result.Diverged, result.Complete)
				filetest.Want(t, run.Status, want, "%s: status of %s", c.name, m.Label())
				if want == result.Complete {
					continue
				}
				sizes := [3]int{run.DivergedAt, len(run.Rows), len(run.Tests)}
				filetest.Want(t, sizes, [3]int{c.at, c.steps, c.tests},
					"%s: step of divergence, steps and tests of %s", c.name, m.Label())
				for metric, series := range seriesOf(run) {
					filetest.Want(t, len(series), c.steps, "%s: steps of %s by %s", c.name, m.Label(), metric)
				}
			}
		}
	}
}

// Learning rates far too large end in NaN, ±∞ or numbers near the end of float32 or float64; none may break the file, or search for a
// median for ever.
func TestDivergedLearningRates(t *testing.T) {
	table := tiny(t)
	table.Protocol.InitialEpochs, table.Model.BatchSize = 1, 1000
	for _, c := range []struct {
		spec  spec.Spec
		rates []float64
	}{
		{table, []float64{1e10, 3e12, 1e19, 1e30, 1e300}}, // 3e12 gives a log-likelihood of −∞
		{tinyRetail(t, protocol.Daily), []float64{30, 1e300}},
		{tinyAuthors(t, protocol.Daily), []float64{30, 1e300}},
		{tinyRatings(t), []float64{30, 1e10, 1e300}},
	} {
		for _, rate := range c.rates {
			if between := rate == 1e10 || rate == 1e19 || rate == 1e30; between && !filetest.Long() {
				continue
			}
			s, out := c.spec, t.TempDir()
			s.Seeds, s.Model.LearningRate = s.Seeds[:1], rate
			if s.Filter != nil {
				s.Filter.Likelihood = dkf.Poisson
			}
			if s.Dataset != table.Dataset {
				s.Protocol.MaxChunks = 2
			}
			filetest.Want(t, mustRun(t, s, options(t, out)).Status, result.Complete, "%s, rate %g: status", s.Dataset, rate)
			filetest.Want(t, readResult(t, out).Status, result.Complete, "%s, rate %g: status in the file", s.Dataset, rate)
		}
	}
}

// Along a plan: scores before learning, tests when the plan has them, all seeds alike. Eight rows of item a are of class 1,
// four of item b of class 0.
func TestRivals(t *testing.T) {
	table := &labelled.Table{Name: "made up", Classes: []string{"no", "yes"}, Incremental: 1, Labels: slices.Repeat([]int32{1, 1, 0}, 4),
		Categorical: []column.Categorical{{Name: "other", Values: slices.Repeat([]string{"x", "y", "z"}, 4)},
			{Name: "c", Values: slices.Concat(slices.Repeat([]string{"a"}, 8), slices.Repeat([]string{"b"}, 4))}}}
	slices.SortFunc(table.Labels, func(a, b int32) int { return int(b - a) })
	spec := tiny(t)
	stream := &labelled.Stream{Table: table, Initial: []int32{0, 1}, Steps: [][]int32{{2, 8}, {9, 10, 3}, {11}},
		Tests: []splits.Test{{Rows: []int32{4, 5, 6}}, {Rows: []int32{7}}}}
	rivals := func(p protocol.Plan) []result.Method {
		p.Stream = stream
		return filetest.Must((task.NewClassification(table)).Baselines(spec, &p))(t)
	}
	got := rivals(protocol.Plan{Scored: true, TestEvery: 2})
	var names []string
	var numbers []int
	for _, m := range got {
		names, numbers = append(names, m.Name), append(numbers, m.Parameters)
	}
	filetest.Want(t, names, []string{baseline.Majority, baseline.ItemMajority}, "rivals")
	filetest.Want(t, numbers, []int{2, 2 * (1 + 2)}, "parameters: counts of two classes, and for each of two items")
	log := func(p float64) float64 { return math.Log(p) }
	want := map[string]result.Run{
		// Class counts, one added to each: 1:3 before the first step, then 2:4, then 4:5 with rows 9, 10 and 3.
		baseline.Majority: {Accuracy: []float64{0.5, 1. / 3, 0}, LogLikelihood: []float64{
			(log(3./4) + log(1./4)) / 2, (2*log(2./6) + log(4./6)) / 3, log(4. / 9)}},
		// Item a: two rows of class 1, so (2+p)/3 where p is Majority's; item b is new at first.
		baseline.ItemMajority: {Accuracy: []float64{0.5, 1, 1}, LogLikelihood: []float64{
			(log((2+3./4)/3) + log(1./4)) / 2, (2*log((1+2./6)/2) + log((3+4./6)/4)) / 3, log((3 + 4./9) / 4)}},
	}
	for _, m := range got {
		kind := [3]string{m.Dataset, m.Protocol, m.Convention}
		filetest.Want(t, kind, [3]string{spec.Dataset, spec.Protocol.Name, spec.Convention()}, "kind of %s", m.Name)
		filetest.True(t, !m.Frozen && len(m.Runs) == 2, "%s: %+v", m.Name, m)
		for i, run := range m.Runs {
			filetest.True(t, run.Seed == int64(i) && run.Status == result.Complete, "%s: %+v", m.Name, run)
			filetest.Want(t, run.Rows, []int{2, 3, 1}, "%s: rows", m.Name)
			filetest.Want(t, run.Accuracy, want[m.Name].Accuracy, "%s: accuracy", m.Name)
			for k, l := range run.LogLikelihood {
				filetest.Near(t, l, want[m.Name].LogLikelihood[k], 1e-6, "%s, step %d: log-likelihood", m.Name, k)
			}
			var after [][2]int
			for _, s := range run.Tests {
				after = append(after, [2]int{s.After, s.Set})
				tie := m.Name == baseline.Majority && s.After == 3 // four rows of each class: it goes to class 0
				// all test rows are of class 1, the majority until then
				filetest.Want(t, s.Accuracy, resulttest.Pick(tie, 0., 1.), "%s: accuracy of test %+v", m.Name, s)
			}
			filetest.Want(t, after, [][2]int{{0, 0}, {0, 1}, {2, 0}, {2, 1}, {3, 0}, {3, 1}}, "%s: tests after, and of set", m.Name)
		}
	}

	run := rivals(protocol.Plan{Untrained: true, TestEvery: 1})[0].Runs[0]
	filetest.True(t, run.Rows != nil, "null in place of no rows")
	filetest.Want(t, [3]int{len(run.Rows), len(run.Accuracy), len(run.LogLikelihood)}, [3]int{}, "scores of steps that are not scored")
	filetest.Want(t, len(run.Tests), 2*(1+4), "tests")
	first := run.Tests[0]
	filetest.True(t, first.After == result.Untrained && first.Accuracy == 0, "untrained, a tie goes to class 0: %+v", first)
	filetest.Near(t, first.LogLikelihood, log(0.5), 1e-6, "untrained: log-likelihood")
}

// exactPrediction is Supp. F by hand: the posterior of three entries, prior N(0, 1), after n0 targets 1 of item (1, 1, 0)
// and n1 targets −1 of item (0, 1, 1) with noise of variance 1. The precision is
//
//	1+n0   n0      0
//	n0     1+n0+n1 n1
//	0      n1      1+n1
//
// and Λμ = (n0, n0−n1, −n1).
func exactPrediction(t *testing.T, n0, n1 float64, item int) float64 {
	t.Helper()
	precision := mat.NewDense(3, 3, []float64{1 + n0, n0, 0, n0, 1 + n0 + n1, n1, 0, n1, 1 + n1})
	var mean mat.VecDense
	filetest.Check(t, mean.SolveVec(precision, mat.NewVecDense(3, []float64{n0, n0 - n1, -n1})))
	return mean.AtVec(item) + mean.AtVec(item+1)
}

func TestTwoItems(t *testing.T) {
	const n, blocks, rate = 20, 5, 0.1
	s := twoItemsSpec(t)
	s.Protocol.ChunkRows, s.Protocol.MaxChunks = n, blocks
	f := mustRun(t, s, Options{Out: t.TempDir()}) // it needs no backend
	filetest.Want(t, f.Status, result.Complete, "status")
	filetest.Want(t, [2]int{f.Stream.Steps, len(f.Stream.Changes)}, [2]int{n * blocks, blocks}, "steps and changes")
	filetest.Want(t, f.Stream.Changes[3], result.Change{Step: 3 * n, What: "item 1"}, "the fourth change")
	filetest.Want(t, labelsOf(f), []string{"Observation", "PHE", "Ada", "EE"}, "methods")
	for _, m := range f.Methods {
		filetest.Want(t, len(m.Runs), 1, "%s: runs", m.Name)
		filetest.Want(t, len(m.Runs[0].Prediction), n*blocks, "%s: predictions", m.Name)
		filetest.Want(t, m.Runs[0].Status, result.Complete, "%s: status", m.Name)
	}
	of := func(name string, step int) float64 { return f.Method(name, false).Runs[0].Prediction[step] }
	var e0, e1, e2, own0, own1 float64 // rows of the shared table, and of one without collisions
	var n0, n1 float64
	for step := range n * blocks {
		want := map[string]float64{}
		if item := step / n % 2; item == 0 {
			want["Observation"], want["PHE"], want["Ada"], want["EE"] = 1, exactPrediction(t, n0, n1, 0), e0+e1, own0
			n0++
			e0, e1, own0 = e0-rate*(e0+e1-1), e1-rate*(e0+e1-1), own0-rate*(own0-1)
		} else {
			want["Observation"], want["PHE"], want["Ada"], want["EE"] = -1, exactPrediction(t, n0, n1, 1), e1+e2, own1
			n1++
			e1, e2, own1 = e1-rate*(e1+e2+1), e2-rate*(e1+e2+1), own1-rate*(own1+1)
		}
		for name, w := range want {
			filetest.Near(t, of(name, step), w, 1e-12, "%s, step %d", name, step)
		}
	}
}

// A rate of online learning that is left out is the learning rate, here as everywhere.
func TestTwoItemsRate(t *testing.T) {
	s := twoItemsSpec(t)
	s.Model.UpdateLearningRate, s.Model.LearningRate = 0, 0.5
	second := func(name string) float64 {
		return mustRun(t, s, Options{Out: t.TempDir()}).Method(name, false).Runs[0].Prediction[1]
	}
	filetest.Want(t, second("EE"), 0.5, "after one step of rate 0.5 towards 1")
	s.Methods = []spec.Method{{Name: "EE fast", Rows: phe.Vocabulary, Estimate: phe.Point, UpdateEpochs: 1, UpdateLearningRate: 0.25}}
	filetest.Want(t, second("EE fast"), 0.25, "after one step of the method's rate 0.25 towards 1")
}

func twoItemsSpec(t *testing.T) spec.Spec {
	t.Helper()
	return filetest.Must(spec.Load("two-items"))(t)
}
