package learn_test

import (
	"reflect"
	"testing"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
)

func TestRoomFor(t *testing.T) {
	for _, c := range [][2]int{{0, 64}, {1, 64}, {64, 64}, {65, 128}, {256, 256}, {257, 512}, {4096, 4096}, {4097, 16384}, {16385, 65536}} {
		filetest.Want(t, learn.RoomFor(c[0]), c[1], "room for %d", c[0])
	}
}

// A prediction of an item that has no row yet gives it none: the next item that is learned has the row.
func TestPredictingGivesNoRow(t *testing.T) {
	learner := filetest.Must(learn.New(sum(), config(phe.Point), learn.Options{Backend: nettest.Backend(t)}))(t)
	t.Cleanup(learner.Close)
	l := nettest.Led{Learner: learner}
	stranger := &learn.Batch{Records: 1, Items: []string{"stranger"}, Columns: []int32{0}, Index: []int32{0}}
	first := filetest.Must(l.Learner.Predict(stranger))(t)
	filetest.Want(t, len(l.State(t).Vocabulary), 0, "items that a prediction gave rows to")
	again := &learn.Batch{Records: 1, Items: []string{"another"}, Columns: []int32{0}, Index: []int32{0}, Targets: []float32{1}}
	second := filetest.Must(l.Learner.Predict(again))(t)
	filetest.Want(t, first.Values, second.Values, "the predictions of two items without rows, by the row that is free")
	filetest.Check(t, l.Learner.Update(again, 1))
	filetest.Want(t, l.State(t).Vocabulary, []string{"another"}, "items with rows")
}

// Epochs of several calls are the epochs of one call, and other records are others.
func TestFitGoesOn(t *testing.T) {
	c := config(phe.Posterior)
	once, twice := newLearner(t, sum(), c, learn.Options{}), newLearner(t, sum(), c, learn.Options{})
	filetest.Check(t, once.Fit([]int32{1, 2, 3}, 4))
	for range 2 {
		filetest.Check(t, twice.Fit([]int32{1, 2, 3}, 2))
	}
	filetest.Want(t, once.State(t).Parameters, twice.State(t).Parameters, "four epochs, and two and two: parameters")
	filetest.Want(t, once.State(t).Counts, twice.State(t).Counts, "four epochs, and two and two: counts")
	filetest.Check(t, once.Fit([]int32{4, 5, 6}, 1))
	filetest.Check(t, twice.Fit([]int32{7, 8, 9}, 1))
	same := reflect.DeepEqual(once.State(t).Parameters, twice.State(t).Parameters)
	filetest.True(t, !same, "other records are taken for those before")
}
