package figures

import (
	"fmt"
	"slices"

	"gophe/experiments/result"
	"gophe/figures/draw"
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
