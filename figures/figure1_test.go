package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/figures/draw"
	"gophe/phe/disk/filetest"
)

// twoGroups returns a result of protocol group with two groups and two seeds.
func twoGroups() *result.File {
	run := func(seed int64, status string, scores ...result.Score) result.Run {
		return result.Run{Seed: seed, Status: status, Tests: scores}
	}
	score := func(after, set int, share float64) result.Score {
		return result.Score{After: after, Set: set, Accuracy: share}
	}
	f := &result.File{Name: "hand-group"}
	f.Stream.Tests = []result.Test{{Name: "group 1", Items: []string{"a", "b"}, Train: 20, Rows: 10}, {Name: "group 2", Rows: 40, Train: 2000}}
	f.Methods = []result.Method{
		{Name: "PHE", Dataset: "bank", Protocol: "group", Runs: []result.Run{
			run(0, result.Complete, score(-1, 0, 0.5), score(-1, 1, 0.1), score(0, 0, 0.8), score(0, 1, 0.3), score(1, 0, 0.7), score(1, 1, 0.9)),
			run(1, result.Complete, score(-1, 0, 0.7), score(-1, 1, 0.1), score(0, 0, 0.8), score(0, 1, 0.5), score(1, 0, 0.6), score(1, 1, 0.9)),
		}},
		{Name: "PHE", Frozen: true, Dataset: "bank", Protocol: "group", Runs: []result.Run{
			run(0, result.Complete, score(-1, 0, 0.5), score(0, 0, 0.8), score(0, 1, 0.3)), // no later scores: they would be the same
			run(1, result.Complete, score(-1, 0, 0.7), score(0, 0, 0.9), score(0, 1, 0.5)),
		}},
	}
	return f
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestFigure1Bars(t *testing.T) {
	fig := filetest.Must(Figure1([]*result.File{twoGroups()}))(t)
	bars := panels(fig)[0].Groups
	if len(bars) != 2 || bars[0].Name != "Group 1" || bars[1].Name != "Group 2" {
		t.Fatalf("groups %v", bars)
	}
	root := 10 * math.Sqrt2 // standard deviation (n−1) of two values 20 apart
	for i, want := range []struct{ before, beforeSD, after, afterSD, frozen, frozenSD float64 }{
		{60, root, 80, 0, 85, root / 2},
		{40, root, 90, 0, 40, root},
	} {
		got := bars[i]
		if !near(got.Before.Mean, want.before) || !near(got.Before.StdDev, want.beforeSD) ||
			!near(got.After.Mean, want.after) || !near(got.After.StdDev, want.afterSD) ||
			!near(got.Frozen.Mean, want.frozen) || !near(got.Frozen.StdDev, want.frozenSD) || got.Frozen.Seeds != 2 {
			t.Errorf("group %d: %+v, want %+v", i+1, got, want)
		}
	}
	if !strings.Contains(fig.Caption, "mean over 2 seeds; whiskers") {
		t.Errorf("caption %q", fig.Caption)
	}
}

// A diverged seed counts up to its last test. Without any seed there is no bar.
func TestFigure1Diverged(t *testing.T) {
	f := twoGroups()
	run := &f.Methods[0].Runs[0]
	run.Status, run.DivergedAt, run.Tests = result.Diverged, 0, run.Tests[:4]
	f.Methods = f.Methods[:1]
	fig := filetest.Must(Figure1([]*result.File{f}))(t)
	second := panels(fig)[0].Groups[1]
	if second.Before.Seeds != 2 || second.After.Seeds != 1 || second.Frozen.Seeds != 0 {
		t.Errorf("seeds before, after, frozen: %d, %d, %d; want 2, 1, 0", second.Before.Seeds, second.After.Seeds, second.Frozen.Seeds)
	}
	fixture.WantText(t, fig.Caption, "Bank: PHE diverged in 1 of 2 seeds, first at step 0")
}

func TestFigure8Grid(t *testing.T) {
	files := groupFiles(2)
	for n, want := range map[int][2]int{1: {1, 1}, 2: {1, 2}, 3: {2, 2}, 4: {2, 2}} {
		fig := filetest.Must(Figure1(files[:n]))(t)
		g := fig.Content.(*draw.Grid)
		drawn := slices.DeleteFunc(panels(fig), func(c *draw.Chart) bool { return c == nil })
		if got := [2]int{len(g.Rows), len(g.Rows[0])}; got != want || len(drawn) != n {
			t.Errorf("%d files: grid %v of %d panels, want %v", n, got, len(drawn), want)
		}
	}
}

func ExampleFigure1() {
	fig, err := Figure1([]*result.File{twoGroups()}) // usually from result.Read
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(fig.Caption)
	// Output: PHE's accuracy on each group's test rows, right before and right after the group was learned; before the first group the model is untrained. Bars: mean over 2 seeds; whiskers: ±1 standard deviation between seeds. Diamonds: the same model, which learned group 1 only.
}
