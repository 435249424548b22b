package picture

import (
	"math"
	"slices"
	"testing"

	"gophe/data/column"
	"gophe/figures/draw/drawtest"
)

func TestGrowth(t *testing.T) {
	fig := Growth([]string{"a", "b"}, [][]float64{{1, 10, 100}, {1, 10}}, [][]float64{{1, 10, 100}, {1, 1}}, map[string]float64{"B = 10": 10})
	a, b, fixed := named(t, fig, "a"), named(t, fig, "b"), named(t, fig, "B = 10")
	if len(a) != 3 || len(b) != 2 || math.Abs(a[1].Y-fixed[0].Y) > 1e-4 || fixed[0].Y != fixed[1].Y {
		t.Errorf("a %v, b %v, fixed %v", a, b, fixed)
	}
	if a[2].X != fixed[1].X {
		t.Error("the table of fixed size ends before the longest column")
	}
}

func TestOccupancy(t *testing.T) {
	fig := Occupancy([]float64{1, 3})
	dots, mean := drawtest.ByText(fig), named(t, fig, "items / B")
	if !(dots["items, 1: 3"].Y < mean[0].Y && mean[0].Y < dots["items, 0: 1"].Y) {
		t.Errorf("dots %v, mean %v", dots, mean)
	}
}

func TestItems(t *testing.T) {
	got := Items([]column.Categorical{{Name: "c", Values: []string{"d", "b", "c", "a"}}})
	if !slices.Equal(got, []string{"c_d", "c_b", "c_c", "c_a"}) {
		t.Errorf("items: %v", got)
	}
}

func TestEncoderOf(t *testing.T) {
	encoder, items := EncoderOf("mushroom-online")
	if encoder.Config.NumBuckets != 5 || len(items) != 9 {
		t.Errorf("encoder %+v, %d items", encoder.Config, len(items))
	}
}

func TestPairs(t *testing.T) {
	if got := Pairs(6, func(i int) string { return "abaacc"[i : i+1] }); got != 3+1 {
		t.Errorf("%g pairs, want 4", got)
	}
}
