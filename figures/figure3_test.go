package figures

import (
	"fmt"
	"math"
	"slices"

	"gophe/experiments/result"
	"gophe/figures/draw"
)

// synthetic returns a result file made by a formula. It is test data for the drawing, NOT a result: nothing was trained. Chunks
// are equally hard for all methods (common), and each seed differs a little (own). The accuracy of a method goes from one value
// to another.
func synthetic(steps, seeds int) *result.File {
	f := &result.File{Name: "synthetic, not a result", Status: result.Complete}
	for k, row := range []struct {
		name     string
		frozen   bool
		from, to float64
		pace     float64 // steps
		own      float64 // seed to seed
	}{
		{"PHE", false, 0.845, 0.843, 50, 0.002},
		{"EE", false, 0.845, 0.842, 50, 0.001},
		{"P-EE", false, 0.848, 0.848, 50, 0.001},
		{"SlowAda", false, 0.845, 0.80, 150, 0.008},
		{"MediumAda", false, 0.845, 0.725, 100, 0.02},
		{"FastAda", false, 0.845, 0.70, 25, 0.03},
		{"PHE", true, 0.845, 0.8455, 50, 0.001},
		{"Ada", true, 0.844, 0.844, 50, 0.001},
	} {
		m := result.Method{Name: row.name, Frozen: row.frozen, Dataset: "adult", Convention: "authors", Scheme: "mean"}
		for seed := range seeds {
			run := result.Run{Seed: int64(seed), Status: result.Complete}
			for step := range steps {
				i := float64(step)
				common := 0.03*math.Sin(2.1*i) + 0.012*math.Sin(0.13*i+1)
				own := row.own*math.Cos(2.5*float64(seed)+float64(k)) + 0.006*math.Sin(1.7*i*float64(1+seed+3*k))
				start := math.Exp(-i / row.pace)
				run.Rows = append(run.Rows, 100)
				run.Accuracy = append(run.Accuracy, row.from*start+(row.to+own)*(1-start)+common)
			}
			m.Runs = append(m.Runs, run)
		}
		f.Methods = append(f.Methods, m)
	}
	return f
}

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
