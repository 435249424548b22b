package show

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/figures"
	"gophe/notebooks/play"
	"gophe/notebooks/race"
)

// groups returns a race on Mushroom's odors, PHE with one seed.
func groups(t *testing.T) *race.Race {
	t.Helper()
	t.Setenv(play.HeadlessVariable, "1")
	s, err := spec.Load("mushroom-by-group")
	if err != nil {
		t.Fatal(err)
	}
	s.Seeds, s.Methods = s.Seeds[:1], s.Methods[:1]
	return Race(s)
}

// Run to the end, the frozen model falls where the odors are new, and PHE does not. The picture has a point for each step.
func TestGroups(t *testing.T) {
	r := groups(t)
	defer r.Close()
	var pictures []*figures.Figure
	Groups(r)(t.Context(), func(fig *figures.Figure) { pictures = append(pictures, fig) })
	if len(pictures) < len(r.Plan.Steps) || !strings.HasPrefix(pictures[0].Caption, "initial phase of PHE, epoch 0 of 100") {
		t.Errorf("%d pictures of %d steps, the first says %q", len(pictures), len(r.Plan.Steps), pictures[0].Caption)
	}
	last := pictures[len(pictures)-1]
	if n := marked(t, last, "PHE, ", "PHE (frozen), ", "Majority, "); !slices.Equal(n, []int{93, 93, 93}) {
		t.Errorf("%d points, want 93 a line", n)
	}
	df := Standings(r)
	if df.Error() != nil || !slices.Equal(df.Names(), []string{"method", "after change 1", "after change 2", "after change 3", "all steps"}) {
		t.Fatalf("the table is %v", df)
	}
	value := func(row, column int) float64 { return df.Elem(row, column).Float() }
	if phe, frozen := value(0, 3), value(1, 3); phe < 90 || frozen > 50 {
		t.Errorf("after the last change PHE has %.1f %% and the frozen model %.1f %%", phe, frozen)
	}
	if n := marked(t, last, "PHE, 93: 100", "PHE (frozen), 93: "+figures.Number(100*r.Mean(r.Rivals[1], 88, 93))); n[0] != 1 || n[1] != 1 {
		t.Errorf("the picture does not end with the accuracy of the last five steps")
	}
	keepPicture(t, "groups-end", last)
}

// Stopped half-way, the picture ends there and keeps its axes.
func TestGroupsStopped(t *testing.T) {
	r := groups(t)
	defer r.Close()
	ctx, stop := context.WithCancel(t.Context())
	var last *figures.Figure
	Groups(r)(ctx, func(fig *figures.Figure) {
		if last = fig; r.Done == 44 {
			stop()
		}
	})
	if n := marked(t, last, "PHE, ", "PHE, 45: "); n[0] != 45 || n[1] != 1 {
		t.Errorf("%d points of PHE, want 45", n)
	}
	if df := Standings(r); df.Error() != nil || df.Ncol() != 4 {
		t.Errorf("the table of a stopped race is %v", df)
	}
	keepPicture(t, "groups-stopped", last)
}

// The committed result's test of a group comes right before and right after the group was learned.
func TestBeforeAndAfter(t *testing.T) {
	f, err := result.OpenFolder("../../experiments/out").Load("mushroom-group-large")
	if err != nil {
		t.Fatal(err)
	}
	df := BeforeAndAfter(f, "PHE", "P-EE (frozen)")
	if df.Error() != nil || df.Nrow() != 8 {
		t.Fatalf("the table is %v", df)
	}
	mean := 0.0
	for _, run := range f.Method("PHE", false).Runs {
		for _, s := range run.Tests {
			if s.Set == 3 && s.After == 2 {
				mean += 20 * s.Accuracy
			}
		}
	}
	if got := df.Elem(3, 2).Float(); math.Abs(got-mean) > 1e-9 {
		t.Errorf("PHE has %v %% before group 4, want %v", got, mean)
	}
}
