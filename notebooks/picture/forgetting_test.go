package picture

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/run"
	"gophe/experiments/spec"
	"gophe/figures/draw"
	"gophe/phe/disk/filetest"
)

// Two streams of the same data: in turns of one no learner forgets, in turns of ten gradient descent forgets most.
func TestTwoItems(t *testing.T) {
	taken, turns := append(make([]int, 10), slices.Repeat([]int{1}, 10)...), slices.Repeat([]int{0, 1}, 10)
	for name, arrivals := range map[string][]int{"two-items-tens": taken, "two-items-turns": turns} {
		fig := TwoItems(arrivals...)
		if points, data := count(fig, "Ada, "), count(fig, "datum, "); points != 2*21 || data != 20 {
			t.Errorf("%s: %d points of Ada and %d data, want 42 and 20", name, points, data)
		}
		if n := count(fig, "Ada, 20: "+draw.Number(alongTwoItems(arrivals).predicted[2][0][20])); n != 1 {
			t.Errorf("%s: the picture does not have Ada's last prediction of item 0", name)
		}
		if !strings.Contains(fig.Caption, "10 of item 0, 10 of item 1.") {
			t.Errorf("the caption says %q", fig.Caption)
		}
	}
	bayes, phe, ada := MissedTwoItems(taken...)
	shortBayes, _, shortAda := MissedTwoItems(turns...)
	if math.Abs(bayes-shortBayes) > 1e-12 {
		t.Errorf("exact Bayes is %v from item 0 in long turns, and %v in short ones", bayes, shortBayes)
	}
	if bayes >= phe || phe >= ada || ada < 0.5 {
		t.Errorf("in long turns exact Bayes, PHE and Ada are %v, %v and %v from item 0", bayes, phe, ada)
	}
	if shortAda > ada/2 {
		t.Errorf("in short turns Ada is %v from item 0, in long ones %v", shortAda, ada)
	}
}

// The learners make the same predictions as the study's run of Fig. 5, datum by datum. The PHE of that run is exact Bayes.
func TestTwoItemsFollowTheStudy(t *testing.T) {
	experiment := filetest.Must(spec.Load("two-items"))(t)
	f := filetest.Must(run.Execute(context.Background(), experiment, run.Options{Out: t.TempDir()}))(t)
	for learner, method := range map[int]string{0: "PHE", 2: "Ada"} {
		predicted := f.Method(method, false).Runs[0].Prediction
		var arrivals []int
		for step := range predicted {
			arrivals = append(arrivals, step/experiment.Protocol.ChunkRows%2)
		}
		own := alongTwoItems(arrivals)
		for step, want := range predicted {
			if got := own.predicted[learner][arrivals[step]][step]; math.Abs(got-want) > 1e-12 {
				t.Fatalf("%s, step %d: %v, and the study says %v", twoItemNames[learner], step, got, want)
			}
		}
	}
}

// Long turns end where Supp. F says: gradient descent at e = (½, −¼, −¾), with error ¾ on item 0, and exact Bayes near (1, 0, −1).
func TestTwoItemLongTurns(t *testing.T) {
	arrivals := append(make([]int, 20_000), slices.Repeat([]int{1}, 20_000)...)
	s := alongTwoItems(arrivals)
	for item, want := range []float64{0.25, -1} { // ½ − ¼, and −¼ − ¾
		near(t, "descent's prediction", s.predicted[2][item][40_000], want, 1e-6)
	}
	for item, want := range []float64{1, -1} { // 1 + 0, and 0 − 1
		near(t, "exact Bayes' prediction", s.predicted[0][item][40_000], want, 2e-3)
	}
}
