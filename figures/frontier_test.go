package figures

import (
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/figures/draw"
	"gophe/phe/disk/filetest"
)

func TestFrontierPoints(t *testing.T) {
	run := func(seed int64, status string, accuracy ...float64) result.Run {
		return result.Run{Seed: seed, Status: status, DivergedAt: 1, Rows: make([]int, len(accuracy)), Accuracy: accuracy}
	}
	f := &result.File{Name: "hand", Methods: []result.Method{
		{Name: "PHE B=7", Parameters: 1000, Runs: []result.Run{run(0, result.Complete, 0.7, 0.9), run(1, result.Complete, 0.8, 1)}}, // 80, 90
		{Name: "PHE B=3", Parameters: 100, Runs: []result.Run{run(0, result.Complete, 0.6, 0.8), run(1, result.Diverged, 0.1)}},
		{Name: "P-EE", Parameters: 5000, Runs: []result.Run{run(0, result.Complete, 0.5, 0.5)}},
		{Name: "P-EE", Frozen: true, Parameters: 5000, Runs: []result.Run{run(0, result.Complete, 0.1, 0.1)}},
		{Name: "Majority", Runs: []result.Run{run(0, result.Complete, 0.5, 0.5)}}, // no parameters
	}}
	fig := filetest.Must(Frontier([]*result.File{f}))(t)
	curves := panels(fig)[0].Curves
	if len(curves) != 2 || curves[0].Label != "PHE" || curves[1].Label != "P-EE" {
		t.Fatalf("curves %+v", curves)
	}
	phe := curves[0]
	for i, want := range []struct{ x, mean float64 }{{2, 70}, {3, 85}} {
		if !near(phe.X[i], want.x) || !near(phe.Mean[i], want.mean) {
			t.Errorf("point %d: %v at 10^%v, want %+v", i, phe.Mean[i], phe.X[i], want)
		}
	}
	if phe.Style.Color != (color.NRGBA{0, 114, 178, 255}) || !near(estimateOf([]float64{80, 90}).StdDev, 5*math.Sqrt2) {
		t.Error("PHE's colour or deviation is off")
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
	if level.Label != "Majority" || level.Kind == draw.LineAndPoints || !slices.Equal(level.X, []float64{low, high}) || low < math.Log10(20) {
		t.Errorf("%s from %v to %v, axis from %v to %v", level.Label, level.X[0], level.X[1], low, high)
	}
	fixture.WantText(t, fig.Caption, "rules that count labels and hold few numbers (Majority on Adult 2)")
}

// A method stands at all the memory that it keeps, which may be more than its name says. The best score without the items is a line,
// and the caption names these items. A result that always has the items has no such line.
func TestLateItems(t *testing.T) {
	method := func(name string, parameters int, accuracy float64) result.Method {
		run := result.Run{Status: result.Complete, Rows: []int{1}, Accuracy: []float64{accuracy}}
		return result.Method{Name: name, Dataset: "retail-12", Parameters: 1, TotalParameters: parameters, Runs: []result.Run{run}}
	}
	f := &result.File{Name: "hand", Methods: []result.Method{method("FTRL, 32 KB", 8192, 0.9), method("phe stream, 32 KB", 1<<18, 0.8),
		method("phe stream, 32 KB, without items", 1<<18, 0.6), method("FTRL, 32 KB, without items", 8192, 0.7),
		method("FTRL, 4 KB", 1000, 0.75)}}
	f.Manifest.Spec = []byte(`{"methods": [{"without": ["StockCode", "CustomerID"]}, {}]}`)
	fig := filetest.Must(LateItems([]*result.File{f}))(t)
	curves := panels(fig)[0].Curves
	if len(curves) != 3 || !near(curves[2].Mean[0], 70) || curves[2].Label != "without the items" {
		t.Fatalf("curves %+v", curves)
	}
	for i, want := range [][]float64{{math.Log10(4), math.Log10(32)}, {math.Log10(1024)}} {
		if !slices.EqualFunc(curves[i].X, want, near) {
			t.Errorf("%s at %v, want %v", curves[i].Label, curves[i].X, want)
		}
	}
	fixture.WantText(t, fig.Caption, "without the items that keep coming (Online Retail: StockCode and CustomerID).")
	f.Methods, f.Manifest.Spec = f.Methods[:2], nil
	fig = filetest.Must(LateItems([]*result.File{f}))(t)
	if n := len(panels(fig)[0].Curves); n != 2 || strings.Contains(fig.Caption, "Horizontal") {
		t.Errorf("%d curves, caption %q", n, fig.Caption)
	}
}
