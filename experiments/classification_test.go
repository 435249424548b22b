package experiments

import (
	"slices"
	"testing"

	"gophe/data"
	"gophe/phe/phetest"
	"gophe/phe/tabular"
)

// A classifier led by hand learns: both tables' beliefs move, θ stays.
func TestNewClassifier(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%+v", err)
		}
	}
	table, err := data.Load("mushroom", data.Options{})
	must(err)
	table, err = table.Select([]string{"odor"})
	must(err)
	model, err := NewClassifier(phetest.Backend(t), tabular.Default().Config, table, 1, 30)
	must(err)
	defer model.Finalize()
	learner, err := model.NewLearner([]int64{1})
	must(err)
	defer learner.Finalize()
	must(learner.Initialise())
	prior, err := learner.Beliefs(0)
	must(err)
	rows := make([]int32, 30)
	for i := range rows {
		rows[i] = int32(i)
	}
	must(learner.Update(rows, 2, 0))
	posterior, err := learner.Beliefs(0)
	must(err)
	if n := len(prior.E.Mean) + len(prior.E.StdDev) + len(prior.W.Mean) + len(prior.W.StdDev); n != 346 || prior.W.Dim != 3 {
		t.Errorf("%d numbers in the tables, %d hashes; Table 4 has 346, and 3", n, prior.W.Dim)
	}
	if slices.Max(posterior.E.KL(prior.E)) <= 0 || slices.Max(posterior.W.KL(prior.W)) <= 0 {
		t.Error("an update moved nothing")
	}
	if !slices.EqualFunc(prior.Theta, posterior.Theta, slices.Equal[[]float32]) || len(prior.Theta) != 3 || len(prior.Theta[0]) != 20 {
		t.Errorf("θ was %v and is %v", prior.Theta, posterior.Theta)
	}
}
