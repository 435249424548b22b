package sweep

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pkg/errors"

	"gophe/experiments/result"
	"gophe/experiments/run"
	"gophe/experiments/spec"
	"gophe/experiments/spec/ownfile"
	"gophe/experiments/spec/protocol"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn/backend"
)

func TestParseAxis(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"model.learning_rate=0.1,0.001,0.01", "model.learning_rate [0.001 0.01 0.1]"},
		{"learning_rate=1e-3", "model.learning_rate [0.001]"},
		{"encoder.num_buckets=109,7", "model.encoder.num_buckets [7 109]"},
		{"update_epochs=1, 15", "update_epochs [1 15]"},
		{"scheme=local,moments", `model.scheme ["local" "moments"]`},
		{"update_learning_rate=0.5", "model.update_learning_rate [0.5]"},
	} {
		a := filetest.Must(ParseAxis(c.text))(t)
		filetest.Want(t, fmt.Sprint(a.Path, " ", a.Values), c.want, "%s", c.text)
	}
	for text, want := range map[string]string{
		"learning_rate":             "--try is \"learning_rate\"",
		"=3":                        "--try is \"=3\"",
		"lerning_rate=1":            `did you mean "model.learning_rate"?`,
		"model.encoder.buckets=3":   "model.encoder.num_buckets",
		"temperature=3":             "choose from model.encoder.embedding_dim, ",
		"model.encoder.rows=hash":   "--try names \"model.encoder.rows\"",
		"learning_rate=fast":        `"fast", which is no number`,
		"num_buckets=2.5":           `"2.5", which is no whole number`,
		"learning_rate=0.1,0.10":    "lists 0.1 twice",
		"learning_rate=0.1,,0.2":    `lists ""`,
		"protocol.initial_epochs=3": "--try names",
	} {
		filetest.WantError(t, filetest.Failure(ParseAxis(text)), want)
	}
}

// Every path that can be tried has a kind, and a spec's model has the field.
func TestPaths(t *testing.T) {
	for _, p := range parameters() {
		kinds := []string{"int", "int64", "float64", "string"}
		filetest.True(t, slices.Contains(kinds, p.kind.String()), "%s is of kind %s", p.path, p.kind)
		filetest.Want(t, filetest.Must(find(p.path))(t), p, "%s", p.path)
	}
}

// shop writes a file of visits and returns a small spec on it. The labels of rows from later on follow another rule.
func shop(t *testing.T, rows, later int) spec.Spec {
	t.Helper()
	folder := t.TempDir()
	var b strings.Builder
	b.WriteString("visitor,city,basket,buys\n")
	for i := range rows {
		buys := i*7%11 < 4
		if i >= later {
			buys = i%2 == 0
		}
		fmt.Fprintf(&b, "v%d,c%d,%d.5,%s\n", i*7%11, i%3, i%9, map[bool]string{true: "yes", false: "no"}[buys])
	}
	filetest.Check(t, os.WriteFile(filepath.Join(folder, "shop.csv"), []byte(b.String()), 0o644))
	s := filetest.Must(spec.Load("adult-online"))(t)
	s.Name, s.Dataset, s.Seeds = "shop", "shop", []int64{0, 1}
	s.Source = &ownfile.Source{File: "shop.csv", Target: "buys", Incremental: "visitor", Number: []string{"basket"}}
	filetest.Check(t, s.Source.Locate(folder))
	s.Protocol = protocol.Spec{Name: protocol.InOrder, InitialFraction: 0.5, InitialEpochs: 2, ChunkRows: 20}
	s.Model.Encoder.EmbeddingDim, s.Model.TrainSamples, s.Model.TestSamples, s.Model.BatchSize = 3, 2, 5, 64
	s.Methods = []spec.Method{
		{Name: "PHE", Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 2},
		{Name: "EE", Rows: phe.Vocabulary, Estimate: phe.Point, UpdateEpochs: 2},
		{Name: "One pass", Rows: phe.Hashed, Estimate: phe.Posterior, Rule: spec.OnePass},
		{Name: "AdPredictor", Rows: phe.Vocabulary, Estimate: phe.Posterior, Rule: spec.AdPredictor},
	}
	return s
}

func axes(t *testing.T, texts ...string) (list []Axis) {
	t.Helper()
	for _, text := range texts {
		list = append(list, filetest.Must(ParseAxis(text))(t))
	}
	return list
}

func mustGrid(t *testing.T, spec spec.Spec, axes []Axis) *Grid {
	t.Helper()
	return filetest.Must(New(spec, axes, nil))(t)
}

// An axis that does not matter to a method is not tried for it. The spec's own point is among the points.
func TestGrid(t *testing.T) {
	spec := shop(t, 120, 120)
	g := mustGrid(t, spec, axes(t, "learning_rate=0.01,0.1", "num_buckets=7,23,109"))
	count, own := map[string]int{}, map[string]string{}
	for _, p := range g.Points {
		count[p.Method]++
		if p.own {
			own[p.Method] = p.name()
		}
	}
	filetest.Want(t, count, map[string]int{"AdPredictor": 1, "EE": 2, "One pass": 3, "PHE": 6}, "points")
	filetest.Want(t, len(g.Points)*len(g.Spec.Seeds), 24, "runs")
	filetest.Want(t, own, map[string]string{"AdPredictor": "AdPredictor", "EE": "EE learning_rate=0.01",
		"One pass": "One pass num_buckets=7", "PHE": "PHE learning_rate=0.01 num_buckets=7"}, "the spec's own points")
	filetest.Want(t, g.Spec.Protocol.Validation, 0.2, "validation")
	filetest.Want(t, g.Spec.Name, "shop-sweep", "name")
	filetest.Want(t, len(g.Spec.Methods), 12, "methods")

	// Off the grid, the spec's own point is one more. A method's own field gives way to the tried value.
	spec.Methods = spec.Methods[:1]
	spec.Methods[0].NumBuckets = 5
	g = mustGrid(t, spec, axes(t, "num_buckets=7,23"))
	filetest.True(t, len(g.Points) == 3 && g.Points[2].own && g.Points[2].name() == "PHE as in the spec", "%+v", g.Points)
	for _, m := range g.Spec.Methods[:2] {
		filetest.True(t, m.NumBuckets == 0 && m.Model != nil, "%s has num_buckets %d, model %p", m.Name, m.NumBuckets, m.Model)
	}
}

func TestGridErrors(t *testing.T) {
	retail := filetest.Must(spec.Load("retail-forecast"))(t)
	validated := shop(t, 120, 120)
	validated.Protocol.Validation = 0.5
	for _, c := range []struct {
		spec    spec.Spec
		axes    []Axis
		methods []string
		want    string
	}{
		{retail, nil, nil, "not about a table"},
		{validated, nil, nil, "holds out a validation part itself"},
		{shop(t, 120, 120), nil, []string{"Ada"}, `--method names "Ada"`},
		{shop(t, 120, 120), axes(t, "learning_rate=1", "model.learning_rate=2"), nil, "names model.learning_rate twice"},
		{shop(t, 120, 120), axes(t, "learning_rate=-1,0.1"), nil, "learning_rate is -1"},
		{shop(t, 120, 120), axes(t, "scheme=magic"), nil, `"magic"`},
	} {
		filetest.WantError(t, filetest.Failure(New(c.spec, c.axes, c.methods)), c.want)
	}
}

// made is a result in which each point has the given log-likelihoods, by seed; NaN diverged.
func made(g *Grid, scores ...[]float64) *result.File {
	f := &result.File{Name: g.Spec.Name}
	for i, p := range g.Points {
		m := result.Method{Name: p.name()}
		for k, seed := range g.Spec.Seeds {
			run := result.Run{Seed: seed, Status: result.Complete, Rows: []int{10, 30}}
			if math.IsNaN(scores[i][k]) {
				run.Status = result.Diverged
			}
			// Weighted by rows, the mean is the score.
			run.LogLikelihood, run.Accuracy = []float64{scores[i][k] + 3, scores[i][k] - 1}, []float64{1, 0}
			m.Put(run)
		}
		f.Methods = append(f.Methods, m)
	}
	return f
}

// The best point, its distance to the next one and the edges, by hand.
func TestChoice(t *testing.T) {
	spec := shop(t, 120, 120)
	spec.Methods = spec.Methods[:1]
	g := mustGrid(t, spec, axes(t, "learning_rate=0.001,0.01,0.1", "num_buckets=7,23"))
	nan := math.NaN()
	f := made(g, []float64{-0.7, -0.7}, []float64{-0.6, -0.64}, []float64{-0.8, -0.8}, []float64{-0.61, -0.69}, []float64{-0.9, nan},
		[]float64{-0.5, -0.62})
	r := filetest.Must(g.score(f))(t)
	points := r.methods[0]
	filetest.Want(t, points[0].name(), "PHE learning_rate=0.1 num_buckets=23", "the first point")
	filetest.Want(t, points[0].accuracies, []float64{25, 25}, "its accuracies")
	filetest.Want(t, points[5].diverged, 1, "diverged runs of the last point")
	for i, want := range []string{"0.1 23", "0.001 23", "0.01 23", "0.001 7", "0.01 7", "0.1 7"} {
		v := points[i].values
		filetest.Want(t, v["model.learning_rate"]+" "+v["model.encoder.num_buckets"], want, "point %d", i)
	}
	b := points[2].behind(points[0]) // The best has −0.5 and −0.62, and 0.01 with 23 buckets −0.61 and −0.69.
	filetest.Near(t, *b.Mean, 0.09, 1e-12, "the third point is behind by")
	filetest.Near(t, *b.SD, 0.02, 1e-12, "with deviation")
	text := r.Table().String()
	filetest.WantWords(t, text, "| PHE | learning_rate=0.1, num_buckets=23 | -0.5600 ± 0.0849 | 25.00 ± 0.00 | – |",
		"0.0900 ± 0.0200", "0.1 is the largest learning_rate", "23 is the largest num_buckets")
	inside := mustGrid(t, spec, axes(t, "learning_rate=0.001,0.01,0.1"))
	for i, want := range []string{"=0.001. 0.001 is the smallest learning_rate that was tried: the best may lie beyond.\n",
		"=0.01 (as in the spec).\n", "=0.1. 0.1 is the largest learning_rate that was tried: the best may lie beyond.\n"} {
		scores := [][]float64{{-1, -1}, {-1, -1}, {-1, -1}}
		scores[i] = []float64{-0.5, -0.5}
		below := filetest.Must(inside.score(made(inside, scores...)))(t).Table().Below
		filetest.True(t, strings.HasSuffix(below, "PHE: the best is learning_rate"+want), "the best of three is number %d: %s", i+1, below)
	}
	best := g.best(r)
	filetest.Check(t, best.Validate())
	filetest.Want(t, [2]string{best.Name, best.Methods[0].Name}, [2]string{"shop-best", "PHE"},
		"names of the best spec and of its method")
	filetest.Want(t, best.Protocol, spec.Protocol, "protocol of the best spec")
	filetest.True(t, best.Effect(best.Methods[0]) != spec.Effect(spec.Methods[0]), "the best spec has the effect of the spec")
}

func options(t *testing.T, out string) run.Options {
	t.Helper()
	b := filetest.Must(backend.Open(backend.Go))(t)
	return run.Options{Backend: b, BackendName: backend.Go, Out: out}
}

// stopAt stops a sweep when more than a share of it is done.
func stopAt(t *testing.T, share float64, g *Grid, o run.Options) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	o.Progress = func(done float64, _ string) {
		if done > share {
			stop()
		}
	}
	filetest.True(t, errors.Is(filetest.Failure(g.Run(ctx, o)), context.Canceled), "the sweep was not stopped")
}

// scores are all scores of a report as text.
func scores(r *Report) (text string) {
	for _, points := range r.methods {
		for _, p := range points {
			text += fmt.Sprintln(p.name(), p.likelihoods, p.accuracies, p.diverged)
		}
	}
	return text
}

// The scores come from the initial rows alone: other labels in the stream change none of them, other labels before it do. And a
// sweep that was stopped continues to the same scores, also with a larger grid.
func TestRun(t *testing.T) {
	small, large := axes(t, "learning_rate=0.01,0.1"), axes(t, "learning_rate=0.01,0.1", "num_buckets=7,23")
	s := shop(t, 200, 200)
	whole := filetest.Must(mustGrid(t, s, large).Run(context.Background(), options(t, t.TempDir())))(t)
	text := whole.Table().String()
	filetest.WantWords(t, text, "80 initial rows learned, 20 held out in ", "AdPredictor: nothing that was tried matters to it.")
	for later, same := range map[int]bool{100: true, 70: false} {
		r := filetest.Must(mustGrid(t, shop(t, 200, later), large).Run(context.Background(), options(t, t.TempDir())))(t)
		filetest.Want(t, scores(r) == scores(whole), same, "other labels from row %d on: the same scores", later)
	}

	best := filetest.Must(spec.Load(whole.BestFile))(t)
	stream := filetest.Must(run.Execute(context.Background(), best, options(t, t.TempDir())))(t).Stream
	filetest.Want(t, [2]int{stream.Initial, stream.Steps}, [2]int{100, 5}, "initial rows and steps by the best values")

	o := options(t, t.TempDir())
	stopAt(t, 0.5, mustGrid(t, s, small), o)
	o.Existing = run.Refresh
	resumed := filetest.Must(mustGrid(t, s, large).Run(context.Background(), o))(t)
	filetest.Want(t, scores(resumed), scores(whole), "resumed with a larger grid, the scores")
}

// A sweep of another grid, or of a file that has changed, is not mixed with this one.
func TestOtherSweeps(t *testing.T) {
	spec := shop(t, 120, 120)
	o := options(t, t.TempDir())
	sweep := func(try string) (*Report, error) { return mustGrid(t, spec, axes(t, try)).Run(context.Background(), o) }
	first := filetest.Must(sweep("learning_rate=0.01,0.1"))(t)
	filetest.WantError(t, filetest.Failure(sweep("learning_rate=0.02,0.1")), "another spec")
	filetest.Check(t, os.WriteFile(spec.Source.Path(), filetest.Must(os.ReadFile(shop(t, 120, 40).Source.Path()))(t), 0o644))
	filetest.WantError(t, filetest.Failure(sweep("learning_rate=0.01,0.1")), "shop.csv has changed")
	o.Existing = run.Refresh
	again := filetest.Must(sweep("learning_rate=0.01,0.1"))(t)
	filetest.True(t, scores(again) != scores(first), "the scores of the former file were taken over")
}
