package picture

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/figures/draw"
	"gophe/figures/draw/drawtest"
	"gophe/notebooks/play"
	"gophe/notebooks/toy"
	"gophe/phe/disk/filetest"
	"gophe/phe/onepass"
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

// odors is the stream of the notebook's widget.
func odors(t testing.TB) (toy.Hashed, onepass.Config) {
	t.Helper()
	c := toy.Small(5)
	s := filetest.Must(toy.Odors().Swapped(0.3, 20, 160))(t)
	return toy.Hash(s, c), c
}

func knobsAt(sigma, eta, gamma float64) play.Position {
	return play.NewPosition(play.Slider("σ", 0.1, 3, 0.1, sigma), play.Slider("η", 0.05, 1, 0.05, eta), play.Slider("γ", 0.95, 1, 0.002, gamma))
}

// The widget of σ, η and γ. Its default is the committed run, and forgetting turns round faster.
func TestKnobs(t *testing.T) {
	h, c := odors(t)
	own := committed(t, "mushroom-swapped-one-pass")
	usual := withKnobs(h, c, 1, 1, 1)
	for step, want := range own.Method("One pass", false).Run(0).Accuracy {
		if got := usual[step]; math.Abs(got-want) > 1e-9 {
			t.Fatalf("one pass is right in %g of step %d, and committed as %g", got, step, want)
		}
	}
	picture, score := Knobs(h, c, own.Method("ItemMajority", false).Run(0).Accuracy)
	standard, forgetting := picture(knobsAt(1, 1, 1)), picture(knobsAt(1, 1, 0.99))
	if !strings.Contains(standard.Caption, "yours 91.69 %, default 91.69 %") || !strings.Contains(forgetting.Caption, "yours 97.47 %, default 91.69 %") {
		t.Errorf("captions %q and %q", standard.Caption, forgetting.Caption)
	}
	at := drawtest.BySeries(standard)
	if len(at["yours"]) == 0 || len(at["yours"]) != len(at["default"]) {
		t.Fatalf("the picture has %d points of ours, %d of the default", len(at["yours"]), len(at["default"]))
	}
	for i := range at["yours"] {
		if a, b := at["yours"][i], at["default"][i]; math.Abs(a.Y-b.Y) > 1e-3 {
			t.Errorf("at the default the curves part: %v, %v", a, b)
		}
	}
	if share := score(1, 0.1, 1); math.Abs(share-97.875) > 1e-9 {
		t.Errorf("with η = 0.1 the accuracy is %g", share)
	}
}
