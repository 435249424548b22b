package toy_test

import (
	"context"
	"math"
	"testing"

	"gophe/experiments/run"
	"gophe/experiments/spec"
	"gophe/notebooks/toy"
	"gophe/phe/filetest"
)

// The learners make the same predictions as the study's run of Fig. 5, datum by datum. The PHE of that run is exact Bayes.
func TestTwoItemsFollowTheStudy(t *testing.T) {
	experiment := filetest.Must(spec.Load("two-items"))(t)
	f := filetest.Must(run.Execute(context.Background(), experiment, run.Options{Out: t.TempDir()}))(t)
	for i, method := range map[int]string{0: "PHE", 2: "Ada"} {
		learner := toy.NewTwoItemLearners()[i]
		for step, want := range f.Method(method, false).Runs[0].Prediction {
			item := step / experiment.Protocol.ChunkRows % 2
			if got := learner.Predict(item); math.Abs(got-want) > 1e-12 {
				t.Fatalf("%s, step %d: %v, and the study says %v", toy.TwoItemNames[i], step, got, want)
			}
			learner.Learn(item)
		}
	}
}

// Long turns end where Supp. F says: gradient descent at e = (½, −¼, −¾), with error ¾ on item 0, and exact Bayes near (1, 0, −1).
func TestTwoItemLongTurns(t *testing.T) {
	learners := toy.NewTwoItemLearners()
	for _, l := range learners {
		for item := range 2 {
			for range 20_000 {
				l.Learn(item)
			}
		}
	}
	for item, want := range []float64{0.25, -1} { // ½ − ¼, and −¼ − ¾
		if got := learners[2].Predict(item); math.Abs(got-want) > 1e-6 {
			t.Errorf("descent predicts %v for item %d, want %v", got, item, want)
		}
	}
	for i, want := range []float64{1, 0, -1} {
		if got := learners[0].(*toy.TwoItemBelief).Rows.Mean(nil)[i]; math.Abs(got-want) > 1e-3 {
			t.Errorf("exact Bayes' row %d is %v, want %v", i, got, want)
		}
	}
}
