package picture

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gophe/data/files"
	"gophe/data/tables"
	"gophe/experiments/spec"
	"gophe/figures"
	"gophe/figures/draw/drawtest"
	"gophe/notebooks/play"
	"gophe/notebooks/race"
	"gophe/phe/filetest"
)

// groups returns a race on Mushroom's odors, PHE with one seed.
func groups(t *testing.T) *race.Race {
	t.Helper()
	t.Setenv(play.HeadlessVariable, "1")
	s := filetest.Must(spec.Load("mushroom-by-group"))(t)
	s.Seeds, s.Methods = s.Seeds[:1], s.Methods[:1]
	return Race(s)
}

// Run to the end, the frozen model falls where the odors are new, and PHE does not. The picture has a point for each step.
func TestGroups(t *testing.T) {
	r := groups(t)
	var pictures []*figures.Figure
	Groups(r)(t.Context(), func(fig *figures.Figure) { pictures = append(pictures, fig) })
	if len(pictures) < len(r.Plan.Steps) || !strings.HasPrefix(pictures[0].Caption, "Initial phase of PHE: epoch 0 of 100.") {
		t.Errorf("%d pictures of %d steps, the first says %q", len(pictures), len(r.Plan.Steps), pictures[0].Caption)
	}
	last := pictures[len(pictures)-1]
	if n := drawtest.Counts(t, last, "PHE, ", "PHE (frozen), ", "Majority, "); !slices.Equal(n, []int{93, 93, 93}) {
		t.Errorf("%d points, want 93 a line", n)
	}
	df := Standings(r)
	if df.Error() != nil || !slices.Equal(df.Names(), []string{"method", "group 2", "group 3", "group 4", "all steps"}) {
		t.Fatalf("the table is %v", df)
	}
	value := func(row, column int) float64 { return df.Elem(row, column).Float() }
	if phe, frozen := value(0, 3), value(1, 3); phe < 90 || frozen > 50 {
		t.Errorf("in group 4 PHE has %.1f %% and the frozen model %.1f %%", phe, frozen)
	}
	if n := drawtest.Counts(t, last, "PHE, 93: 100", "PHE (frozen), 93: "+figures.Number(100*r.Mean(r.Rivals[1], 88, 93))); n[0] != 1 || n[1] != 1 {
		t.Errorf("the picture does not end with the accuracy of the last five steps")
	}
	drawtest.Keep(t, last, "groups-end")
	checkAhead(t, r)
}

// checkAhead checks that PHE is ahead of its frozen model by the rows that the accuracies say, and the frozen model by none.
func checkAhead(t *testing.T, r *race.Race) {
	t.Helper()
	fig, rows := Ahead(r), 0.0
	for _, step := range r.Plan.Steps {
		rows += float64(len(step))
	}
	ahead := rows * (r.Mean(r.Rivals[0], 0, 93) - r.Mean(r.Rivals[1], 0, 93))
	if n := drawtest.Counts(t, fig, "PHE, 93: "+figures.Number(math.Round(ahead)), "PHE (frozen), 93: 0"); ahead < 100 || n[0] != 1 || n[1] != 1 {
		t.Errorf("PHE is %v rows ahead, and the picture has %v of these points", ahead, n)
	}
	drawtest.Keep(t, fig, "ahead")
}

// Stopped half-way, the picture ends there and keeps its axes.
func TestGroupsStopped(t *testing.T) {
	r := groups(t)
	ctx, stop := context.WithCancel(t.Context())
	var last *figures.Figure
	Groups(r)(ctx, func(fig *figures.Figure) {
		if last = fig; r.Done() == 45 {
			stop()
		}
	})
	if n := drawtest.Counts(t, last, "PHE, ", "PHE, 45: "); n[0] != 45 || n[1] != 1 {
		t.Errorf("%d points of PHE, want 45", n)
	}
	if n := drawtest.Counts(t, Ahead(r), "PHE, ", "PHE, 45: "); n[0] != 45 || n[1] != 1 {
		t.Errorf("%d points of PHE beyond its frozen model, want 45", n)
	}
	if df := Standings(r); df.Error() != nil || df.Ncol() != 4 {
		t.Errorf("the table of a stopped race is %v", df)
	}
	drawtest.Keep(t, last, "groups-stopped")
}

// The committed result's test of a group comes right before and right after the group was learned.
func TestBeforeAndAfter(t *testing.T) {
	f := committed(t, "mushroom-group-large")
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

// The table of groups has the rows of each group and the share of its second class.
func TestGroupRows(t *testing.T) {
	mushroom := filetest.Must(tables.Load("mushroom", files.Options{}))(t)
	groups := filetest.Must(mushroom.GroupSplit(4, tables.FileOrder))(t)
	df := GroupRows(mushroom, groups)
	if df.Error() != nil || df.Nrow() != 4 || df.Names()[4] != "% "+mushroom.Classes[1]+" in the test" {
		t.Fatalf("the table is %v", df)
	}
	poisonous := 0.0
	for _, row := range groups[2].Test {
		poisonous += 100 * float64(mushroom.Labels[row]) / float64(len(groups[2].Test))
	}
	if got := df.Elem(2, 4).Float(); math.Abs(got-poisonous) > 1e-9 || df.Elem(2, 3).String() != strconv.Itoa(len(groups[2].Test)) {
		t.Errorf("group 3 has %v of %v rows", got, df.Elem(2, 3))
	}
}
