package figures

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gophe/experiments/result"
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
	filetest.Want(t, []int{len(upper.Curves), len(lower.Curves), len(upper.Changes)}, []int{4, 3, 5}, "upper and lower curves, and changes")
	for i, c := range lower.Curves {
		for step, far := range c.Mean {
			target, predicted := f.Methods[0].Runs[0].Prediction[step], f.Methods[1+i].Runs[0].Prediction[step]
			filetest.Near(t, far, math.Abs(target-predicted), 1e-9, "%s, datum %d: the error", c.Label, step)
			filetest.Want(t, upper.Curves[1+i].Mean[step], predicted, "%s, datum %d: the prediction", c.Label, step)
		}
	}
	phe := upper.Curves[1]
	got := slices.DeleteFunc(phe.Breaks, func(at int) bool { return at == 0 })
	filetest.Want(t, got, []int{20, 40, 60, 80}, "breaks of PHE")
	filetest.Want(t, len(phe.Mean), 100, "points of PHE")
}

// Two of three curves meet at x = 1. They move apart around it.
func TestDodge(t *testing.T) {
	curves := []draw.Curve{{Label: "a", X: []float64{1, 2}}, {Label: "b", X: []float64{3}}, {Label: "c", X: []float64{0, 1}}}
	filetest.True(t, dodge(curves), "curves that meet were not moved")
	left, right := curves[0].X[0], curves[2].X[1]
	filetest.True(t, left < 1 && near(left+right, 2), "moved to %v and %v", left, right)
	filetest.Want(t, curves[1].X[0], 3, "a point that is alone")
	filetest.True(t, !dodge(curves), "curves that are apart were moved")
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
	filetest.True(t, level.Label == "Majority" && level.Kind != draw.LineAndPoints, "the level is %+v", level)
	filetest.Want(t, level.X, []float64{low, high}, "its ends")
	filetest.True(t, low >= math.Log10(20), "the axis begins at %v", low)
	filetest.WantWords(t, fig.Caption, "rules that count labels and hold few numbers (Majority on Adult 2)")
}

// One pass joins the panel of its stream. It and PHE are heavy and have bands, and the other lines do not.
func TestPaysFocus(t *testing.T) {
	pairs := onePassFiles(20, 2)
	fig := filetest.Must(Pays([]*result.File{pairs[1], pairs[0]}, "P-EE replay", 1))(t)
	filetest.Want(t, len(panels(fig)), 1, "panels, the two results in one")
	found := 0
	for _, c := range panels(fig)[0].Curves {
		heavy := c.Label == "PHE" || c.Label == "One pass"
		if heavy {
			found++
		}
		filetest.Want(t, c.Style.Width > 1.5, heavy, "%s is heavy", c.Label)
		filetest.Want(t, len(c.StdDev) > 0, heavy, "%s has a band", c.Label)
	}
	filetest.Want(t, found, 2, "heavy lines")
	filetest.WantWords(t, fig.Caption, "Heavy lines with a band: One pass and PHE;")
	pairs[1].Stream.Steps++
	filetest.WantError(t, filetest.Failure(Pays(pairs[:2], "P-EE replay", 1)), "are of different streams")
}

// A result of one pass without its published result stays a result of its own.
func TestWithOnePassAlone(t *testing.T) {
	kept := withOnePass(readSources(onePassFiles(4, 1)[1:2], 0))
	filetest.Want(t, len(kept), 1, "results")
	filetest.True(t, kept[0].find(onePassName, false) != nil, "one pass is not among the methods")
}

// Bands stay where no method is in focus, however many lines cross.
func TestCrowdWithoutFocus(t *testing.T) {
	f := synthetic(20, 3)
	for i := range f.Methods {
		f.Methods[i].Name = "Mine " + f.Methods[i].Name
	}
	fig := filetest.Must(Figure3(f, 2))(t)
	for _, c := range panels(fig)[0].Curves {
		filetest.Want(t, len(c.StdDev), 20, "%s: deviations", c.Label)
		filetest.Want(t, c.Style.Width, panels(fig)[0].Curves[0].Style.Width, "%s: its width", c.Label)
	}
	filetest.WantNone(t, fig.Caption, "Heavy")
}

// onePassPair returns a stream's two results.
func onePassPair() []*result.File {
	rows := []int{10, 10}
	published := handFile("by-group", hand("PHE", rows, []float64{0.8, 0.6}, []float64{0.4, 0.6}),
		hand("PHE frozen", rows, []float64{0.3, 0.5}), hand("EE", rows, []float64{0, 0})) // EE is not shown
	own := handFile("by-group", hand("One pass", rows, []float64{0.7, 0.9}, []float64{0.9, 0.7}))
	own.Name += "-one-pass"
	published.Stream.Changes = []result.Change{{Step: 1, What: "group 2"}}
	return []*result.File{published, own}
}

// A stream has a panel with the three methods, and the number of their seeds stands below.
func TestOnePass(t *testing.T) {
	fig := filetest.Must(OnePass(onePassPair(), 0))(t)
	filetest.Want(t, len(panels(fig)), 1, "panels")
	p := panels(fig)[0]
	filetest.Want(t, p.Heading, "Bank, by group", "its heading")
	filetest.Want(t, len(p.Changes), 1, "its changes")
	filetest.Want(t, labels(p), "PHE frozen, PHE, One pass", "curves")
	filetest.Near(t, p.Curves[2].Mean[0], 80, 1e-9, "the beginning of one pass")
	filetest.WantWords(t, fig.Caption, "Lines: mean over 1 to 2 seeds; bands: ±1 standard deviation between seeds.")
}
