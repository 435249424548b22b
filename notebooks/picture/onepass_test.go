package picture

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/figures/draw"
	"gophe/figures/draw/drawtest"
	"gophe/notebooks/play"
	"gophe/phe/disk/filetest"
)

// highest returns the mark that lies highest in a picture.
func highest(marks []draw.Mark) draw.Mark {
	top := draw.Mark{Y: math.Inf(1)}
	for _, m := range marks {
		if m.Y < top.Y {
			top = m
		}
	}
	return top
}

// committed reads a committed result.
func committed(t testing.TB, name string) *result.File {
	t.Helper()
	return filetest.Must(result.OpenFolder("../../experiments/out").Load(name))(t)
}

// The widget of one logit: from a tight belief all pulls end at the exact posterior, from a wide one the plug-in step ends far to the
// right, and the other label moves the belief to the left.
func TestOneLogit(t *testing.T) {
	at := play.NewPosition(play.Slider("μ", -6, 6, 0.5, -1), play.Slider("σ", 0.25, 5, 0.25, 0.5), play.Choice("label", "1", "0"))
	tight := drawtest.BySeries(OneLogit(at))
	if gap := math.Abs(highest(tight["plug-in"]).X - highest(tight["exact"]).X); gap > 0.02 {
		t.Errorf("from a tight belief the plug-in step ends %.3f of the width from the exact posterior", gap)
	}
	wide := drawtest.BySeries(OneLogit(at.With("μ", -4).With("σ", 5)))
	if gap := highest(wide["plug-in"]).X - highest(wide["exact"]).X; gap < 0.2 {
		t.Errorf("from a wide belief the plug-in step ends %.3f of the width to the right of the exact posterior", gap)
	}
	for label, side := range map[string]float64{"1": 1, "0": -1} {
		by := drawtest.BySeries(OneLogit(at.With("σ", 2).With("μ", 0).With("label", label)))
		if side*(highest(by["exact"]).X-highest(by["before"]).X) <= 0 {
			t.Errorf("a label of %s moves the belief to the wrong side", label)
		}
	}
}

// The committed curves of two results are drawn along one stream.
func TestAlong(t *testing.T) {
	published, own := committed(t, "mushroom-swapped"), committed(t, "mushroom-swapped-one-pass")
	fig := Along(own, 0, published.Method("PHE", true), own.Method("One pass", false), &result.Method{Name: "mine", Runs: own.Method("One pass", false).Runs[:1]})
	by := drawtest.BySeries(fig)
	if len(by["One pass"]) < 50 || len(by["PHE (frozen)"]) < 50 || len(by["mine"]) < 50 {
		t.Errorf("the picture has the curves %v", by)
	}
}

func TestOrders(t *testing.T) {
	own := OrderOf("one pass", committed(t, "adult-order-one-pass"), "One pass order")
	if len(own.Deviations) != 5 || len(own.Deviations[0]) != 20 || math.Abs(stat.Mean(own.Deviations[4], nil)) > 1e-9 {
		t.Errorf("%d seeds and %v", len(own.Deviations), own.Deviations[0])
	}
	run := func(name string, ends ...float64) (m result.Method) {
		m.Name = name
		for seed, end := range ends {
			m.Put(result.Run{Seed: int64(seed), Summary: map[string]float64{measure.FinalAverage: end}})
		}
		return m
	}
	o := OrderOf("one pass", &result.File{Methods: []result.Method{run("order a", 1, 0), run("order b", 3, 4)}}, "order")
	if want := 1.5 * math.Sqrt2; math.Abs(o.Spread-want) > 1e-12 {
		t.Errorf("the deviation is %g, want %g", o.Spread, want)
	}
	if by := drawtest.BySeries(Orders(o, Order{Name: "PHE", Deviations: [][]float64{{0, 0}}})); len(by) != 5 { // two of six dots are alike
		t.Errorf("the picture has the points %v", by)
	}
}
