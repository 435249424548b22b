package run

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/result/resulttest"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/spec/protocol/protocoltest"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/models/dkf"
	"gophe/phe/models/ncf"
)

// tinyOf returns tiny with another protocol of full. Retail's protocols and the protocol of ratings have their own spec.
func tinyOf(t *testing.T, p string) spec.Spec {
	t.Helper()
	switch p {
	case protocol.Daily, protocol.Products:
		return tinyRetail(t, p)
	case protocol.Recommend:
		return tinyRatings(t)
	}
	spec := tiny(t)
	spec.Protocol = protocoltest.Full[p]
	spec.Methods = spec.Methods[:2]
	spec.Seeds = spec.Seeds[:1]
	filetest.Check(t, spec.Validate())
	return spec
}

// Each protocol of tables and the days of sales, from spec to file. TestProducts, TestRecommend and TestTwoItems take the others.
func TestEveryProtocol(t *testing.T) {
	for name := range protocoltest.Full {
		if s := tinyOf(t, name); s.OfTable() {
			t.Run(name, func(t *testing.T) {
				wantWhole(t, s, "PHE", "SlowAda", "PHE (frozen)", "SlowAda (frozen)", baseline.Majority, baseline.ItemMajority)
			})
		}
	}
	labels := map[string][]string{"forecast": {"PHE", "Ada", "EE replay", "PHE (frozen)", "Ada (frozen)", "EE replay (frozen)"},
		"authors": {"PHE", "PHE all", "Ada", "PHE (frozen)", "Ada (frozen)"}}
	for kind, s := range retailSpecs(t, protocol.Daily) {
		t.Run("daily, "+kind, func(t *testing.T) { wantWhole(t, s, append(labels[kind], baseline.SalesNames()...)...) })
	}
}

// wantWhole checks what the file of every result holds, whatever the protocol, and that its last seed has the same result again. It returns
// the result with all digits.
func wantWhole(t *testing.T, s spec.Spec, labels ...string) *result.File {
	t.Helper()
	o := options(t, t.TempDir())
	file, f := finished(t, s, o), inFull(t, s)
	text := string(filetest.Must(os.ReadFile(filepath.Join(o.Out, "tiny.json")))(t))
	filetest.True(t, !strings.Contains(text, "null"), "a list is null in the file\n%s", text)
	made, p := loaded(t, s)
	filetest.Want(t, f.Status, result.Complete, "status")
	filetest.Want(t, f.Manifest.Dataset, s.Dataset, "dataset")
	filetest.Want(t, f.Manifest.DataSHA256, made.About().SHA256, "checksum")
	filetest.Want(t, f.Manifest.DataVerified, false, "data are verified")
	filetest.Want(t, fmt.Sprintf("%+v", f.Stream), fmt.Sprintf("%+v", p.Describe()), "stream")
	filetest.Want(t, labelsOf(f), labels, "the list of methods")
	for i := range f.Methods {
		m := &f.Methods[i]
		kind, want := []string{m.Protocol, m.Dataset, m.Convention}, []string{s.Protocol.Name, s.Dataset, s.Convention()}
		filetest.Want(t, kind, want, "kind of %s", m.Label())
		var seeds []int64
		for _, run := range m.Runs {
			seeds = append(seeds, run.Seed)
			checkRun(t, s, p, m, run)
		}
		filetest.Want(t, seeds, s.Seeds, "the list of %s's seeds", m.Label())
		for _, metric := range measure.Metrics(m) {
			lacks := metric == measure.Regret || metric == measure.LogLikelihood && m.Runs[0].LogLikelihood == nil // there is no reference
			_, ok := measure.Of(metric, f, m, &m.Runs[0])
			filetest.Want(t, ok, !lacks, "%s has %s", m.Label(), metric)
		}
		if m.Hash != "" && p.Scored {
			wantLearns(t, f, m)
		}
		file.Methods[i].Runs = file.Methods[i].Runs[len(m.Runs)-1:]
	}
	s.Seeds = s.Seeds[len(s.Seeds)-1:]
	wantSame(t, resultOf(t, s), file, "a seed again")
	return f
}

// wantLearns checks that a method starts as its frozen model and ends differently, and that its seeds differ.
func wantLearns(t *testing.T, f *result.File, m *result.Method) {
	t.Helper()
	first := map[float64]bool{}
	for k, run := range m.Runs {
		first[run.LogLikelihood[0]] = true
		if frozen := f.Method(m.Name, true); !m.Frozen && frozen != nil {
			other := frozen.Runs[k]
			for metric, series := range seriesOf(run) {
				filetest.Want(t, series[0], other.Series(metric)[0], "%s, seed %d, at first: %s", m.Label(), run.Seed, metric)
			}
			learned := !slices.Equal(run.LogLikelihood[1:], other.LogLikelihood[1:])
			filetest.True(t, learned, "%s, seed %d: nothing was learned", m.Label(), run.Seed)
		}
	}
	filetest.Want(t, len(first), len(m.Runs), "%s: number of different seeds", m.Label())
}

// seriesOf returns the series of a run by their metrics.
func seriesOf(run result.Run) map[string][]float64 {
	all := map[string][]float64{}
	for _, metric := range append(slices.Collect(maps.Keys(run.Scores)), measure.Accuracy, measure.LogLikelihood) {
		if series := run.Series(metric); series != nil {
			all[metric] = series
		}
	}
	return all
}

// checkRun demands a whole run: the steps of its epochs, a score for each step of a scored plan, and tests at the right places.
func checkRun(t *testing.T, s spec.Spec, p *protocol.Plan, m *result.Method, run result.Run) {
	t.Helper()
	name := fmt.Sprintf("%s, seed %d", m.Label(), run.Seed)
	filetest.Want(t, run.Status, result.Complete, "%s: status", name)
	var rows []int
	batches, updates, initial := 0, 0, 0
	for _, step := range p.Steps {
		batches += Batches(len(step), s.Model.BatchSize)
		if p.Scored {
			rows = append(rows, len(step))
		}
	}
	if m.Hash != "" {
		initial = s.Protocol.InitialEpochs * Batches(len(p.Initial), s.Model.BatchSize)
	}
	if m.Hash != "" && !m.Frozen {
		updates = batches * s.Methods[slices.IndexFunc(s.Methods, func(own spec.Method) bool { return own.Name == m.Name })].UpdateEpochs
	}
	filetest.Want(t, run.InitialSteps, initial, "%s: number of initial steps", name)
	filetest.Want(t, run.UpdateSteps, updates, "%s: number of update steps", name)
	filetest.Want(t, run.Rows, rows, "%s: the list of rows", name)
	if s.OfTable() {
		filetest.Want(t, len(run.Accuracy), len(rows), "%s: number of accuracies", name)
		filetest.Want(t, len(run.LogLikelihood), len(rows), "%s: number of log-likelihoods", name)
	}
	for metric, series := range seriesOf(run) {
		filetest.Want(t, len(series), len(rows), "%s: number of scores by %s", name, metric)
	}
	checkTests(t, s, p, m, run)
}

// checkTests demands tests at the right places. A model that learns nothing scores the same each time.
func checkTests(t *testing.T, s spec.Spec, p *protocol.Plan, m *result.Method, run result.Run) {
	t.Helper()
	var want, got [][2]int // after which step, and of which set
	for set := range p.Tests {
		if p.Untrained {
			want = append(want, [2]int{result.Untrained, set})
		}
	}
	for after := range len(p.Steps) + 1 {
		for set := range p.Tests {
			if p.TestsAfter(after) {
				want = append(want, [2]int{after, set})
			}
		}
	}
	isModel := m.Hash != ""
	first := map[int]result.Score{} // after the initial phase
	for _, score := range run.Tests {
		got = append(got, [2]int{score.After, score.Set})
		if score.After == 0 {
			first[score.Set] = score
		}
		good := score.Accuracy >= 0 && score.Accuracy <= 1 && (score.AbsoluteError > 0) != s.OfTable()
		good = good && (score.LogLikelihood < 0) == (s.OfTable() || isModel)
		infinite := math.IsInf(score.AbsoluteError, 0) || math.IsInf(score.LogLikelihood, 0)
		filetest.True(t, good && !infinite, "%s: score %+v", m.Label(), score)
		start := first[score.Set]
		start.After = score.After
		if learns := isModel && !m.Frozen; learns && score.After > 0 || m.Frozen && score.After > 0 || !isModel && !s.OfTable() {
			filetest.Want(t, score != start, learns, "%s goes from %+v to %+v, and has learned", m.Label(), start, score)
		}
	}
	filetest.Want(t, got, want, "%s: the list of tests", m.Label())
}

// ways runs methods of one spec, made of a protocol on the first rows of Adult, and returns the file.
func ways(t *testing.T, named string, methods ...spec.Method) *result.File {
	t.Helper()
	spec := tinyOf(t, named)
	spec.Methods = methods
	for i := range methods {
		if methods[i].Rows == "" {
			methods[i].Rows, methods[i].Estimate = phe.Hashed, phe.Posterior
		}
		if methods[i].UpdateEpochs == 0 {
			methods[i].UpdateEpochs = 2
		}
	}
	filetest.Check(t, spec.Validate())
	return inFull(t, spec)
}

// scores of a method's only run.
func scores(t *testing.T, f *result.File, name string) []float64 {
	t.Helper()
	run := methodOf(t, f, name, false).Runs[0]
	var all []float64
	for _, s := range run.Tests {
		all = append(all, s.LogLikelihood)
	}
	return append(slices.Clone(run.LogLikelihood), all...)
}

// Methods that differ in how they go on share one initial model: they score alike until they have learned something, and
// differently after it.
func TestOwnWaysToGoOn(t *testing.T) {
	forgets := json.RawMessage(`{"update_kl_weight": 0.01}`)
	for name, methods := range map[string][]spec.Method{
		"scope": {{Name: "column"}, {Name: "columns", Scope: phe.AllColumns}, {Name: "parameters", Scope: phe.AllParameters}},
		"scope of a vocabulary": {{Name: "column", Rows: phe.Vocabulary, Estimate: phe.Posterior},
			{Name: "columns", Rows: phe.Vocabulary, Estimate: phe.Posterior, Scope: phe.AllColumns},
			{Name: "parameters", Rows: phe.Vocabulary, Estimate: phe.Posterior, Scope: phe.AllParameters}},
		"learning rate": {{Name: "slow", UpdateLearningRate: 0.001}, {Name: "fast", UpdateLearningRate: 0.1}, {Name: "as ever"}},
		"KL weight":     {{Name: "forgets", Model: &forgets}, {Name: "as ever"}},
		"epochs":        {{Name: "one", UpdateEpochs: 1}, {Name: "two"}, {Name: "three", UpdateEpochs: 3}},
		"replay":        {{Name: "PHE"}, {Name: "PHE replay", Replay: true}},
	} {
		f := ways(t, protocol.Online, methods...)
		frozen := methodOf(t, f, resulttest.Pick(methods[0].Rows == phe.Vocabulary, "P-EE", "PHE"), true)
		filetest.Want(t, len(f.Methods), len(methods)+1+2, "%s: methods, with one frozen model for all", name)
		last := map[float64]string{frozen.Runs[0].LogLikelihood[2]: "frozen"}
		for _, m := range methods {
			l := scores(t, f, m.Name)
			filetest.Want(t, l[0], frozen.Runs[0].LogLikelihood[0], "%s: %s, and the frozen model at first", name, m.Name)
			filetest.Want(t, last[l[2]], "", "%s: %s ends as another", name, m.Name)
			last[l[2]] = m.Name
		}
	}
}

// Methods do not depend on earlier methods.
func TestMethodsAreIndependent(t *testing.T) {
	want := scores(t, ways(t, protocol.Order, spec.Method{Name: "PHE"}), "PHE")
	methods := []spec.Method{{Name: "columns", Scope: phe.AllColumns}, {Name: "fast", UpdateLearningRate: 0.1},
		{Name: "at once", Arrival: protocol.AtOnce}, {Name: "replay", Replay: true}, {Name: "PHE"}}
	f := ways(t, protocol.Order, methods...)
	for _, m := range methods {
		same := slices.Equal(scores(t, f, m.Name), want)
		filetest.Want(t, same, m.Name == "PHE", "after the methods before it, %s scores as PHE does alone", m.Name)
	}
}

// The runner takes the very steps that one would take by hand: predict and score a step's rows, then learn from them, or
// from all rows up to and with them, and take the tests before the first step and after the last. Beliefs are wide and
// batches small: noise and order count.
func TestStepsByHand(t *testing.T) {
	s := tinyOf(t, protocol.Order)
	s.Methods = []spec.Method{
		{Name: "PHE", Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 2},
		{Name: "PHE replay", Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 2, Replay: true},
	}
	s.Model.BatchSize, s.Model.Encoder.InitialLogStdDev = 7, -1
	f := inFull(t, s)
	_, p := loaded(t, s)
	for _, m := range s.Methods {
		d, _ := ledByHand(t, s, m, 0)
		run, rows := methodOf(t, f, m.Name, false).Runs[0], p.Tests[0].Rows
		// replay takes as many steps of the optimiser as an update has epochs, whatever its rows
		steps := m.UpdateEpochs * len(p.Steps) * resulttest.Pick(m.Replay, 1, Batches(24, 7))
		filetest.Want(t, run.UpdateSteps, steps, "%s: steps of updates", m.Name)
		test := func(number, after int) {
			t.Helper()
			score, predicted := run.Tests[number], predictedAt(t, d, rows, after+1)
			wantTableScore(t, fmt.Sprint(m.Name, ", test ", number), rows, predicted, score.Accuracy, score.LogLikelihood)
		}
		test(0, 0)
		along(t, d, m, p, func(step int, predicted []float32) {
			wantTableScore(t, fmt.Sprint(m.Name, ", step ", step), p.Steps[step], predicted, run.Accuracy[step], run.LogLikelihood[step])
		})
		test(1, len(p.Steps))
	}
}

// Sizes of its own, options of a filter and genres make a model of its own, with its own frozen row. A repeated setting does not.
func TestOwnModels(t *testing.T) {
	none, half := 0.0, 0.5
	sales, ratings := tinyRetail(t, protocol.Daily), tinyRatings(t)
	sales.Filter.ItemDropout = half
	numbers := func(buckets, dim, weights, hashes int) int { return 2 * (buckets*dim + weights*hashes) }
	said := map[string]spec.Method{ // what the specs say of the first method anyway
		"adult": {NumBuckets: 7, NumHashes: 3, NumWeights: 11, EmbeddingDim: 3},
		"retail": {Likelihood: packSizes, Objective: dkf.Predictive, Inputs: dkf.Relative, Transition: dkf.WithGap,
			ItemDropout: &half},
		"ml-latest-small": {Genres: ncf.MultiHot},
	}
	for _, c := range []struct {
		spec    spec.Spec
		methods []spec.Method
		numbers []int // of each, where they differ
	}{
		{tinyOf(t, protocol.Online), []spec.Method{{Name: "PHE"}, {Name: "PHE B=11", NumBuckets: 11}, {Name: "PHE K=2", NumHashes: 2},
			{Name: "PHE P=5", NumWeights: 5}, {Name: "PHE d=2", EmbeddingDim: 2}, {Name: "PHE mean", Assembly: phe.Average},
			{Name: "PHE moments", Scheme: phe.Moments}},
			[]int{numbers(7, 3, 11, 3), numbers(11, 3, 11, 3), numbers(7, 3, 11, 2), numbers(7, 3, 5, 3), numbers(7, 2, 11, 3),
				numbers(7, 3, 0, 0), numbers(7, 3, 11, 3)}},
		{sales, []spec.Method{{Name: "PHE"}, {Name: "PHE likelihood", Likelihood: dkf.NegativeBinomial},
			{Name: "PHE objective", Objective: dkf.ELBO}, {Name: "PHE inputs", Inputs: dkf.Logarithms},
			{Name: "PHE transition", Transition: dkf.WithoutGap}, {Name: "PHE log-std", InitialLogStdDev: -2},
			{Name: "PHE no dropout", ItemDropout: &none}}, nil},
		{ratings, []spec.Method{{Name: "PHE"}, {Name: "PHE embedded", Genres: ncf.Embedded},
			{Name: "PHE no genres", Genres: ncf.NoLabels}}, nil},
	} {
		s := c.spec
		s.Seeds, s.Protocol.MaxChunks, s.Methods = s.Seeds[:1], 1, c.methods
		for i := range s.Methods {
			m := &s.Methods[i]
			m.Rows, m.Estimate, m.UpdateEpochs = phe.Hashed, phe.Posterior, 1
		}
		filetest.Check(t, s.Validate())
		f := inFull(t, s)
		hashes, starts := map[string]string{}, map[float64]string{}
		for i, m := range s.Methods {
			own, frozen := methodOf(t, f, m.Name, false), methodOf(t, f, m.Name, true)
			filetest.Want(t, hashes[own.Hash], "", "%s hashes as another method", m.Name)
			start := own.Runs[0].LogLikelihood[0]
			filetest.Want(t, start, frozen.Runs[0].LogLikelihood[0], "%s, and its frozen model at first", m.Name)
			filetest.Want(t, starts[start], "", "%s starts as another", m.Name)
			hashes[own.Hash], starts[start] = m.Name, m.Name
			if c.numbers != nil {
				filetest.Want(t, [2]int{own.Parameters, frozen.Parameters}, [2]int{c.numbers[i], c.numbers[i]}, "%s: numbers", m.Name)
			}
		}
		again := said[s.Dataset]
		again.Rows, again.Estimate = phe.Hashed, phe.Posterior
		filetest.Want(t, s.Config(again, 7), s.Config(s.Methods[0], 7), "%s: the configuration where settings are repeated", s.Dataset)
	}
}

// An arrival is another order of the same rows, from the same initial model. Ada shows it best: after so short an initial
// phase PHE is so sure of itself that an update moves it by the signs of the gradients alone, in whatever order.
func TestArrivals(t *testing.T) {
	arrivals := []protocol.Arrival{protocol.AsItComes, protocol.Shuffled, protocol.Reversed, protocol.ByItem, protocol.AtOnce}
	var methods []spec.Method
	for _, a := range arrivals {
		methods = append(methods, spec.Method{Name: "Ada " + string(a), Rows: phe.Hashed, Estimate: phe.Point, Arrival: a, UpdateEpochs: 5})
	}
	f := ways(t, protocol.Order, methods...)
	ends, starts := map[float64]protocol.Arrival{}, map[float64]protocol.Arrival{}
	known := methodOf(t, f, "Ada", true).Runs[0].Tests[0].LogLikelihood
	for _, a := range arrivals {
		run := methodOf(t, f, "Ada "+string(a), false).Runs[0]
		rows, after := []int{24, 24, 24}, 3
		if a == protocol.AtOnce {
			rows, after = []int{72}, 1
		}
		filetest.Want(t, run.Rows, rows, "%s: rows", a)
		filetest.Want(t, [3]int{len(run.Tests), run.Tests[0].After, run.Tests[1].After}, [3]int{2, 0, after},
			"%s: tests, and steps before them", a)
		// At once, predictions come in larger blocks, and with them other samples.
		within := resulttest.Pick(a == protocol.AtOnce, 0.01, 0)
		filetest.Near(t, run.Tests[0].LogLikelihood, known, within, "%s, and the initial model at first", a)
		filetest.Want(t, starts[run.LogLikelihood[0]], "", "%s meets the rows of another", a)
		filetest.Want(t, ends[run.Tests[1].LogLikelihood], "", "%s ends as another", a)
		starts[run.LogLikelihood[0]], ends[run.Tests[1].LogLikelihood] = a, a
	}
}
