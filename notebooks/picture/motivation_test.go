package picture

import (
	"slices"
	"testing"

	"gophe/experiments/result"
	"gophe/figures/draw"
)

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
