package figures

import (
	"math"
	"slices"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/figures/draw"
	"gophe/phe/disk/filetest"
)

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
	if level.Label != "Majority" || level.Kind == draw.LineAndPoints || !slices.Equal(level.X, []float64{low, high}) || low < math.Log10(20) {
		t.Errorf("%s from %v to %v, axis from %v to %v", level.Label, level.X[0], level.X[1], low, high)
	}
	fixture.WantText(t, fig.Caption, "rules that count labels and hold few numbers (Majority on Adult 2)")
}
