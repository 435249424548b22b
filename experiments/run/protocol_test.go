package run

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/spec/protocol/protocoltest"
	"gophe/experiments/task"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn"
	"gophe/phe/models/tabular"
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

// Each protocol from spec to file: the scores, the tests and their times.
func TestEveryProtocol(t *testing.T) {
	for name := range protocoltest.Full {
		if slices.Contains([]string{protocol.TwoItems, protocol.Daily, protocol.Products, protocol.Recommend}, name) {
			continue // twoitems_test.go, retail_test.go, recommending_test.go
		}
		t.Run(name, func(t *testing.T) {
			spec, out := tinyOf(t, name), t.TempDir()
			p := protocoltest.MustPlan(t, spec.Protocol, fixture.MustLoad(t, "adult"))
			f := finished(t, spec, options(t, out))
			if f.Status != result.Complete || f.Stream.Steps != len(p.Steps) || f.Stream.Initial != len(p.Initial) || len(f.Stream.Tests) != len(p.Tests) {
				t.Errorf("%s, stream %+v", f.Status, f.Stream)
			}
			for i := range f.Methods {
				m := &f.Methods[i]
				if m.Protocol != name || m.Dataset != "adult" || len(m.Runs) != 1 {
					t.Fatalf("%s is of %s %s, %d runs", m.Label(), m.Dataset, m.Protocol, len(m.Runs))
				}
				checkLayout(t, p, m)
			}
			if names := labelsOf(f); !slices.Equal(names, []string{"PHE", "SlowAda", "PHE (frozen)", "SlowAda (frozen)", baseline.Majority, baseline.ItemMajority}) {
				t.Errorf("methods %q", names)
			}
			wantNoNull(t, out)
			for _, metric := range measure.Metrics(&f.Methods[0]) {
				if _, ok := measure.Of(metric, f, &f.Methods[0], &f.Methods[0].Runs[0]); ok != (metric != measure.Regret) { // there is no reference
					t.Errorf("%s: %v", metric, ok)
				}
			}
		})
	}
}

// checkLayout: a score for each step of a scored plan, and tests at the right places.
func checkLayout(t *testing.T, p *protocol.Plan, m *result.Method) {
	t.Helper()
	run := m.Runs[0]
	var rows []int
	if p.Scored {
		for _, step := range p.Steps {
			rows = append(rows, len(step))
		}
	}
	if !slices.Equal(run.Rows, rows) || len(run.Accuracy) != len(rows) || len(run.LogLikelihood) != len(rows) {
		t.Errorf("%s: rows %v, %d accuracies; want rows %v", m.Label(), run.Rows, len(run.Accuracy), rows)
	}
	var want, got []string
	if p.Untrained {
		for set := range p.Tests {
			want = append(want, fmt.Sprint(result.Untrained, " ", set))
		}
	}
	for after := range len(p.Steps) + 1 {
		if !p.TestsAfter(after) {
			continue
		}
		for set := range p.Tests {
			want = append(want, fmt.Sprint(after, " ", set))
		}
	}
	known := map[int]result.Score{} // of a frozen model, after the initial phase
	for _, s := range run.Tests {
		got = append(got, fmt.Sprint(s.After, " ", s.Set))
		if s.After == 0 {
			known[s.Set] = s
		}
		if s.Accuracy < 0 || s.Accuracy > 1 || !(s.LogLikelihood < 0) || math.IsInf(s.LogLikelihood, 0) {
			t.Errorf("%s: score %+v", m.Label(), s)
		}
		if start := known[s.Set]; m.Frozen && s.After > 0 && (s.Accuracy != start.Accuracy || s.LogLikelihood != start.LogLikelihood) {
			t.Errorf("%s, frozen, changes from %+v to %+v", m.Label(), start, s)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: tests after, of set, %q; want %q", m.Label(), got, want)
	}
	if learns := !m.Frozen && m.Hash != ""; learns != (run.UpdateSteps > 0) {
		t.Errorf("%s: %d update steps", m.Label(), run.UpdateSteps)
	} else if n := len(run.Tests) - 1; learns && len(p.Tests) > 0 && run.Tests[n].LogLikelihood == known[run.Tests[n].Set].LogLikelihood && run.Tests[n].LogLikelihood != 0 {
		t.Errorf("%s: knows nothing new at the end", m.Label())
	}
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
	return mustExecute(t, spec, options(t, t.TempDir()))
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
		"scope of a vocabulary": {{Name: "column", Rows: phe.Vocabulary, Estimate: phe.Posterior}, {Name: "columns", Rows: phe.Vocabulary, Estimate: phe.Posterior, Scope: phe.AllColumns},
			{Name: "parameters", Rows: phe.Vocabulary, Estimate: phe.Posterior, Scope: phe.AllParameters}},
		"learning rate": {{Name: "slow", UpdateLearningRate: 0.001}, {Name: "fast", UpdateLearningRate: 0.1}, {Name: "as ever"}},
		"KL weight":     {{Name: "forgets", Model: &forgets}, {Name: "as ever"}},
		"epochs":        {{Name: "one", UpdateEpochs: 1}, {Name: "two"}, {Name: "three", UpdateEpochs: 3}},
		"replay":        {{Name: "PHE"}, {Name: "PHE replay", Replay: true}},
	} {
		f := ways(t, protocol.Online, methods...)
		frozen := f.Method("PHE", true)
		if methods[0].Rows == phe.Vocabulary {
			frozen = f.Method("P-EE", true)
		}
		if len(f.Methods) != len(methods)+1+2 || frozen == nil {
			t.Errorf("%s: %d methods; want one frozen model for all", name, len(f.Methods))
			continue
		}
		last := map[float64]string{frozen.Runs[0].LogLikelihood[2]: "frozen"}
		for _, m := range methods {
			l := scores(t, f, m.Name)
			if l[0] != frozen.Runs[0].LogLikelihood[0] {
				t.Errorf("%s: %s starts with %v, the initial model has %v", name, m.Name, l[0], frozen.Runs[0].LogLikelihood[0])
			}
			if other, same := last[l[2]]; same {
				t.Errorf("%s: %s ends as %s does", name, m.Name, other)
			}
			last[l[2]] = m.Name
		}
	}
}

// A method's setting that repeats the model's changes nothing, and methods do not depend on earlier methods.
func TestMethodsAreIndependent(t *testing.T) {
	want := scores(t, ways(t, protocol.Order, spec.Method{Name: "PHE"}), "PHE")
	methods := []spec.Method{{Name: "columns", Scope: phe.AllColumns}, {Name: "fast", UpdateLearningRate: 0.1}, {Name: "at once", Arrival: protocol.AtOnce}, {Name: "replay", Replay: true},
		{Name: "said", Scope: phe.IncrementalColumn, UpdateLearningRate: 0.01, NumBuckets: 7, NumHashes: 3, NumWeights: 11, EmbeddingDim: 3}, {Name: "PHE"}}
	f := ways(t, protocol.Order, methods...)
	for _, m := range methods {
		if same := slices.Equal(scores(t, f, m.Name), want); same != (m.Name == "said" || m.Name == "PHE") {
			t.Errorf("after the methods before it, %s scores as PHE does alone: %v", m.Name, same)
		}
	}
}

// The runner takes the very steps that one would take by hand: predict and score a step's rows, then learn from them, or
// from all rows up to and with them, and take the tests before the first step and after the last. Beliefs are wide and
// batches small: noise and order count.
func TestStepsByHand(t *testing.T) {
	methods := []spec.Method{{Name: "PHE", Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 2}, {Name: "PHE replay", Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 2, Replay: true}}
	spec, o := tinyOf(t, protocol.Order), options(t, t.TempDir())
	spec.Methods, spec.Model.BatchSize, spec.Model.Encoder.InitialLogStdDev = methods, 7, -1
	f := mustExecute(t, spec, o)
	table := fixture.MustLoad(t, "adult")
	p, items := protocoltest.MustPlan(t, spec.Protocol, table), task.Itemise(table)
	for _, m := range methods {
		c := spec.Config(m, len(items.Items)).Config
		c.Incremental = table.Incremental
		model := filetest.Must(tabular.New(tabular.Config{Config: c, Columns: task.Names(table.Categorical), Numbers: len(table.Numeric), Classes: len(table.Classes)}))(t)
		learner := ledByHand(t, o, model.Network, c, 0, p.LargestStep(), true, func() (*learn.Batch, error) { return model.Batch(items) })
		filetest.Check(t, learner.Fit(learner.All.Take(p.Initial), spec.Protocol.InitialEpochs))
		learner.Settle()
		run, past := methodOf(t, f, m.Name, false).Runs[0], slices.Clone(p.Initial)
		predict := func(what string, rows []int32, step int, accuracy, logLikelihood float64) {
			t.Helper()
			predicted := predictedAt(t, learner, rows, step)
			var labels []int32
			for _, row := range rows {
				labels = append(labels, table.Labels[row])
			}
			if a, l := measure.ClassAccuracy(predicted, labels, 2), measure.ClassLogLikelihood(predicted, labels, 2); a != accuracy || !(math.Abs(l-logLikelihood) <= 1e-7) {
				t.Errorf("%s, %s %d: by hand %v and %v, by the runner %v and %v", m.Name, what, step, a, l, accuracy, logLikelihood)
			}
		}
		test := func(number, after int) {
			t.Helper()
			predict("test", p.Tests[0].Rows, after+1, run.Tests[number].Accuracy, run.Tests[number].LogLikelihood)
		}
		test(0, 0)
		for step, rows := range p.Steps {
			predict("step", rows, step, run.Accuracy[step], run.LogLikelihood[step])
			if past = append(past, rows...); m.Replay {
				filetest.Check(t, learner.Replay(learner.All.Take(past), m.UpdateEpochs))
			} else {
				filetest.Check(t, learner.Update(learner.All.Take(rows), m.UpdateEpochs))
			}
		}
		test(1, len(p.Steps))
	}
}

// ledByHand is a learner of one seed, which the test leads.
func ledByHand(t *testing.T, o Options, n learn.Network, c learn.Config, seed int64, most int, pinned bool, batch func() (*learn.Batch, error)) Device {
	t.Helper()
	all := filetest.Must(batch())(t)
	l, err := learn.New(n, c, learn.Options{Backend: o.Backend, Seeds: []int64{seed}, MaxUpdated: most})
	if err == nil && pinned {
		err = l.Pin(all)
	} else if err == nil {
		err = l.Meet(all)
	}
	filetest.Check(t, err)
	t.Cleanup(l.Close)
	return Device{Learner: l, All: all}
}

// predictedAt returns the predictions of rows with the noise of a step's number.
func predictedAt(t *testing.T, d Device, rows []int32, step int) []float32 {
	t.Helper()
	return filetest.Must(d.PredictDraw(d.All.Take(rows), uint64(step)))(t).Values
}

// Sizes of its own make a model of its own, with its own frozen row.
func TestOwnSizes(t *testing.T) {
	methods := []spec.Method{{Name: "PHE"}, {Name: "PHE B=11", NumBuckets: 11}, {Name: "PHE K=2", NumHashes: 2}, {Name: "PHE P=5", NumWeights: 5}, {Name: "PHE d=2", EmbeddingDim: 2},
		{Name: "PHE mean", Assembly: phe.Average}, {Name: "PHE moments", Scheme: phe.Moments}}
	f := ways(t, protocol.Online, methods...)
	wantOwnModels(t, f, methods)
	for name, numbers := range map[string]int{ // 2·(B·d + P·K)
		"PHE": 2 * (7*3 + 11*3), "PHE B=11": 2 * (11*3 + 11*3), "PHE K=2": 2 * (7*3 + 11*2), "PHE P=5": 2 * (7*3 + 5*3), "PHE d=2": 2 * (7*2 + 11*3), "PHE mean": 2 * 7 * 3, "PHE moments": 2 * (7*3 + 11*3),
	} {
		if online, frozen := methodOf(t, f, name, false), methodOf(t, f, name, true); online.Parameters != numbers || frozen.Parameters != numbers {
			t.Errorf("%s: %d numbers, frozen %d; want %d", name, online.Parameters, frozen.Parameters, numbers)
		}
	}
}

// Replay takes as many steps of the optimiser as an update has epochs, whatever its rows; its minibatches come from the past.
func TestReplay(t *testing.T) {
	f := ways(t, protocol.GroupWise, spec.Method{Name: "PHE"}, spec.Method{Name: "PHE replay", Replay: true})
	p := protocoltest.MustPlan(t, protocoltest.Full[protocol.GroupWise], fixture.MustLoad(t, "adult"))
	update, replay := methodOf(t, f, "PHE", false).Runs[0], methodOf(t, f, "PHE replay", false).Runs[0]
	if want := 2 * (Batches(len(p.Steps[0]), 64) + Batches(len(p.Steps[1]), 64)); update.UpdateSteps != want || replay.UpdateSteps != 2*2 {
		t.Errorf("%d steps of updates and %d of replay, want %d and 4", update.UpdateSteps, replay.UpdateSteps, want)
	}
	for i, s := range replay.Tests {
		if same := s == update.Tests[i]; same != (s.After <= 0) {
			t.Errorf("test %+v, without replay %+v", s, update.Tests[i])
		}
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
		if !slices.Equal(run.Rows, rows) || len(run.Tests) != 2 || run.Tests[0].After != 0 || run.Tests[1].After != after {
			t.Fatalf("%s: rows %v, tests %+v; want %v, and tests after 0 and %d", a, run.Rows, run.Tests, rows, after)
		}
		// At once, predictions come in larger blocks, and with them other samples.
		if gap := math.Abs(run.Tests[0].LogLikelihood - known); gap > 0.01 || gap > 0 && a != protocol.AtOnce {
			t.Errorf("%s starts with %v, the initial model has %v", a, run.Tests[0].LogLikelihood, known)
		}
		if other, same := starts[run.LogLikelihood[0]]; same {
			t.Errorf("%s meets the rows that %s does", a, other)
		}
		if other, same := ends[run.Tests[1].LogLikelihood]; same {
			t.Errorf("%s ends as %s does", a, other)
		}
		starts[run.LogLikelihood[0]], ends[run.Tests[1].LogLikelihood] = a, a
	}
}
