package run

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/result/resulttest"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/spec/protocol/protocoltest"
	"gophe/experiments/task"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/onepass"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// ruleMethods are methods of all rules. One pass comes over hashed and over exact rows, from nothing and after the initial phase.
func ruleMethods() []spec.Method {
	return []spec.Method{
		{Name: "One pass", Rows: phe.Hashed, Estimate: phe.Posterior, Rule: spec.OnePass},
		{Name: "One pass after initial phase", Rows: phe.Hashed, Estimate: phe.Posterior, Rule: spec.OnePass, Start: spec.FromInitial},
		{Name: "One pass, exact rows", Rows: phe.Vocabulary, Estimate: phe.Posterior, Rule: spec.OnePass},
		{Name: "One pass, exact rows after initial phase", Rows: phe.Vocabulary, Estimate: phe.Posterior, Rule: spec.OnePass,
			Start: spec.FromInitial},
		{Name: "AdPredictor", Rows: phe.Vocabulary, Estimate: phe.Posterior, Rule: spec.AdPredictor},
		{Name: "Bayesian logistic regression", Rows: phe.Vocabulary, Estimate: phe.Posterior, Rule: spec.BayesianLogistic},
		{Name: "Refitted logistic regression", Rows: phe.Vocabulary, Estimate: phe.Point, Rule: spec.RefittedLogistic},
		{Name: "Stream", Rows: phe.Hashed, Estimate: phe.Posterior, Rule: spec.Stream, Memory: 1 << 14},
		{Name: "phe stream", Rows: phe.Hashed, Estimate: phe.Posterior, Rule: spec.PheStream, Memory: 1 << 13},
		{Name: "Hashed AdPredictor", Rows: phe.Hashed, Estimate: phe.Posterior, Rule: spec.AdPredictor, NumBuckets: 64},
		{Name: "FTRL", Rows: phe.Hashed, Estimate: phe.Point, Rule: spec.FTRL, NumBuckets: 64, UpdateLearningRate: 0.1},
		{Name: "Adagrad", Rows: phe.Vocabulary, Estimate: phe.Point, Rule: spec.Adagrad, UpdateLearningRate: 0.1},
	}
}

// tinyOnePass is a spec of one pass by a protocol, on the first rows of Adult.
func tinyOnePass(t *testing.T, named string) spec.Spec {
	t.Helper()
	spec := tinyOf(t, named)
	spec.Methods = ruleMethods()
	filetest.Check(t, spec.Validate())
	return spec
}

// passByHand is a learner of package onepass with the rows of Adult, made without the runner's code.
type passByHand struct {
	*onepass.Model
	row func(row int32) *onepass.Row
}

func newByHand(t *testing.T, spec spec.Spec, exact bool) passByHand {
	t.Helper()
	table := resulttest.MustLoad(t, "adult")
	items := task.Itemise(table)
	e := spec.Model.Encoder
	c := onepass.Config{
		Inputs:  onepass.Inputs{Columns: len(table.Categorical), Numbers: len(table.Numeric)},
		Outputs: 1,
		Hashing: onepass.Hashing{Dim: e.EmbeddingDim, Buckets: e.NumBuckets, Hashes: e.NumHashes,
			WeightRows: e.NumWeights, Assembly: onepass.WeightedSum},
		Likelihood: onepass.Likelihood{Head: onepass.Bernoulli, Approximation: onepass.MacKay},
		Prior:      onepass.Prior{E: 1, W: 1, Theta: 1, Block: 10},
		Rule:       onepass.Rule{Tempering: 1, Least: 1e-6, Gamma: 1},
	}
	if exact {
		e = phe.Config{Rows: phe.Vocabulary, Estimate: phe.Posterior, EmbeddingDim: 1, Capacity: len(items.Items)}
		c.Hashing = onepass.Hashing{Dim: 1, Buckets: len(items.Items), Hashes: 1, Assembly: onepass.Mean}
		c.Prior = onepass.Prior{E: 10, Block: 10}
	}
	learner := filetest.Must(onepass.New(c))(t)
	if exact { // an item's number is its share of the logit, and starts at 0
		f := learner.Beliefs()
		clear(f.Tables["E"].Mean)
		for i := range f.Tables["theta"].Mean {
			f.Tables["theta"].Mean[i] = 1
		}
		filetest.Check(t, learner.SetBeliefs(f))
	}
	encoder := filetest.Must(phe.NewEncoder(e))(t)
	rows := filetest.Must(encoder.Items(items.Items))(t)
	return passByHand{learner, func(row int32) *onepass.Row {
		r := &onepass.Row{}
		for column := range table.Categorical {
			item := int(items.Index[int(row)*len(table.Categorical)+column])
			cell := onepass.Cell{Column: int32(column), Share: 1}
			if !exact {
				cell.Weights = rows.Weights[item]
			}
			r.Add(cell, rows.Buckets[item*c.Hashes:(item+1)*c.Hashes]...)
		}
		for _, column := range table.Numeric {
			r.Numbers = append(r.Numbers, float64(float32(column.Values[row])))
		}
		return r
	}}
}

// The runner leads one pass as one would by hand: every initial row once, then each step predicted whole before its rows are
// learned one by one. The frozen model stops after the initial rows.
func TestOnePassByHand(t *testing.T) {
	s := tinyOnePass(t, protocol.Order)
	f := inFull(t, s)
	_, p := loaded(t, s)
	for _, name := range []string{"One pass", "One pass, exact rows"} {
		for _, frozen := range []bool{false, true} {
			learner := newByHand(t, s, strings.Contains(name, "exact"))
			learn := func(rows []int32) {
				for _, row := range rows {
					learner.Predict(learner.row(row))
					learner.Update(float64(p.Table.Labels[row]), 1)
				}
			}
			predict := func(rows []int32, accuracy, logLikelihood float64) {
				t.Helper()
				var predicted []float32
				for _, row := range rows {
					for _, share := range learner.Predict(learner.row(row)).Classes {
						predicted = append(predicted, float32(math.Log(share)))
					}
				}
				wantTableScore(t, name, rows, predicted, accuracy, logLikelihood)
			}
			run := methodOf(t, f, name, frozen).Runs[0]
			test := func(i int) {
				t.Helper()
				predict(p.Tests[0].Rows, run.Tests[i].Accuracy, run.Tests[i].LogLikelihood)
			}
			learn(p.Initial)
			test(0)
			for step, rows := range p.Steps {
				predict(rows, run.Accuracy[step], run.LogLikelihood[step])
				if !frozen {
					learn(rows)
				}
			}
			test(1)
		}
	}
}

// A posterior as sure as the initial phase leaves it, σ = e^−10, learns nothing: every step scores as the frozen model does. The
// same means with variances made anew begin with the same predictions and then learn.
func TestOnePassFromSurePosterior(t *testing.T) {
	for _, rows := range []phe.RowChoice{phe.Hashed, phe.Vocabulary} {
		s := tinyOf(t, protocol.Online)
		s.Methods = []spec.Method{
			{Name: "Sure", Rows: rows, Estimate: phe.Posterior, Rule: spec.OnePass, Start: spec.FromPosterior},
			{Name: "Resettled", Rows: rows, Estimate: phe.Posterior, Rule: spec.OnePass, Start: spec.FromInitial},
		}
		f := resultOf(t, s)
		frozen := methodOf(t, f, initialName(spec.Method{Rows: rows, Estimate: phe.Posterior}), true).Runs[0]
		sure, resettled := methodOf(t, f, "Sure", false).Runs[0], methodOf(t, f, "Resettled", false).Runs[0]
		filetest.Want(t, sure.Accuracy, frozen.Accuracy, "%s, sure: accuracy", rows)
		for i, l := range sure.LogLikelihood {
			filetest.Near(t, l, frozen.LogLikelihood[i], 1e-3, "%s, sure, step %d: log-likelihood", rows, i)
		}
		filetest.Want(t, resettled.Accuracy[0], frozen.Accuracy[0], "%s, resettled: first accuracy", rows)
		filetest.True(t, resettled.LogLikelihood[2] != frozen.LogLikelihood[2], "%s, resettled: nothing was learned", rows)
		filetest.Want(t, resettled.UpdateSteps, 72, "%s, resettled: steps", rows)
	}
}

// A start from nothing needs no model: the initial phase, samples and learning rate of the spec and of its methods do not
// count. The frozen model after an initial phase is the device methods' frozen model.
func TestOnePassIdentity(t *testing.T) {
	ofDevice := map[string]change{"initial phase": func(s *spec.Spec, _ *spec.Method) {
		s.Protocol.InitialEpochs, s.Model.LearningRate, s.Model.TestSamples, s.Model.Encoder.InitialLogStdDev = 7, 0.5, 9, -1
	}}
	wantIdentities(t, func() spec.Spec { return tinyOnePass(t, protocol.Online) }, ofDevice,
		map[string]change{"buckets": func(s *spec.Spec, _ *spec.Method) { s.Model.Encoder.NumBuckets = 11 }})
	s := tinyOnePass(t, protocol.Online)
	nothing, initial := s.Resolve(s.Methods[0]), s.Resolve(s.Methods[1])
	wantIdentities(t, func() spec.Spec {
		s := tinyOnePass(t, protocol.Online)
		s.Methods = s.Methods[1:]
		return s
	}, nil, ofDevice)
	device := s.Resolve(spec.Method{Name: "PHE", Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 3}).Initial()
	own := nothing.Initial().Fingerprint()
	filetest.Want(t, initial.Initial().Fingerprint(), device.Fingerprint(), "the initial model of one pass, and the device's")
	filetest.True(t, own != nothing.Fingerprint() && own != device.Fingerprint(), "the frozen model from nothing has another's identity")
}

// Random orders differ by their draw, and the first depends on the arrival alone. From nothing all begin with one frozen model.
func TestDraws(t *testing.T) {
	s := tinyOf(t, protocol.Order)
	s.Methods = nil
	for i := range 3 {
		s.Methods = append(s.Methods, spec.Method{Name: fmt.Sprint("One pass order ", i), Rows: phe.Hashed, Estimate: phe.Posterior,
			Rule: spec.OnePass, Arrival: protocol.Shuffled, Draw: i})
	}
	f := resultOf(t, s)
	first := map[float64]bool{}
	for _, m := range s.Methods {
		first[methodOf(t, f, m.Name, false).Runs[0].LogLikelihood[0]] = true
	}
	filetest.Want(t, len(first), 3, "different first steps")
	filetest.Want(t, len(f.Methods), 3+1+2, "methods, one of them the frozen model for all")
	m := s.Methods[1]
	same := s.Resolve(m)
	m.Draw = 2
	filetest.True(t, s.Resolve(m).Fingerprint() != same.Fingerprint(), "the draw does not count")
}

// Memory is counted with the head and the block. Adult has 8 columns, 5 numbers and, here, 3 dimensions.
func TestOnePassNumbers(t *testing.T) {
	f := mustRun(t, tinyOnePass(t, protocol.Online), options(t, t.TempDir()))
	table := resulttest.MustLoad(t, "adult")
	columns, numbers, items := len(table.Categorical), len(table.Numeric), len(task.Itemise(table).Items)
	hashed, block := 2*(7*3+11*3), numbers+1+(numbers+1)*(numbers+1)
	for label, want := range map[string][2]int{
		"One pass":                                 {hashed, hashed + 2*columns*3 + block},
		"One pass (frozen)":                        {hashed, hashed + 2*columns*3 + block},
		"One pass after initial phase":             {hashed, hashed + 2*columns*3 + block},
		"PHE (frozen)":                             {hashed, hashed + columns*3 + numbers + 1},
		"One pass, exact rows":                     {2 * items, 2*items + block},
		"AdPredictor":                              {2 * (items + numbers + 1), 2 * (items + numbers + 1)},
		"One pass, exact rows after initial phase": {2 * 3 * items, 2*3*items + 2*columns*3 + block},
	} {
		name, frozen := strings.CutSuffix(label, " (frozen)")
		m := methodOf(t, f, name, frozen)
		filetest.Want(t, [2]int{m.Parameters, m.TotalParameters}, want, "%s: numbers in tables, and in all", label)
	}
}

// Progress of a run without a device counts up to all of the work.
func TestOnePassProgress(t *testing.T) {
	s := tinyOnePass(t, protocol.GroupWise)
	s.Methods = slices.DeleteFunc(s.Methods, func(m spec.Method) bool { return m.Start != spec.FromNothing })
	o := options(t, t.TempDir())
	last, calls := 0.0, 0
	o.Progress = func(done float64, _ string) {
		filetest.True(t, done > last, "progress goes from %v to %v", last, done)
		last, calls = done, calls+1
	}
	f := mustRun(t, s, o)
	filetest.Near(t, last, 1, 1e-9, "progress at the end")
	filetest.Want(t, calls, 10*(1+2*2), "calls: of ten methods the initial rows, and two steps frozen and not")
	for _, m := range f.Methods[:20] {
		run := m.Runs[0]
		filetest.Want(t, run.Tests[0].After, result.Untrained, "%s: first test", m.Label())
		filetest.True(t, run.Tests[0].LogLikelihood != run.Tests[3].LogLikelihood, "%s: knows nothing after the initial rows", m.Label())
		filetest.Want(t, run.Seconds.Compile, 0, "%s: seconds of compilation", m.Label())
	}
}

// Seeds draw the means at the start where rows are hashed. Where an item has its own row nothing is drawn, and one learner stands for
// all seeds.
func TestOnePassSeeds(t *testing.T) {
	spec := tinyOnePass(t, protocol.Online)
	spec.Methods, spec.Seeds = spec.Methods[:3:3], []int64{0, 1}
	f := resultOf(t, spec)
	for _, m := range spec.Methods {
		runs := methodOf(t, f, m.Name, false).Runs
		alike := slices.Equal(runs[0].LogLikelihood, runs[1].LogLikelihood)
		filetest.Want(t, alike, m.Rows == phe.Vocabulary, "%s: seeds are alike", m.Name)
	}
}

// The runner leads the model of package stream as a program with late labels would: it learns the initial rows at once, and then asks about
// all rows of a step before it brings their labels. The scores are those of the forecasts that Ask gave, to the four decimals of a result,
// and head and census count as memory.
func TestPheStreamByHand(t *testing.T) {
	s := tinyOf(t, protocol.Order)
	s.Methods = []spec.Method{{Name: "phe stream", Rows: phe.Hashed, Estimate: phe.Posterior, Rule: spec.PheStream, Memory: 1 << 13}}
	f := resultOf(t, s)
	table := resulttest.MustLoad(t, "adult")
	own := schema.Schema{Target: schema.Target{Column: "income", Kind: schema.Classes, Classes: table.Classes}}
	for _, c := range table.Categorical {
		own.Columns = append(own.Columns, schema.Column{Name: c.Name, Kind: schema.Category})
	}
	for _, n := range table.Numeric {
		own.Columns = append(own.Columns, schema.Column{Name: n.Name, Kind: schema.Number})
	}
	own.Columns = append(own.Columns, schema.Column{Name: "income", Kind: schema.Label})
	l := filetest.Must(stream.New(own, stream.Options{Memory: 1 << 13}))(t)
	record := func(row int32, label string) (fields []string) {
		for _, c := range table.Categorical {
			fields = append(fields, c.Values[row])
		}
		for _, n := range table.Numeric {
			fields = append(fields, fmt.Sprint(n.Values[row]))
		}
		return append(fields, label)
	}
	p := protocoltest.MustPlan(t, s.Protocol, table)
	for _, row := range p.Initial {
		_, _, err := l.Step(record(row, table.Classes[table.Labels[row]]))
		filetest.Check(t, err)
	}
	method := methodOf(t, f, "phe stream", false)
	for step, rows := range p.Steps {
		sum := 0.0
		for _, row := range rows {
			forecast := filetest.Must(l.Ask(strconv.Itoa(int(row)), record(row, "")))(t)
			sum += math.Log([]float64{1 - forecast.Probability, forecast.Probability}[table.Labels[row]])
		}
		filetest.Near(t, method.Runs[0].LogLikelihood[step], sum/float64(len(rows)), 0.51e-4, "step %d: log-likelihood", step)
		for _, row := range rows {
			filetest.Check(t, l.Label(strconv.Itoa(int(row)), table.Classes[table.Labels[row]]))
		}
	}
	n := method.TotalParameters // the census has 2¹⁸ counters
	filetest.Want(t, method.Parameters, 1<<11, "numbers in the tables")
	filetest.True(t, n >= 1<<18+1<<11+500 && n <= 1<<19, "%d numbers in all", n)
}
