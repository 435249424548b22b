package learn_test

import (
	"slices"
	"testing"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
)

func TestRoomFor(t *testing.T) {
	for _, c := range [][2]int{{0, 64}, {1, 64}, {64, 64}, {65, 128}, {256, 256}, {257, 512}, {4096, 4096}, {4097, 16384}, {16385, 65536}} {
		if got := learn.RoomFor(c[0]); got != c[1] {
			t.Errorf("room for %d is %d, want %d", c[0], got, c[1])
		}
	}
}

// A prediction of an item that has no row yet gives it none: the next item that is learned has the row.
func TestPredictingGivesNoRow(t *testing.T) {
	learner := filetest.Must(learn.New(sum(), config(phe.Point), learn.Options{Backend: nettest.Backend(t)}))(t)
	t.Cleanup(learner.Close)
	l := nettest.Led{Learner: learner}
	stranger := &learn.Batch{Records: 1, Items: []string{"stranger"}, Columns: []int32{0}, Index: []int32{0}}
	first := filetest.Must(l.Learner.Predict(stranger))(t)
	if v := l.State(t).Vocabulary; len(v) != 0 {
		t.Errorf("a prediction gave rows to %q", v)
	}
	again := &learn.Batch{Records: 1, Items: []string{"another"}, Columns: []int32{0}, Index: []int32{0}, Targets: []float32{1}}
	second := filetest.Must(l.Learner.Predict(again))(t)
	if !slices.Equal(first.Values, second.Values) {
		t.Error("two items without rows are not predicted by the row that is free")
	}
	check(t, l.Learner.Update(again, 1))
	if v := l.State(t).Vocabulary; !slices.Equal(v, []string{"another"}) {
		t.Errorf("learning one item gave rows to %q", v)
	}
}

// Epochs of several calls are the epochs of one call, and other records are others.
func TestFitGoesOn(t *testing.T) {
	once, twice := newLearner(t, sum(), config(phe.Posterior), learn.Options{}), newLearner(t, sum(), config(phe.Posterior), learn.Options{})
	check(t, once.Fit([]int32{1, 2, 3}, 4))
	for range 2 {
		check(t, twice.Fit([]int32{1, 2, 3}, 2))
	}
	if a, b := once.State(t), twice.State(t); !slices.EqualFunc(a.Parameters, b.Parameters, slices.Equal[[]float32]) || a.Counts != b.Counts {
		t.Error("four epochs are not two and two")
	}
	check(t, once.Fit([]int32{4, 5, 6}, 1))
	check(t, twice.Fit([]int32{7, 8, 9}, 1))
	if a, b := once.State(t), twice.State(t); slices.EqualFunc(a.Parameters, b.Parameters, slices.Equal[[]float32]) {
		t.Error("other records are taken for those before")
	}
}
