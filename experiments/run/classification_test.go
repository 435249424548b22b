package run

import (
	"slices"
	"testing"

	"gophe/data/files"
	"gophe/data/tables"
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
	table, err := tables.Load("mushroom", files.Options{})
	must(err)
	table, err = table.Select([]string{"odor"})
	must(err)
	learner, all, err := NewClassifier(phetest.Backend(t), tabular.Default().Config, table, 30)
	must(err)
	defer learner.Close()
	prior, err := learner.Beliefs(0)
	must(err)
	rows := make([]int32, 30)
	for i := range rows {
		rows[i] = int32(i)
	}
	must(learner.Update(all.Take(rows), 2))
	posterior, err := learner.Beliefs(0)
	must(err)
	if n := len(prior.E.Mean) + len(prior.E.Variance) + len(prior.W.Mean) + len(prior.W.Variance); n != 346 || prior.W.Dim != 3 {
		t.Errorf("%d numbers in the tables, %d hashes; Table 4 has 346, and 3", n, prior.W.Dim)
	}
	if slices.Max(posterior.E.KL(prior.E)) <= 0 || slices.Max(posterior.W.KL(prior.W)) <= 0 {
		t.Error("an update moved nothing")
	}
	if !slices.EqualFunc(prior.Theta, posterior.Theta, slices.Equal[[]float32]) || len(prior.Theta) != 3 || len(prior.Theta[0]) != 20 {
		t.Errorf("θ was %v and is %v", prior.Theta, posterior.Theta)
	}
}
