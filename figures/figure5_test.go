package figures

import (
	"math"
	"slices"
	"testing"

	"gophe/experiments/fixture"
	"gophe/experiments/result"
	"gophe/phe/filetest"
)

func TestFigure5Errors(t *testing.T) {
	f := toyFile()
	fig := filetest.Must(Figure5(f))(t)
	upper, lower := panels(fig)[0], panels(fig)[1]
	if len(upper.curves) != 4 || len(lower.curves) != 3 || len(upper.changes) != 5 {
		t.Fatalf("%d and %d curves, %d changes", len(upper.curves), len(lower.curves), len(upper.changes))
	}
	for i, c := range lower.curves {
		for step, far := range c.mean {
			target, predicted := f.Methods[0].Runs[0].Prediction[step], f.Methods[1+i].Runs[0].Prediction[step]
			if !near(far, math.Abs(target-predicted)) || upper.curves[1+i].mean[step] != predicted {
				t.Fatalf("%s, datum %d: error %v of prediction %v, target %v", c.label, step, far, predicted, target)
			}
		}
	}
	phe := upper.curves[1]
	if got := phe.pieces(100); !slices.Equal(got, [][2]int{{0, 20}, {20, 40}, {40, 60}, {60, 80}, {80, 100}}) {
		t.Errorf("PHE is drawn in pieces %v", got)
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
		fixture.WantError(t, fixture.Failure(Figure5(f)), want)
	}
	fixture.WantError(t, fixture.Failure(Figure5(nil)), "phe run NAME")
}
