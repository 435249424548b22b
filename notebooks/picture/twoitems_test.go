package picture

import (
	"context"
	"math"
	"slices"
	"testing"

	"gophe/experiments/run"
	"gophe/experiments/spec"
	"gophe/phe/filetest"
)

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
