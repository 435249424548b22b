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

// synthetic returns a result of protocol online that was made by a formula.
func synthetic(steps, seeds int) *result.File { return onlineFiles(steps, seeds)[0] }

// pick returns a copy of f with the methods at the given places. The copy shares no runs with f.
func pick(f *result.File, places ...int) *result.File {
	out := *f
	out.Methods = nil
	for _, i := range places {
		m := f.Methods[i]
		m.Runs = slices.Clone(m.Runs)
		out.Methods = append(out.Methods, m)
	}
	return &out
}

// panels returns the panels of a figure that is a grid, row by row. Empty places are nil.
func panels(fig *draw.Figure) []*draw.Chart { return slices.Concat(fig.Content.(*draw.Grid).Rows...) }

func ExampleFigure3() {
	f := synthetic(317, 5) // usually result.Read("out/adult.json")
	fig, err := Figure3(f, 5)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := fig.SVG(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(fig.Caption)
	// Output: Lines: mean over 5 seeds; bands and whiskers: ±1 standard deviation between seeds. Heavy lines with a band: PHE; the other lines have no band. (a): each seed smoothed by a Gaussian filter, σ = 5 chunks. (b): correct rows up to the step, minus the correct rows of online PHE; not smoothed. Frozen: the same initial model, never updated.
}

func TestFigure5Errors(t *testing.T) {
	f := toyFile()
	fig := filetest.Must(Figure5(f))(t)
	upper, lower := panels(fig)[0], panels(fig)[1]
	if len(upper.Curves) != 4 || len(lower.Curves) != 3 || len(upper.Changes) != 5 {
		t.Fatalf("%d and %d curves, %d changes", len(upper.Curves), len(lower.Curves), len(upper.Changes))
	}
	for i, c := range lower.Curves {
		for step, far := range c.Mean {
			target, predicted := f.Methods[0].Runs[0].Prediction[step], f.Methods[1+i].Runs[0].Prediction[step]
			if !near(far, math.Abs(target-predicted)) || upper.Curves[1+i].Mean[step] != predicted {
				t.Fatalf("%s, datum %d: error %v of prediction %v, target %v", c.Label, step, far, predicted, target)
			}
		}
	}
	phe := upper.Curves[1]
	got := slices.DeleteFunc(phe.Breaks, func(at int) bool { return at == 0 })
	if !slices.Equal(got, []int{20, 40, 60, 80}) || len(phe.Mean) != 100 {
		t.Errorf("PHE's %d points are interrupted at %v", len(phe.Mean), got)
	}
}

// Two of three curves meet at x = 1. They move apart around it.
func TestDodge(t *testing.T) {
	curves := []draw.Curve{{Label: "a", X: []float64{1, 2}}, {Label: "b", X: []float64{3}}, {Label: "c", X: []float64{0, 1}}}
	if !dodge(curves) || !(curves[0].X[0] < 1) || !(curves[2].X[1] > 1) || !near(curves[0].X[0]+curves[2].X[1], 2) || curves[1].X[0] != 3 {
		t.Errorf("moved to %v, %v, %v", curves[0].X, curves[1].X, curves[2].X)
	}
	if dodge(curves) {
		t.Error("curves that are apart were moved")
	}
}

// The votes, which have one size, are levels across the panel and do not widen its x axis.
func TestFrontierLevels(t *testing.T) {
	f := frontierFiles(2)[0]
	vote := f.Methods[0]
	vote.Name, vote.Parameters = "Majority", 2
	f.Methods = append(f.Methods, vote)
	fig := filetest.Must(Frontier([]*result.File{f}))(t)
	p := panels(fig)[0]
	level := p.Curves[len(p.Curves)-1]
	low, high := p.XRange()
	if level.Label != "Majority" || level.Kind == draw.LineAndPoints || !slices.Equal(level.X, []float64{low, high}) ||
		low < math.Log10(20) {
		t.Errorf("%s from %v to %v, axis from %v to %v", level.Label, level.X[0], level.X[1], low, high)
	}
	fixture.WantText(t, fig.Caption, "rules that count labels and hold few numbers (Majority on Adult 2)")
}

// One pass joins the panel of its stream. It and PHE are heavy and have bands, and the other lines do not.
func TestPaysFocus(t *testing.T) {
	pairs := onePassFiles(20, 2)
	fig := filetest.Must(Pays([]*result.File{pairs[1], pairs[0]}, "P-EE replay", 1))(t)
	if len(panels(fig)) != 1 {
		t.Fatalf("%d panels, want the two results in one", len(panels(fig)))
	}
	found := 0
	for _, c := range panels(fig)[0].Curves {
		heavy := c.Label == "PHE" || c.Label == "One pass"
		if heavy {
			found++
		}
		if heavy != (c.Style.Width > 1.5) || heavy != (len(c.StdDev) > 0) {
			t.Errorf("%s is %v wide and has %d deviations", c.Label, c.Style.Width, len(c.StdDev))
		}
	}
	if found != 2 || !strings.Contains(fig.Caption, "Heavy lines with a band: One pass and PHE;") {
		t.Errorf("%d heavy lines, caption %q", found, fig.Caption)
	}
	pairs[1].Stream.Steps++
	filetest.WantError(t, filetest.Failure(Pays(pairs[:2], "P-EE replay", 1)), "are of different streams")
}

// A result of one pass without its published result stays a result of its own.
func TestWithOnePassAlone(t *testing.T) {
	kept := withOnePass(readSources(onePassFiles(4, 1)[1:2], 0))
	if len(kept) != 1 || kept[0].find(onePassName, false) == nil {
		t.Errorf("%d results", len(kept))
	}
}

// Bands stay where no method is in focus, however many lines cross.
func TestCrowdWithoutFocus(t *testing.T) {
	f := synthetic(20, 3)
	for i := range f.Methods {
		f.Methods[i].Name = "Mine " + f.Methods[i].Name
	}
	fig := filetest.Must(Figure3(f, 2))(t)
	for _, c := range panels(fig)[0].Curves {
		if len(c.StdDev) != 20 || c.Style.Width != panels(fig)[0].Curves[0].Style.Width {
			t.Errorf("%s has %d deviations", c.Label, len(c.StdDev))
		}
	}
	if strings.Contains(fig.Caption, "Heavy") {
		t.Errorf("caption %q", fig.Caption)
	}
}

// onePassPair returns a stream's two results. One pass is 10 and 30 points ahead of PHE. It is 40 points ahead of the frozen
// model in their only common seed.
func onePassPair(protocol string) []*result.File {
	rows := []int{10, 10}
	published := handFile(protocol, hand("PHE", rows, []float64{0.8, 0.6}, []float64{0.4, 0.6}),
		hand("PHE frozen", rows, []float64{0.3, 0.5}), hand("EE", rows, []float64{0, 0})) // EE is not shown
	own := handFile(protocol, hand("One pass", rows, []float64{0.7, 0.9}, []float64{0.9, 0.7}))
	own.Name += "-one-pass"
	published.Stream.Changes = []result.Change{{Step: 1, What: "group 2"}}
	return []*result.File{published, own}
}

// Leads are paired by seed, and streams are listed by protocol. A stream by group also has a panel.
func TestOnePassLeads(t *testing.T) {
	fig := filetest.Must(OnePass(slices.Concat(onePassPair("swapped"), onePassPair("by-group")), 0))(t)
	plot := fig.Content.(draw.Leads)
	p := plot.Above.Rows[0][0]
	if got := plot.Above.Rows; len(got) != 1 || len(got[0]) != 1 || p.Heading != "Bank, by group" || len(p.Changes) != 1 {
		t.Errorf("%d panels along streams, the first is %q with changes %v", len(got), p.Heading, p.Changes)
	}
	var labels []string
	for _, c := range p.Curves {
		labels = append(labels, c.Label)
	}
	if want := []string{"PHE frozen", "PHE", "One pass"}; !slices.Equal(labels, want) || !near(p.Curves[2].Mean[0], 80) {
		t.Errorf("curves %q, want %q; one pass begins at %v", labels, want, p.Curves[2].Mean[0])
	}
	if len(plot.Rows) != 2 || plot.Rows[0].Name != "Bank, by group" || plot.Rows[1].Name != "Bank, swapped" {
		t.Fatalf("leads %+v", plot.Rows)
	}
	update, frozen := plot.Rows[0].By[0], plot.Rows[0].By[1]
	if update.Seeds != 2 || !near(update.Mean, 20) || !near(update.StdDev, 10*math.Sqrt2) || frozen.Seeds != 1 || !near(frozen.Mean, 40) {
		t.Errorf("over the update %+v, over the frozen model %+v", update, frozen)
	}
	alone := filetest.Must(OnePass(onePassPair("swapped"), 10))(t) // without a stream by group there are no panels above
	fixture.WantText(t, alone.Caption, "Points: mean over 2 seeds; whiskers: ±1 standard deviation between seeds. Frozen: the initial "+
		"model of PHE, never updated. For each stream: accuracy of one pass from nothing, minus "+
		"the other model's accuracy with the same seed.")
}
