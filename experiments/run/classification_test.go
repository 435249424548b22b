package run

import (
	"slices"
	"testing"

	"gophe/data/files"
	"gophe/data/tables"
	"gophe/phe/disk/filetest"
	"gophe/phe/models/tabular"
)

// A classifier led by hand learns: both tables' beliefs move, θ stays.
func TestNewClassifier(t *testing.T) {
	table := filetest.Must(filetest.Must(tables.Load("mushroom", files.Options{}))(t).Select([]string{"odor"}))(t)
	learner, all, err := NewClassifier(options(t, "").Backend, tabular.Paper().Config, table, 30)
	filetest.Check(t, err)
	defer learner.Close()
	prior := filetest.Must(learner.Beliefs(0))(t)
	rows := make([]int32, 30)
	for i := range rows {
		rows[i] = int32(i)
	}
	filetest.Check(t, learner.Update(all.Take(rows), 2))
	posterior := filetest.Must(learner.Beliefs(0))(t)
	if n := len(prior.E.Mean) + len(prior.E.Variance) + len(prior.W.Mean) + len(prior.W.Variance); n != 346 || prior.W.Dim != 3 {
		t.Errorf("%d numbers in the tables, %d hashes; Table 4 has 346, and 3", n, prior.W.Dim)
	}
	filetest.Want(t, slices.Max(posterior.E.KL(prior.E)) > 0 && slices.Max(posterior.W.KL(prior.W)) > 0,
		"an update moved nothing")
	if !slices.EqualFunc(prior.Theta, posterior.Theta, slices.Equal[[]float32]) || len(prior.Theta) != 3 || len(prior.Theta[0]) != 20 {
		t.Errorf("θ was %v and is %v", prior.Theta, posterior.Theta)
	}
}
