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

// Every belief is in the picture, and a label of 1 moves the exact posterior to the right.
func TestPulls(t *testing.T) {
	by := drawtest.BySeries(t, Pulls(toy.Logit{Mean: -1, Variance: 0.3}, toy.Logit{Mean: -4, Variance: 25}), "pulls")
	for _, name := range []string{"before", "exact", "mackay", "plug-in"} {
		if len(by[name]) == 0 {
			t.Errorf("%s is not in the picture", name)
		}
	}
}

// The widget of one logit: from a tight belief all pulls end at the exact posterior, from a wide one the plug-in step ends far to the
// right, and the other label moves the belief to the left.
func TestOneLogit(t *testing.T) {
	at := play.NewPosition(play.Slider("μ", -6, 6, 0.5, -1), play.Slider("σ", 0.25, 5, 0.25, 0.5), play.Choice("label", "1", "0"))
	tight := drawtest.BySeries(t, OneLogit(at), "one-logit-tight")
	if gap := math.Abs(highest(tight["plug-in"]).X - highest(tight["exact"]).X); gap > 0.02 {
		t.Errorf("from a tight belief the plug-in step ends %.3f of the width from the exact posterior", gap)
	}
	wide := drawtest.BySeries(t, OneLogit(at.With("μ", -4).With("σ", 5)), "one-logit-wide")
	if gap := highest(wide["plug-in"]).X - highest(wide["exact"]).X; gap < 0.2 {
		t.Errorf("from a wide belief the plug-in step ends %.3f of the width to the right of the exact posterior", gap)
	}
	for label, side := range map[string]float64{"1": 1, "0": -1} {
		by := drawtest.BySeries(t, OneLogit(at.With("σ", 2).With("μ", 0).With("label", label)), "one-logit-"+label)
		if side*(highest(by["exact"]).X-highest(by["before"]).X) <= 0 {
			t.Errorf("a label of %s moves the belief to the wrong side", label)
		}
	}
}

func TestBeliefs(t *testing.T) {
	by := drawtest.BySeries(t, Beliefs([]string{"a", "b"}, []float64{0, 1}, []float64{1, 4}, []float64{0.5, 1}, []float64{0.5, 4}), "beliefs")
	before, after := by["before the row"], by["after it"]
	if len(before) != 2 || len(after) != 2 || after[0].X <= before[0].X || after[1].X != before[1].X {
		t.Errorf("beliefs before %v, after %v", before, after)
	}
}

// The committed curves are drawn with the changes of the stream, and the table has their means.
func TestAlong(t *testing.T) {
	published, own := committed(t, "mushroom-swapped"), committed(t, "mushroom-swapped-one-pass")
	fig := Along(0, own.Stream.Changes, published.Method("PHE", true), own.Method("One pass", false), &result.Method{Name: "mine", Runs: own.Method("One pass", false).Runs[:1]})
	if !strings.Contains(fig.Caption, "from chunk 80 on, NONE and FOUL swapped.") {
		t.Errorf("the caption is %q", fig.Caption)
	}
	by := drawtest.BySeries(t, fig, "along")
	if len(by["One pass"]) < 50 || len(by["PHE (frozen)"]) < 50 || len(by["mine"]) < 50 {
		t.Errorf("the picture has the curves %v", by)
	}
	df := Accuracies(own.Method("One pass", false))
	want := 0.0
	for _, run := range own.Method("One pass", false).Runs {
		want += 100 * stat.Mean(run.Accuracy, nil) / 5
	}
	if got := df.Col("accuracy (%)").Elem(0).Float(); math.Abs(got-want) > 1e-6 {
		t.Errorf("one pass has the accuracy %g, want %g", got, want)
	}
}

func TestLargestLogits(t *testing.T) {
	by := drawtest.BySeries(t, LargestLogits([]onepass.Approximation{onepass.MacKay, onepass.PlugIn}, [][]float64{{1, 2, 3}, {1, 1e20, math.NaN()}}), "logits")
	if len(by["mackay"]) != 3 || len(by["plug-in"]) != 1 {
		t.Errorf("the picture has the points %v", by)
	}
}

func TestTurns(t *testing.T) {
	by := drawtest.BySeries(t, Turns([]int{100}, 1, 0.99), "turns")
	if len(by["after 100 rows"]) < 100 || len(by["with γ = 0.99"]) < 100 {
		t.Errorf("the picture has the points %v", by)
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
	if by := drawtest.BySeries(t, Orders(o, Order{Name: "PHE", Deviations: [][]float64{{0, 0}}}), "orders"); len(by) != 5 { // two of six dots are alike
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

// The widget of σ, η and γ. Its default is the committed run. Forgetting turns round faster, and a
// narrow prior makes beliefs narrow.
func TestKnobs(t *testing.T) {
	h, c := odors(t)
	own := committed(t, "mushroom-swapped-one-pass")
	k := newKnobs(h, c, "NONE", own.Method("ItemMajority", false).Run(0).Accuracy)
	for step, want := range own.Method("One pass", false).Run(0).Accuracy {
		if got := k.usual.accuracy[step]; math.Abs(got-want) > 1e-9 {
			t.Fatalf("one pass is right in %g of step %d, and committed as %g", got, step, want)
		}
	}
	usual, forgetting := k.draw(knobsAt(1, 1, 1)), k.draw(knobsAt(1, 1, 0.99))
	if !strings.Contains(usual.Caption, "yours 91.69 %, default 91.69 %") || !strings.Contains(forgetting.Caption, "yours 97.47 %, default 91.69 %") {
		t.Errorf("captions %q and %q", usual.Caption, forgetting.Caption)
	}
	at := drawtest.BySeries(t, usual, "knobs-default")
	if len(at["yours"]) == 0 || len(at["yours"]) != len(at["default"]) {
		t.Fatalf("the picture has %d points of ours, %d of the default", len(at["yours"]), len(at["default"]))
	}
	for i := range at["yours"] {
		if a, b := at["yours"][i], at["default"][i]; math.Abs(a.Y-b.Y) > 0.2 && a.X == b.X {
			t.Errorf("at the default the curves part: %v, %v", a, b)
		}
	}
	drawtest.BySeries(t, forgetting, "knobs-forgetting")
	narrow, wide := k.along(k.set(0.1, 1, 1)), k.along(k.set(3, 1, 1))
	if narrow.sigma[0] >= wide.sigma[0] {
		t.Errorf("the belief about the item has σ %g from a narrow prior, %g from a wide one", narrow.sigma[0], wide.sigma[0])
	}
	tempered, slow := drawtest.BySeries(t, k.draw(knobsAt(1, 0.1, 1)), "knobs-tempered"), k.along(k.set(1, 0.1, 1))
	if last := len(slow.sigma) - 1; slow.sigma[last] <= k.usual.sigma[last] {
		t.Errorf("tempering leaves the belief σ %g, and Bayes' rule %g", slow.sigma[last], k.usual.sigma[last])
	}
	if share, loss := k.score(1, 0.1, 1); math.Abs(share-97.875) > 1e-9 || loss >= k.usual.logLoss || len(tempered["yours"]) == 0 {
		t.Errorf("with η = 0.1 the accuracy is %g and the log-loss %g", share, loss)
	}
}
