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
	filetest.Near(t, highest(tight["plug-in"]).X, highest(tight["exact"]).X, 0.02, "where the plug-in step from a tight belief ends")
	wide := drawtest.BySeries(OneLogit(at.With("μ", -4).With("σ", 5)))
	gap := highest(wide["plug-in"]).X - highest(wide["exact"]).X
	filetest.True(t, gap >= 0.2, "from a wide belief the plug-in step ends %.3f of the width to the right of the exact posterior", gap)
	for label, side := range map[string]float64{"1": 1, "0": -1} {
		by := drawtest.BySeries(OneLogit(at.With("σ", 2).With("μ", 0).With("label", label)))
		right := side*(highest(by["exact"]).X-highest(by["before"]).X) > 0
		filetest.True(t, right, "a label of %s moves the belief to the wrong side", label)
	}
}

// The committed curves of two results are drawn along one stream.
func TestAlong(t *testing.T) {
	published, own := committed(t, "mushroom-swapped"), committed(t, "mushroom-swapped-one-pass")
	mine := &result.Method{Name: "mine", Runs: own.Method("One pass", false).Runs[:1]}
	fig := Along(own, 0, published.Method("PHE", true), own.Method("One pass", false), mine)
	by := drawtest.BySeries(fig)
	for _, curve := range []string{"One pass", "PHE (frozen)", "mine"} {
		filetest.True(t, len(by[curve]) >= 50, "%s has %d points", curve, len(by[curve]))
	}
}

func TestOrders(t *testing.T) {
	own := OrderOf("one pass", committed(t, "adult-order-one-pass"), "One pass order")
	filetest.Want(t, [2]int{len(own.Deviations), len(own.Deviations[0])}, [2]int{5, 20}, "seeds, and deviations of each")
	filetest.Near(t, stat.Mean(own.Deviations[4], nil), 0, 1e-9, "the mean deviation of a seed")
	run := func(name string, ends ...float64) (m result.Method) {
		m.Name = name
		for seed, end := range ends {
			m.Put(result.Run{Seed: int64(seed), Summary: map[string]float64{measure.FinalAverage: end}})
		}
		return m
	}
	o := OrderOf("one pass", &result.File{Methods: []result.Method{run("order a", 1, 0), run("order b", 3, 4)}}, "order")
	filetest.Near(t, o.Spread, 1.5*math.Sqrt2, 1e-12, "the deviation")
	by := drawtest.BySeries(Orders(o, Order{Name: "PHE", Deviations: [][]float64{{0, 0}}}))
	filetest.Want(t, len(by), 5, "points, of which two of six are alike")
}
