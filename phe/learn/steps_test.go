package learn

import (
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"gophe/phe/disk/filetest"
)

// batches cuts two epochs of seven rows into batches of three, as a learner of seeds 5 and 6 does, and returns the rows of
// each epoch that each run learns.
func batches(t *testing.T, part uint64, purpose string) (learned [2][2][]int32) {
	t.Helper()
	const size, epochs, room = 3, 2, 8
	l := &Learner{seeds: []int64{5, 6}}
	b, steps := l.minibatches([]int32{10, 11, 12, 13, 14, 15, 16}, size, epochs, room, part, purpose)
	if dims := b.Order.Shape().Dimensions; steps != 6 || !slices.Equal(dims, []int{room, 2, size}) {
		t.Fatalf("%d steps in room %v", steps, dims)
	}
	rows, mask := flat[int32](t, b.Order), flat[float32](t, b.Masks)
	for step := range room {
		for i := range size {
			counts := step < steps && (step%3 < 2 || i == 0) // the third batch of an epoch has one row
			filetest.Want(t, mask[step*size+i] == 1, counts, "step %d, row %d counts", step, i)
			for run := range 2 {
				if counts {
					learned[run][step/3] = append(learned[run][step/3], rows[(step*2+run)*size+i])
				}
			}
		}
	}
	return learned
}

func flat[T int32 | float32](t *testing.T, x *tensors.Tensor) []T {
	t.Helper()
	return filetest.Must(tensors.CopyFlatData[T](x))(t)
}

// Every epoch passes over every row once, in an order of its own for each run, epoch, call and purpose.
func TestMinibatches(t *testing.T) {
	first := batches(t, 0, "order")
	filetest.True(t, first[0][0] != nil && batches(t, 0, "order")[1][1][0] == first[1][1][0],
		"the same call gives two orders")
	orders := [][]int32{{10, 11, 12, 13, 14, 15, 16}}
	for _, learned := range [][2][2][]int32{first, batches(t, 1, "order"), batches(t, 0, "another order")} {
		for run := range learned {
			orders = append(orders, learned[run][:]...)
		}
	}
	for i, order := range orders {
		filetest.Want(t, slices.Sorted(slices.Values(order)), orders[0], "rows of epoch %d", i)
		for k, other := range orders[:i] {
			filetest.True(t, !slices.Equal(order, other), "epochs %d and %d are both %v", k, i, order) // 13 orders of 5,040
		}
	}
}

// A replay draws from all past records with replacement. Each run draws for itself, and each call draws other records.
func TestDrawn(t *testing.T) {
	l, past := &Learner{seeds: []int64{5, 6}}, []int32{10, 11, 12, 13, 14}
	draw := func(part uint64) (runs [2][]int32) {
		b := l.drawn(past, 4, 25, part)
		for i, row := range flat[int32](t, b.Order) {
			runs[i/4%2] = append(runs[i/4%2], row)
		}
		filetest.True(t, !slices.Contains(flat[float32](t, b.Masks), 0), "a drawn row does not count")
		return runs
	}
	first, again, next := draw(0), draw(0), draw(1)
	for run, rows := range first {
		seen := slices.Compact(slices.Sorted(slices.Values(rows)))
		filetest.Want(t, len(rows), 100, "draws")
		filetest.Want(t, seen, past, "rows that run %d draws", run)
		filetest.Want(t, rows, again[run], "run %d: draws of the same call", run)
		filetest.True(t, !slices.Equal(rows, next[run]), "run %d: the draws do not follow the call's number", run)
	}
	filetest.True(t, !slices.Equal(first[0], first[1]), "two runs draw the same")
}

// A loop's steps have numbers of one era, 2³² long: one that would pass its end begins at the next era.
func TestFirstStep(t *testing.T) {
	const era = 1 << 32
	for _, c := range []struct {
		after uint64
		steps int
		want  uint64
	}{{0, 5, 0}, {7, 3, 7}, {era - 1, 1, era - 1}, {era - 1, 2, era}, {era - 5, 5, era - 5}, {era, 3, era}, {3*era + 9, 1, 3*era + 9},
		{3*era - 2, 4, 3 * era}} {
		filetest.Want(t, firstStep(c.after, c.steps), c.want, "the first of %d steps after %d", c.steps, c.after)
	}
}

// Few numbers among many are sorted, and more are marked. The last ones below n are always there.
func TestNumbered(t *testing.T) {
	for n, want := range map[int32][]int32{12: {2, 5, 10, 11}, 1000: {2, 5, 998, 999}} {
		ascending, at := numbered([]int32{5, 2, 5, n - 1}, 2, int(n))
		filetest.Want(t, ascending, want, "numbers below %d", n)
		filetest.Want(t, at, []int32{1, 0, 1, 3}, "positions below %d", n)
	}
}
