package picture

import (
	"math"
	"strings"
	"testing"

	"gophe/figures"
	"gophe/figures/draw/drawtest"
	"gophe/notebooks/play"
	"gophe/notebooks/toy"
)

var twoItemControls = []play.Control{play.Button(ItemZero), play.Button(ItemOne), play.Button(TenZeros), play.Button(TenOnes), play.Button(StartAgain)}

// press returns the pictures after presses of buttons in turn.
func press(s *TwoItems, buttons ...string) (fig *figures.Figure) {
	at := play.NewPosition(twoItemControls...)
	for _, name := range buttons {
		fig = s.Draw(at.With(name, ""))
	}
	return fig
}

// Two click sequences of the same data: in turns of one nobody forgets, in turns of ten gradient descent forgets most.
func TestTwoItemsByHand(t *testing.T) {
	long, short := NewTwoItems(1, 1), NewTwoItems(1, 1)
	taken := press(long, StartAgain, TenZeros, TenOnes)
	var clicks []string
	for range 10 {
		clicks = append(clicks, ItemZero, ItemOne)
	}
	turns := press(short, append([]string{StartAgain}, clicks...)...)
	far := func(s *TwoItems, learner int) float64 {
		return math.Abs(s.predicted[learner][0][20] - toy.TwoItemTargets[0])
	}
	bayes, ada := far(long, 0), far(long, 2)
	if math.Abs(bayes-far(short, 0)) > 1e-12 {
		t.Errorf("exact Bayes is %v from item 0 in long turns, and %v in short ones", bayes, far(short, 0))
	}
	if phe := far(long, 1); bayes >= phe || phe >= ada || ada < 0.5 {
		t.Errorf("in long turns exact Bayes, PHE and Ada are %v, %v and %v from item 0", bayes, phe, ada)
	}
	if far(short, 2) > ada/2 {
		t.Errorf("in short turns Ada is %v from item 0, in long ones %v", far(short, 2), ada)
	}
	for name, fig := range map[string]*figures.Figure{"twoitems-long": taken, "twoitems-short": turns} {
		if n := drawtest.Counts(t, fig, "Ada, ", "datum, "); n[0] != 2*21 || n[1] != 20 {
			t.Errorf("%s: %d points of Ada and %d data, want 42 and 20", name, n[0], n[1])
		}
		drawtest.Keep(t, fig, name)
	}
	if n := drawtest.Counts(t, taken, "Ada, 20: "+figures.Number(long.predicted[2][0][20])); n[0] != 1 {
		t.Error("the picture does not have Ada's last prediction of item 0")
	}
	if !strings.Contains(taken.Caption, "10 of item 0, 10 of item 1.") {
		t.Errorf("the caption says %q", taken.Caption)
	}
}

// Each order is a line of both learners.
func TestPaths(t *testing.T) {
	fig := Paths([][]float64{{0.1, 0.2}, {0, 0.2}}, [][]float64{{0.5, 0.9}, {0.7, 9}})
	if n := drawtest.Counts(t, fig, "exact Bayes, 2: 0.2", "gradient descent, "); n[0] != 2 || n[1] != 3 {
		t.Errorf("%d ends of exact Bayes and %d points of descent, want 2 and 3: one is beyond the picture", n[0], n[1])
	}
	drawtest.Keep(t, fig, "paths")
}

// The committed result has five orders of two methods.
func TestEndAccuracy(t *testing.T) {
	fig := EndAccuracy(committed(t, "adult-order"))
	if n := drawtest.Counts(t, fig, "PHE, ", "FastAda, "); n[0] != 5 || n[1] != 5 {
		t.Errorf("%d points of PHE and %d of FastAda, want 5 each", n[0], n[1])
	}
	drawtest.Keep(t, fig, "endaccuracy")
}
