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
	numbers := len(prior.E.Mean) + len(prior.E.Variance) + len(prior.W.Mean) + len(prior.W.Variance)
	filetest.WantEqual(t, [2]int{numbers, prior.W.Dim}, [2]int{346, 3}, "numbers in the tables, as in Table 4, and hashes")
	filetest.Want(t, slices.Max(posterior.E.KL(prior.E)) > 0 && slices.Max(posterior.W.KL(prior.W)) > 0,
		"an update moved nothing")
	filetest.WantEqual(t, posterior.Theta, prior.Theta, "θ")
	filetest.WantEqual(t, [2]int{len(prior.Theta), len(prior.Theta[0])}, [2]int{3, 20}, "shape of θ")
}
