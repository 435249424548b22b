package run

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"gophe/data/files"
	"gophe/data/labelled"
	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/spec/protocol/protocoltest"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
	"gophe/phe/learn"
	"gophe/phe/models/tabular"
)

// growing is a stream of seven examples of one column, whose items are a, b, c, a, d, e, f. The first one is initial.
func growing(t *testing.T) (*tabular.Model, *learn.Batch, *protocol.Plan) {
	t.Helper()
	c := tabular.Paper()
	c.Encoder = phe.Config{Rows: phe.Hashed, Estimate: phe.Posterior, EmbeddingDim: 2, NumBuckets: 2, NumHashes: 2, NumWeights: 3,
		Assembly: phe.WeightedSum, Hash: hash.CarterWegman}
	c.Columns, c.Classes, c.Scope = []string{"letter"}, 2, phe.AllColumns
	m := filetest.Must(tabular.New(c))(t)
	all, err := m.Batch(tabular.Data{Items: []string{"a", "b", "c", "d", "e", "f"}, ItemColumns: make([]int32, 6),
		Index: []int32{0, 1, 2, 0, 3, 4, 5}, Labels: []int32{0, 1, 0, 1, 0, 1, 0}})
	filetest.Check(t, err)
	return m, all, &protocol.Plan{Stream: &labelled.Stream{Initial: []int32{0}, Steps: [][]int32{{1}, {3, 0}, {2, 4, 5}, {6}}}}
}

// Tables double before a step that brings more items than they have room for, as often as it takes, and not when they are just
// full. A result counts the parameters of the tables at the end.
func TestGrowingTables(t *testing.T) {
	m, all, p := growing(t)
	for beyond, want := range map[float64][]int{1: {2, 2, 8, 8}, 0.5: {4, 4, 16, 16}, 3: {2, 2, 2, 2}, 0: {2, 2, 2, 2}} {
		l := filetest.Must(learn.New(m.Network, m.Config.Config, learn.Options{Backend: options(t, "").Backend}))(t)
		defer l.Close()
		method := spec.Method{Name: "PHE grown", UpdateEpochs: 1, GrowBeyond: beyond}
		d := Device{Learner: l, All: all}.WithMethod(method)
		if beyond > 0 {
			d.seen = itemsSeen(all, m.Network.Columns, p)[1:]
		}
		var rows []int
		for step := range p.Steps {
			filetest.Check(t, d.Learn(p, step))
			rows = append(rows, d.tableRows())
		}
		filetest.Want(t, rows, want, "beyond %g items a row: rows of the tables, step by step", beyond)
		s := filetest.Must(l.Snapshot())(t)
		numbers := 0 // E and W, means and deviations
		for _, list := range s.Parameters[:4] {
			numbers += len(list)
		}
		said := grownConfig(spec.Config{Config: m.Config.Config}, method, 6).Encoder.NumParameters()
		filetest.Want(t, said, numbers, "beyond %g items a row: numbers in tables", beyond)
	}
}

// A result tells the numbers that a grown method has at the end of its stream, where the frozen model has the numbers of the start. The
// last item to come makes the tables double here.
func TestGrowingRun(t *testing.T) {
	s := tinyOf(t, protocol.Growing)
	made, p := loaded(t, s)
	network, all, err := made.Network(s.Config(s.Methods[0], made.About().NumItems))
	filetest.Check(t, err)
	seen := itemsSeen(all, network.Columns, p) // by the end of the initial phase and of each step
	most := seen[len(seen)-1]
	filetest.True(t, seen[1] < most, "the items by the end of steps are %d: none comes after the first step", seen)
	s.Model.Encoder.Hash = hash.CarterWegman
	c := s.Model.Encoder
	plain := spec.Method{Name: "PHE", Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 1}
	grown := plain
	grown.Name, grown.GrowBeyond = "PHE grown", (float64(most)-0.5)/float64(c.NumBuckets)
	s.Methods = []spec.Method{plain, grown}
	f := inFull(t, s)
	small := 2 * (c.NumBuckets*c.EmbeddingDim + c.NumWeights*c.NumHashes)
	for name, want := range map[string]int{"PHE": small, "PHE grown": 2 * small} {
		filetest.Want(t, methodOf(t, f, name, false).Parameters, want, "%s: numbers", name)
	}
	filetest.Want(t, methodOf(t, f, "PHE", true).Parameters, small, "numbers of the frozen model")
	tests := methodOf(t, f, "PHE grown", false).Runs[0].Tests
	for i, test := range methodOf(t, f, "PHE", false).Runs[0].Tests {
		apart := math.Abs(tests[i].LogLikelihood - test.LogLikelihood)
		filetest.Want(t, apart > 1e-4, test.After == len(p.Steps), "after step %d, grown tables make a difference of %g", test.After, apart)
	}
}

// Hash functions are chosen by the initial rows alone, a result names the chosen draw, and a run by this draw alone is the same run.
func TestHashDraws(t *testing.T) {
	s := tiny(t)
	s.Model.Encoder.Hash = hash.CarterWegman
	s.Methods = s.Methods[:2]
	own := json.RawMessage(`{"encoder": {"hash_seed": 10, "hash_draws": 8}}`)
	s.Methods[0].Model, s.Methods[1].Model = &own, &own
	made, p := loaded(t, s)
	config := s.Config(s.Methods[0], 0)
	config.Encoder.HashDraws = 0
	network, all, err := made.Network(config)
	filetest.Check(t, err)
	e := config.Encoder
	known := all.Known(p.Initial, network.Columns, e.Hash)
	want := filetest.Must(hash.Best(e.Hash, e.NumHashes, e.NumBuckets, e.NumWeights, known, 10, 8))(t)

	f := resultOf(t, s)
	for _, m := range f.Methods {
		filetest.True(t, m.Scheme == "" || m.HashSeed == want,
			"%s ran by draw %d, and %d keeps items apart best", m.Label(), m.HashSeed, want)
	}
	s.Model.Encoder.HashSeed, s.Methods[0].Model, s.Methods[1].Model = want, nil, nil
	for i, m := range resultOf(t, s).Methods {
		filetest.Want(t, m.Runs[0].Summary, f.Methods[i].Runs[0].Summary, "%s by this draw alone, and by the chosen draw,", m.Label())
		filetest.True(t, m.HashSeed == 0, "%s names draw %d, and nothing was chosen", m.Label(), m.HashSeed)
	}
}

// With initial_convergence each initial phase ends by its own ELBO, and a result counts its epochs. A stopped run goes on to the same end.
func TestInitialConvergence(t *testing.T) {
	s := tiny(t)
	s.Methods, s.Model.Scheme, s.Model.Loss = s.Methods[:1], phe.Quadrature, phe.Expected
	s.Protocol.InitialEpochs, s.Model.LearningRate, s.Model.InitialConvergence, s.Model.Restarts = 60, 0.3, 1, 2
	f := inFull(t, s)
	made, p := loaded(t, s)
	c := s.Config(s.Methods[0], made.About().NumItems)
	for k, seed := range s.Seeds {
		d := filetest.Must(NewDevice(made, options(t, "").Backend, c, []int64{seed, seed + 1<<32}, p.LargestStep(), true))(t)
		t.Cleanup(d.Close)
		filetest.Check(t, d.Fit(d.All.Take(p.Initial), s.Protocol.InitialEpochs))
		epochs := d.EpochsTaken()[0] + d.EpochsTaken()[1]
		filetest.True(t, epochs < 2*s.Protocol.InitialEpochs, "seed %d took all epochs, and shows no end", seed)
		filetest.Want(t, methodOf(t, f, "PHE", true).Runs[k].InitialSteps, epochs*Batches(len(p.Initial), c.BatchSize),
			"initial steps of seed %d", seed)
	}
	s.Seeds = s.Seeds[:1]
	stopAndResume(t, "initial convergence", s, options(t, t.TempDir()), []int{20, 61})
}

// With restarts a seed goes on from the initial phase with the best ELBO of the initial rows, as when it is led by hand. A run that was
// stopped goes on to the same end, and one restart changes nothing.
func TestRestarts(t *testing.T) {
	s := tinyOf(t, protocol.GroupWise) // which also tests the untrained model
	s.Methods, s.Model.Scheme, s.Model.Loss = s.Methods[:1], phe.Quadrature, phe.Expected
	plain := inFull(t, s)
	s.Model.Restarts = 1
	one := methodOf(t, inFull(t, s), "PHE", true)
	filetest.Want(t, one.Runs[0].Tests, methodOf(t, plain, "PHE", true).Runs[0].Tests, "tests with one restart")
	s.Model.Restarts = 3
	f := inFull(t, s)
	made, p := loaded(t, s)
	c := s.Config(s.Methods[0], made.About().NumItems)
	elsewhere := false
	for k, seed := range s.Seeds {
		var best Device
		most := math.Inf(-1)
		for r := range int64(3) {
			d := filetest.Must(NewDevice(made, options(t, "").Backend, c, []int64{seed + r<<32}, p.LargestStep(), true))(t)
			t.Cleanup(d.Close)
			filetest.Check(t, d.Fit(d.All.Take(p.Initial), s.Protocol.InitialEpochs))
			if elbo := filetest.Must(d.ELBO(d.All.Take(p.Initial)))(t)[0]; elbo > most {
				best, most, elsewhere = d, elbo, elsewhere || r > 0
			}
		}
		run := methodOf(t, f, "PHE", true).Runs[k]
		for _, test := range run.Tests {
			if test.After >= 0 {
				want := filetest.Must(best.Score(p.Tests[test.Set].Rows, 1))(t)[0].Metrics
				filetest.Near(t, test.LogLikelihood, want[measure.LogLikelihood], 1e-5, "seed %d, test %d", seed, test.Set)
			}
		}
		filetest.Want(t, run.InitialSteps, 3*methodOf(t, plain, "PHE", true).Runs[k].InitialSteps, "initial steps")
		filetest.Want(t, run.Tests[0], methodOf(t, plain, "PHE", true).Runs[k].Tests[0], "the first test before anything is learned")
	}
	filetest.True(t, elsewhere, "the first initial phase is the best of each seed, and shows no choice")
	stopAndResume(t, "restarts", s, options(t, t.TempDir()), []int{1, 2, 4})
}

// lacking returns methods of every kind that do not get some columns, named alike.
func lacking(columns ...string) []spec.Method {
	methods := append(ruleMethods(),
		spec.Method{Name: "PHE", Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 2},
		spec.Method{Name: "P-EE", Rows: phe.Vocabulary, Estimate: phe.Posterior, UpdateEpochs: 2},
		spec.Method{Name: "FastAda", Rows: phe.Hashed, Estimate: phe.Point, UpdateEpochs: 3})
	for i := range methods {
		methods[i].Without = columns
		if methods[i].Rule == "" {
			methods[i].Scope = phe.AllParameters
		}
	}
	return methods
}

// A method without a column learns and predicts as the same method of a spec whose features lack the column. The stream does not
// depend on the column.
func TestWithoutEqualsFeatures(t *testing.T) {
	without, features := tinyOf(t, protocol.Online), tinyOf(t, protocol.Online)
	without.Methods, features.Methods = lacking("relationship", "capital-gain"), lacking()
	features.Features = strings.Fields("age workclass fnlwgt education education-num marital-status occupation race sex capital-loss " +
		"hours-per-week native-country")
	a, b := inFull(t, without), inFull(t, features)
	filetest.Want(t, len(a.Methods), len(b.Methods), "number of methods")
	for i, m := range a.Methods {
		other := b.Methods[i]
		filetest.Want(t, strings.TrimSuffix(m.Name, ", without relationship, capital-gain"), other.Name, "method %d", i)
		filetest.Want(t, m.Frozen, other.Frozen, "%s is frozen", m.Label())
		if m.Hash == "" {
			continue // a trivial rival
		}
		filetest.True(t, m.Hash != other.Hash, "%s has one identity with and without the columns", m.Label())
		filetest.Want(t, m.Parameters, other.Parameters, "%s: numbers in tables", m.Label())
		filetest.Want(t, m.TotalParameters, other.TotalParameters, "%s: numbers in all", m.Label())
		for k, run := range m.Runs {
			filetest.Want(t, seriesOf(run), seriesOf(other.Runs[k]), "%s, seed %d: scores", m.Label(), run.Seed)
		}
	}
}

// Methods that lack the changing column run beside methods that have it, on the same rows, and change nothing for them. They share no
// initial phase.
func TestWithoutIncremental(t *testing.T) {
	for _, named := range []string{protocol.Online, protocol.ByGroup} {
		whole, both := tinyOf(t, named), tinyOf(t, named)
		whole.Methods = lacking()
		both.Methods = slices.Clone(whole.Methods)
		for _, m := range lacking("education") {
			m.Name += ", without education"
			both.Methods = append(both.Methods, m)
		}
		a, b := inFull(t, whole), inFull(t, both)
		for _, m := range a.Methods {
			name := named + ", " + m.Label()
			other := methodOf(t, b, m.Name, m.Frozen)
			filetest.Want(t, m.Hash, other.Hash, "%s: identity beside methods without a column", name)
			for k, run := range m.Runs {
				filetest.Want(t, run.LogLikelihood, other.Runs[k].LogLikelihood, "%s: scores beside methods without a column", name)
			}
			if m.Hash == "" {
				continue // a trivial rival
			}
			narrow := methodOf(t, b, m.Name+", without education", m.Frozen)
			is, was := narrow.Runs[0], m.Runs[0]
			filetest.True(t, narrow.Hash != m.Hash, "%s has one identity with and without education", name)
			filetest.True(t, len(was.LogLikelihood) == 0 || !slices.Equal(is.LogLikelihood, was.LogLikelihood),
				"%s learns the same without", name)
			filetest.Want(t, is.Rows, was.Rows, "%s, without education: rows", name)
		}
	}
}

var categoricalOfAdult = []string{"workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country"}

// Rules that need no items do without any, and other methods say what to do.
func TestWithoutCategorical(t *testing.T) {
	s := tinyOf(t, protocol.Online)
	for _, m := range lacking(categoricalOfAdult...) {
		s.Methods = []spec.Method{m}
		_, err := Execute(context.Background(), s, options(t, t.TempDir()))
		if m.Rule == "" || m.Rule == spec.OnePass && (m.Rows == phe.Vocabulary || m.Start != spec.FromNothing) {
			filetest.WantError(t, err, "leave one in, or choose rule") // it embeds items
		} else {
			filetest.Check(t, err)
		}
	}
}

// A change of the stream changes no score of a validation: its rows are never read, and its numbers set no unit.
func TestValidationSeesNoStream(t *testing.T) {
	s, _ := ownSpec(t, 300)
	s.Protocol.Validation, s.Protocol.MaxChunks = 0.2, 0
	_, p := loaded(t, s)
	f := inFull(t, s)
	filetest.Want(t, protocoltest.SizesOf(p), "72 [18] []", "plan")
	filetest.Want(t, [2]int{f.Stream.Initial, f.Stream.Steps}, [2]int{72, 1}, "initial rows and steps")
	filetest.Want(t, f.Methods[0].Protocol, protocol.Validation, "protocol")
	other := s
	source := *s.Source
	source.Rows = 200
	other.Source, other.Protocol.InitialFraction = &source, 0.45
	g := inFull(t, other)
	filetest.Want(t, g.Stream.Initial, 72, "the same 90 initial rows, of another stream") // of 110 rows, not 210
	a, b := methodOf(t, f, "FastAda", false), methodOf(t, g, "FastAda", false)
	filetest.Want(t, a.Runs[0].LogLikelihood, b.Runs[0].LogLikelihood, "log-likelihood, and before another stream,")
}

// own returns settings of the model as a method has them.
func own(text string) *json.RawMessage {
	raw := json.RawMessage(text)
	return &raw
}

// Two methods with the same effect have the same scores, and what matters has another effect.
func TestEffect(t *testing.T) {
	s := tiny(t)
	s.Seeds, s.Protocol.MaxChunks = s.Seeds[:1], 1
	phe, ada := s.Methods[0], s.Methods[1]
	s.Methods = nil
	for i, text := range []string{`{}`, `{"kl_weight": 3}`, `{"train_samples": 3, "test_samples": 7}`, `{"loss": "expected"}`,
		`{"scheme": "moments"}`, `{"encoder": {"initial_log_std_dev": -3}}`} {
		for _, m := range []spec.Method{phe, ada} {
			m.Name += " " + string(rune('a'+i))
			m.Model = own(text)
			s.Methods = append(s.Methods, m)
		}
	}
	f := inFull(t, s)
	score := func(m spec.Method) float64 { return methodOf(t, f, m.Name, false).Runs[0].LogLikelihood[0] }
	for i, m := range s.Methods[2:] {
		first, isPoint := s.Methods[i%2], i%2 == 1
		filetest.Want(t, s.Effect(m) == s.Effect(first), isPoint, "%s, %s: the same effect", m.Name, *m.Model)
		filetest.True(t, !isPoint || score(m) == score(first), "%s, %s: another score", m.Name, *m.Model)
	}
}

// A classifier led by hand learns: both tables' beliefs move, θ stays.
func TestNewClassifier(t *testing.T) {
	table := filetest.Must(filetest.Must(labelled.Load("mushroom", files.Options{}))(t).Select([]string{"odor"}))(t)
	learner, all, err := NewClassifier(options(t, "").Backend, tabular.Paper().Config, table, 30)
	filetest.Check(t, err)
	defer learner.Close()
	prior := filetest.Must(learner.Beliefs(0))(t)
	rows := make([]int32, 30)
	for i := range rows {
		rows[i] = int32(i)
	}
	filetest.Check(t, learner.Update(all.Take(rows), 2))
	posterior := filetest.Must(learner.Beliefs(0))(t)
	numbers := len(prior.E.Mean) + len(prior.E.Variance) + len(prior.W.Mean) + len(prior.W.Variance)
	filetest.Want(t, [2]int{numbers, prior.W.Dim}, [2]int{346, 3}, "numbers in the tables, as in Table 4, and hashes")
	filetest.True(t, slices.Max(posterior.E.KL(prior.E)) > 0 && slices.Max(posterior.W.KL(prior.W)) > 0,
		"an update moved nothing")
	filetest.Want(t, posterior.Theta, prior.Theta, "θ")
	filetest.Want(t, [2]int{len(prior.Theta), len(prior.Theta[0])}, [2]int{3, 20}, "shape of θ")
}

// The estimate by hand: K = 3 rows of d = 20 means and deviations for each of 8 items, and their gradients.
func TestLeastMemoryByHand(t *testing.T) {
	spec := filetest.Must(spec.Load("adult-online"))(t)
	point := spec.Methods[0]
	point.Estimate = phe.Point
	ratings := tinyRatingPass(t)
	pass := ratings.Config(ratings.Methods[0], 100)
	for _, c := range []struct{ got, want float64 }{
		{minMemory(spec.Config(spec.Methods[0], 100), 5, 8, 80), 4*5*4*346 + 5*4*(2*2*128*8*3*20+128) + 5*4*80*100},
		{minMemory(spec.Config(point, 100), 5, 8, 80), 4*5*4*173 + 5*4*(2*128*8*3*20+128) + 5*4*80*100},
		{minMemory(pass, 2, 2, 80), 2 * float64(pass.Stream.Memory)},
	} {
		filetest.True(t, c.got == c.want, "%g bytes, want %g", c.got, c.want)
	}
}

// No result that exists was too large for the memory that it took.
func TestLeastMemoryIsALowerBound(t *testing.T) {
	for _, name := range filetest.Some(t, spec.Names(), "specs") {
		spec := filetest.Must(spec.Load(name))(t)
		f := filetest.Must(result.OpenFolder("../out").Find(name))(t)
		if f == nil || spec.Protocol.Name == protocol.TwoItems || f.Manifest.PeakMemoryMB < 300 { // a peak of the last session alone
			continue
		}
		for _, m := range spec.Methods {
			own := f.Method(m.Name, false)
			if own == nil { // the spec has gained it since
				continue
			}
			items := 600
			if m.Rows == phe.Vocabulary {
				items = own.Parameters / spec.Config(m, 1).Encoder.EmbeddingDim / 2
			}
			tokens, rows := 9, 100
			if spec.Filter != nil {
				tokens = 30
			}
			together := min(len(spec.Seeds), 3)
			if n := minMemory(spec.Config(m, items), together, tokens, rows); n > f.Manifest.PeakMemoryMB*(1<<20) {
				t.Errorf("%s, %s: at least %s, and the whole run took %.0f MB", name, m.Name, bytesText(n), f.Manifest.PeakMemoryMB)
			}
		}
	}
}
