package figures

import (
	"math"
	"slices"
	"testing"

	"gophe/experiments/result"
	"gophe/phe/disk/filetest"
)

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

func TestFigure5Refuses(t *testing.T) {
	for want, damage := range map[string]func(*result.File){
		"no method Observation":          func(f *result.File) { f.Methods = f.Methods[1:] },
		"no method but Observation":      func(f *result.File) { f.Methods = f.Methods[:1] },
		"PHE, seed 0: 3 predictions of":  func(f *result.File) { f.Methods[1].Runs[0].Prediction = []float64{1, 2, 3} },
		"EE, seed 0, datum 7: predictio": func(f *result.File) { f.Methods[3].Runs[0].Prediction[7] = math.NaN() },
		"none of its runs is finished":   func(f *result.File) { f.Methods = nil },
	} {
		f := toyFile()
		damage(f)
		filetest.WantError(t, filetest.Failure(Figure5(f)), want)
	}
	filetest.WantError(t, filetest.Failure(Figure5(nil)), "phe run NAME")
}
