package lesson

import (
	"slices"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/figures/draw"
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
	n := filled(late, "FOUL")
	filetest.True(t, 0 < n && n <= 20, "by group, FOUL comes in %d of 40 columns", n)
	n = filled(mixed, "FOUL")
	filetest.True(t, n >= 35, "shuffled, FOUL comes in %d of 40 columns", n)
	filetest.Want(t, late.lines[0][0], 1, "the first item's share of the initial rows")
	filetest.Want(t, late.lines[len(late.items)-1][0], 0, "the last item's share")
}

// On Mushroom's odors the frozen model falls where the odors are new, and PHE does not. The picture has a point for each step.
func TestArrivals(t *testing.T) {
	f := committed(t, "mushroom-by-group")
	f.Methods = slices.DeleteFunc(f.Methods, func(m result.Method) bool { return m.Name != "PHE" && m.Name != "Majority" })
	phe, frozen := f.Method("PHE", false), f.Method("PHE", true)
	fig, steps := Arrivals(f), f.Stream.Steps
	for _, line := range []string{"PHE, ", "PHE (frozen), ", "Majority, "} {
		filetest.Want(t, count(fig, line), 93, "points of %s", line)
	}
	for _, m := range []*result.Method{phe, frozen} {
		last := m.Label() + ", 93: " + draw.Number(100*share(m, steps-recent, steps))
		filetest.Want(t, count(fig, last), 1, "lines that end with the accuracy of the last five steps, %s", last)
	}
	df := Standings(f)
	filetest.Want(t, df.Names(), []string{"method", "group 2", "group 3", "group 4", "all steps"}, "the columns")
	filetest.True(t, df.Elem(0, 3).Float() >= 90, "in group 4 PHE has %v %%", df.Elem(0, 3))
	filetest.True(t, df.Elem(1, 3).Float() <= 50, "in group 4 the frozen model has %v %%", df.Elem(1, 3))
}
