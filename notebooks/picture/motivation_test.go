package picture

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"gophe/data/files"
	"gophe/data/tables"
	"gophe/experiments/result"
	"gophe/figures/draw"
	"gophe/figures/draw/drawtest"
	"gophe/phe/disk/filetest"
)

// On Mushroom's odors the frozen model falls where the odors are new, and PHE does not. The picture has a point for each step, and PHE is
// ahead of its frozen model by the rows that the accuracies say.
func TestArrivals(t *testing.T) {
	f := committed(t, "mushroom-by-group")
	f.Methods = slices.DeleteFunc(f.Methods, func(m result.Method) bool { return m.Name != "PHE" && m.Name != "Majority" })
	phe, frozen := f.Method("PHE", false), f.Method("PHE", true)
	fig, steps := Arrivals(f), f.Stream.Steps
	if n := drawtest.Counts(t, fig, "PHE, ", "PHE (frozen), ", "Majority, "); !slices.Equal(n, []int{93, 93, 93}) {
		t.Errorf("%d points, want 93 a line", n)
	}
	for _, m := range []*result.Method{phe, frozen} {
		if n := drawtest.Counts(t, fig, m.Label()+", 93: "+draw.Number(100*share(m, steps-recent, steps))); n[0] != 1 {
			t.Errorf("the line of %s does not end with the accuracy of the last five steps", m.Label())
		}
	}
	drawtest.Keep(t, fig, "arrivals")
	df := Standings(f)
	if df.Error() != nil || !slices.Equal(df.Names(), []string{"method", "group 2", "group 3", "group 4", "all steps"}) {
		t.Fatalf("the table is %v", df)
	}
	if phe, frozen := df.Elem(0, 3).Float(), df.Elem(1, 3).Float(); phe < 90 || frozen > 50 {
		t.Errorf("in group 4 PHE has %.1f %% and the frozen model %.1f %%", phe, frozen)
	}
	rows := 0
	for _, n := range phe.Runs[0].Rows {
		rows += n
	}
	ahead := float64(rows) * (share(phe, 0, steps) - share(frozen, 0, steps))
	fig = Ahead(f)
	if n := drawtest.Counts(t, fig, "PHE, 93: "+draw.Number(ahead), "PHE (frozen), 93: 0"); ahead < 100 || n[0] != 1 || n[1] != 1 {
		t.Errorf("PHE is %v rows ahead, and the picture has %v of these points", ahead, n)
	}
	drawtest.Keep(t, fig, "ahead")
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
