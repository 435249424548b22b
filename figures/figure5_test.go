package figures

import (
	"math"
	"slices"
	"testing"

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
