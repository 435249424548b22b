package figures

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/experiments/spec/protocol"
	"gophe/phe/disk/filetest"
)

// 2²⁰/16 users with d = 2 take 1 MB, and so do 2²⁰/4 parameters.
func TestMemoryCurves(t *testing.T) {
	run := func(seed int64, first, second float64) result.Run {
		return result.Run{Seed: seed, Status: result.Complete, Memory: []result.Memory{{Step: 1, Megabytes: first}, {Step: 3, Megabytes: second}}}
	}
	f := &result.File{Name: "hand", Stream: result.Stream{Users: []int{100, 200, 1 << 16}}, Methods: []result.Method{
		{Name: "PHE", Protocol: protocol.Recommend, Dataset: "generated-3m", Parameters: 1 << 18, Runs: []result.Run{run(0, 700, 800), run(1, 720, 840)}},
		{Name: "PHE", Protocol: protocol.Recommend, Dataset: "generated-3m", Frozen: true, Runs: []result.Run{run(0, 500, 500)}},
		{Name: "Biases", Protocol: protocol.Recommend, Dataset: "generated-3m", Runs: []result.Run{{Status: result.Complete}}},
	}}
	f.Manifest.Spec, f.Manifest.PeakMemoryMB = json.RawMessage(`{"model": {"encoder": {"embedding_dim": 2}}}`), 2345.6
	fig := filetest.Must(Memory(f))(t)
	held, tables := panels(fig)[0].Curves, panels(fig)[1].Curves
	if len(held) != 1 || !slices.Equal(held[0].Mean, []float64{710, 820}) || !slices.Equal(held[0].X, []float64{100, 1 << 16}) {
		t.Errorf("the process held %+v", held)
	}
	if len(tables) != 2 || !slices.Equal(tables[0].Mean, []float64{1, 1}) || !slices.Equal(tables[0].X, []float64{0, 1 << 16}) {
		t.Errorf("tables %+v", tables)
	}
	if rows := tables[1]; !slices.Equal(rows.X, []float64{0, 100, 200, 1 << 16}) || rows.Mean[3] != 1 {
		t.Errorf("a row a user takes %v at %v", rows.Mean, rows.X)
	}
	if p := panels(fig)[0]; p.Heading != "(a) Process, Generated ratings (3M)" || p.YAxis.Low != 0 || p.YAxis.High < 820 {
		t.Errorf("panel %q from %v to %v", p.Heading, p.YAxis.Low, p.YAxis.High)
	}
	fixture.WantText(t, fig.Caption, "PHE 710 to 820", "the most in the whole run 2,346", "PHE 262,144", "d = 2", "mean over 2 seeds", "The process grows")
	for i := range f.Methods[0].Runs {
		f.Methods[0].Runs[i].Memory[1].Megabytes = f.Methods[0].Runs[i].Memory[0].Megabytes + 30
	}
	if fig, err := Memory(f); err != nil || strings.Contains(fig.Caption, "The process grows") {
		t.Errorf("30 MB more are less than 5 %%, and the caption says %q; error %v", fig.Caption, err)
	}
	f.Manifest.Spec = json.RawMessage(`{}`)
	if fig, err := Memory(f); err != nil || !strings.Contains(fig.Caption, "d = 20") {
		t.Errorf("without d in the spec: %v", err)
	}
}

func TestMemoryErrors(t *testing.T) {
	for _, test := range []struct {
		name, want string
		damage     func(f *result.File)
	}{
		{"no users", "PHE: seed 0 has a measurement after step 10, but the stream counts the users of 0 steps; make the result again: `phe run movielens-synthetic`",
			func(f *result.File) { f.Stream.Users = nil }},
		{"no memory", "has no memory of an online method", func(f *result.File) {
			for k := range f.Methods {
				for i := range f.Methods[k].Runs {
					f.Methods[k].Runs[i].Memory = nil
				}
			}
		}},
	} {
		f := ratingsFile(60, 2, "paper")
		test.damage(f)
		filetest.WantError(t, filetest.Failure(Memory(f)), test.want)
	}
}
