package picture

import (
	"slices"
	"strings"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/figures/draw"
	"gophe/notebooks/play"
	"gophe/phe/disk/filetest"
)

// In the stream by group each odor has its place. In the shuffled stream all but the rarest come everywhere.
func TestTimeline(t *testing.T) {
	of := func(name string) timeline {
		_, plan := TableOf(filetest.Must(spec.Load(name))(t))
		return newTimeline(plan)
	}
	late, mixed := of("mushroom-by-group"), of("mushroom-online")
	filled := func(t timeline, item string) (columns int) {
		for i, name := range t.items {
			for _, share := range t.lines[i][initialColumns:] {
				if name == item && share > 0 {
					columns++
				}
			}
		}
		return columns
	}
	if n := filled(late, "FOUL"); n == 0 || n > 20 {
		t.Errorf("by group, FOUL comes in %d of 40 columns", n)
	}
	if n := filled(mixed, "FOUL"); n < 35 {
		t.Errorf("shuffled, FOUL comes in %d of 40 columns", n)
	}
	if first, last := late.lines[0][0], late.lines[len(late.items)-1][0]; first != 1 || last != 0 {
		t.Errorf("items %v, initial %v to %v", late.items, first, last)
	}
}

// Moving on shows more of the stream.
func TestPlans(t *testing.T) {
	draw, at := Plans("mushroom"), play.NewPosition(play.Choice("protocol", "by-group"), play.Player("stream", 0, 100, 30))
	shown := func(at play.Position) (cells int) {
		list := draw(at).Marks(400)
		for _, m := range list {
			if !strings.HasSuffix(m.Text, " 0") {
				cells++
			}
		}
		return cells
	}
	if early, late := shown(at), shown(at.With("stream", 100)); early == 0 || early >= late {
		t.Errorf("%d cells, then %d", early, late)
	}
}

// On Mushroom's odors the frozen model falls where the odors are new, and PHE does not. The picture has a point for each step.
func TestArrivals(t *testing.T) {
	f := committed(t, "mushroom-by-group")
	f.Methods = slices.DeleteFunc(f.Methods, func(m result.Method) bool { return m.Name != "PHE" && m.Name != "Majority" })
	phe, frozen := f.Method("PHE", false), f.Method("PHE", true)
	fig, steps := Arrivals(f), f.Stream.Steps
	for _, line := range []string{"PHE, ", "PHE (frozen), ", "Majority, "} {
		if n := count(fig, line); n != 93 {
			t.Errorf("%s has %d points, want 93", line, n)
		}
	}
	for _, m := range []*result.Method{phe, frozen} {
		if n := count(fig, m.Label()+", 93: "+draw.Number(100*share(m, steps-recent, steps))); n != 1 {
			t.Errorf("the line of %s does not end with the accuracy of the last five steps", m.Label())
		}
	}
	df := Standings(f)
	if df.Error() != nil || !slices.Equal(df.Names(), []string{"method", "group 2", "group 3", "group 4", "all steps"}) {
		t.Fatalf("the table is %v", df)
	}
	if phe, frozen := df.Elem(0, 3).Float(), df.Elem(1, 3).Float(); phe < 90 || frozen > 50 {
		t.Errorf("in group 4 PHE has %.1f %% and the frozen model %.1f %%", phe, frozen)
	}
}
