package figures

import (
	"slices"
	"testing"

	"gophe/experiments/result"
	"gophe/figures/draw"
	"gophe/phe/disk/filetest"
)

// twoSeeds returns a result of protocol adaptation with four data, tested after 0, 2 and 4.
func twoSeeds() *result.File {
	run := func(seed int64, accuracy []float64, kept ...float64) result.Run {
		r := result.Run{Seed: seed, Status: result.Complete, Rows: []int{1, 1, 1, 1}, Accuracy: accuracy}
		r.Tests = []result.Score{{After: result.Untrained, Set: 0, Accuracy: 0.1}}
		for i, share := range kept {
			r.Tests = append(r.Tests, result.Score{After: 2 * i, Set: 0, Accuracy: share}, result.Score{After: 2 * i, Set: 1, Accuracy: 0.2})
		}
		return r
	}
	f := &result.File{Name: "hand-adaptation"}
	f.Stream.Tests = []result.Test{{Name: "group 1"}, {Name: "group 2"}}
	f.Methods = []result.Method{{Name: "PHE", Dataset: "bank", Protocol: "adaptation", Runs: []result.Run{
		run(0, []float64{0, 1, 1, 1}, 0.9, 0.8, 0.6),
		run(1, []float64{1, 0, 1, 0}, 0.9, 0.6, 0.4),
	}}}
	return f
}

func TestFigure10Means(t *testing.T) {
	fig := filetest.Must(Figure10([]*result.File{twoSeeds()}, 0))(t)
	adapted, kept := panels(fig)[0].Curves[0], panels(fig)[1].Curves[0]
	// Running means: 0, 1/2, 2/3, 3/4 and 1, 1/2, 2/3, 1/2.
	for i, want := range []float64{50, 50, 200.0 / 3, 62.5} {
		if !near(adapted.Mean[i], want) {
			t.Errorf("adaptation after %d data: %v, want %v", i+1, adapted.Mean[i], want)
		}
	}
	for i, want := range []float64{90, 70, 50} {
		if !near(kept.Mean[i], want) {
			t.Errorf("forgetting, point %d: %v, want %v", i, kept.Mean[i], want)
		}
	}
	if !slices.Equal(adapted.X, []float64{1, 2, 3, 4}) || !slices.Equal(kept.X, []float64{0, 2, 4}) {
		t.Errorf("data points %v and %v", adapted.X, kept.X)
	}
	if g := fig.Content.(*draw.Grid); len(g.Rows) != 1 || len(g.Rows[0]) != 2 || len(g.Legend) != 0 {
		t.Errorf("%d rows, legend %v; want adaptation and forgetting side by side, with labels at the lines", len(g.Rows), g.Legend)
	}
}
