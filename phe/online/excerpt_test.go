package online_test

import (
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"

	"gophe/phe"
	"gophe/phe/online"
	"gophe/phe/phetest"
)

func TestRoomFor(t *testing.T) {
	for _, c := range [][2]int{{0, 64}, {1, 64}, {64, 64}, {65, 128}, {256, 256}, {257, 512}, {4096, 4096}, {4097, 16384}, {16385, 65536}} {
		if got := online.RoomFor(c[0]); got != c[1] {
			t.Errorf("room for %d is %d, want %d", c[0], got, c[1])
		}
	}
}

// sum is a network without weights: row i's mean is the sum of the embedding of item i, and it should be 1.
type sum struct{ encoder *phe.Encoder }

func (sum) Weights() []online.Weight { return nil }

func (n sum) Predict(p online.Parameters, b online.Batch, noise phe.Noise) *Node {
	runs, rows := b.Size()
	slots := phe.Slots{Buckets: b.Data[0]}
	index := b.OwnItems(Reshape(b.Rows, runs*rows, 1), slots.Buckets.Shape().Dimensions[0])
	return ReduceSum(Squeeze(n.encoder.Embed(p.Tables, slots.Stack(runs, p.Tables), index, phe.Rows, 1, noise), 0), -1)
}

func (n sum) DataTerm(p online.Parameters, b online.Batch, noise phe.Noise, _ bool) *Node {
	runs, rows := b.Size()
	return Neg(Square(AddScalar(Reshape(n.Predict(p, b, noise), runs, rows), -1)))
}

const items, capacity = 100, 103

// rowItems makes excerpts of data in which row i is item i, in row i of the table.
func rowItems(rows []int32, whole bool) (online.Excerpt, error) {
	x := online.Excerpt{Room: len(rows)}
	buckets := slices.Clone(rows)
	if !whole {
		x.E = slices.Compact(slices.Sorted(slices.Values(rows)))
		for i, row := range rows {
			at, _ := slices.BinarySearch(x.E, row)
			buckets[i] = int32(at)
		}
		x.Room = online.RoomFor(len(rows))
		buckets = append(buckets, make([]int32, x.Room-len(rows))...)
	}
	x.Data = []*tensors.Tensor{tensors.FromFlatDataAndDimensions(buckets, x.Room, 1)}
	return x, nil
}

func newLearner(t *testing.T, source online.Source, estimate phe.Estimate) *online.Learner {
	t.Helper()
	c := online.Config{Encoder: phe.Config{Rows: phe.Vocabulary, Estimate: estimate, EmbeddingDim: 2, Capacity: capacity, InitialLogStdDev: -3},
		Scheme: phe.Rows, TrainSamples: 1, TestSamples: 1, Loss: phe.Expected, KLWeight: 1, LearningRate: 0.1, BatchSize: 16, Scope: phe.AllColumns}
	encoder, err := phe.NewEncoder(c.Encoder)
	check(t, err)
	m, err := online.NewExcerptModel(phetest.Backend(t), c, encoder, sum{encoder}, source, items, 2, items)
	check(t, err)
	l, err := m.NewLearner([]int64{3, 4})
	check(t, err)
	check(t, l.Initialise())
	t.Cleanup(func() { l.Finalize(); m.Finalize() })
	return l
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%+v", err)
	}
}

// A point estimate's one item has one table row: after enough steps it predicts 1, and no other row of either run moves.
func TestUpdateLearnsItsRows(t *testing.T) {
	l := newLearner(t, rowItems, phe.Point)
	before, err := l.Snapshot()
	check(t, err)
	day := []int32{7, 99, 7, 41}
	check(t, l.Update(day, 100, 0))
	predictions, err := l.Predict(day, 0)
	check(t, err)
	for i, v := range predictions {
		if !(v > 0.95 && v < 1.05) {
			t.Errorf("prediction %d is %g after learning 1", i, v)
		}
	}
	after, err := l.Snapshot()
	check(t, err)
	for row := range 2 * capacity {
		was, is := before.Parameters[0][2*row:2*row+2], after.Parameters[0][2*row:2*row+2]
		if moved := !slices.Equal(was, is); moved != slices.Contains(day, int32(row%capacity)) {
			t.Errorf("run %d, row %d moved: %t", row/capacity, row%capacity, moved)
		}
	}
}

// What a source cannot do is an error of the call, which changes nothing; as are more table rows than its room has.
func TestSourceErrors(t *testing.T) {
	for name, source := range map[string]online.Source{
		"no such file": func(rows []int32, whole bool) (online.Excerpt, error) {
			return online.Excerpt{}, errors.New("no such file")
		},
		"room for 64 rows of a table has 65": func(rows []int32, whole bool) (online.Excerpt, error) {
			if whole {
				return online.Excerpt{}, errors.New("room for 64 rows of a table has 65, said the test")
			}
			x, err := rowItems(rows, whole)
			x.E = make([]int32, 65)
			return x, err
		},
	} {
		l := newLearner(t, source, phe.Posterior)
		before, err := l.Snapshot()
		check(t, err)
		_, err = l.Predict([]int32{1}, 0)
		for call, err := range map[string]error{"prediction": err, "update": l.Update([]int32{1}, 1, 0),
			"initial phase": l.TrainEpoch([]int32{1}, 0), "replay": l.Replay([]int32{1}, 1, 0)} {
			if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), call) {
				t.Errorf("%s: %v, which should say %q", call, err, name)
			}
		}
		after, err := l.Snapshot()
		check(t, err)
		if !slices.EqualFunc(before.Parameters, after.Parameters, slices.Equal[[]float32]) {
			t.Errorf("%s: an error changed the state", name)
		}
	}
}

// The initial phase fetches its rows once, until they change or it ends.
func TestInitialPhaseFetchesOnce(t *testing.T) {
	fetched := 0
	l := newLearner(t, func(rows []int32, whole bool) (online.Excerpt, error) {
		fetched++
		return rowItems(rows, whole)
	}, phe.Posterior)
	for i, c := range []struct {
		rows []int32
		want int
	}{{[]int32{1, 2}, 1}, {[]int32{1, 2}, 1}, {[]int32{2, 1}, 2}, {[]int32{2, 1}, 2}, {[]int32{1, 2}, 3}} {
		check(t, l.TrainEpoch(c.rows, i))
		if fetched != c.want {
			t.Errorf("epoch %d: %d fetches, want %d", i, fetched, c.want)
		}
	}
	l.EndInitialPhase()
	check(t, l.Replay([]int32{1, 2}, 1, 0))
	if fetched != 4 {
		t.Errorf("a replay after the end: %d fetches, want 4", fetched)
	}
}
