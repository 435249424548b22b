package picture

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gophe/data/column"
	"gophe/data/sales"
	"gophe/figures/draw/drawtest"
	"gophe/notebooks/play"
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
	dots, mean := drawtest.ByText(t, fig), named(t, fig, "items / B")
	if !(dots["items, 1: 3"].Y < mean[0].Y && mean[0].Y < dots["items, 0: 1"].Y) {
		t.Errorf("dots %v, mean %v", dots, mean)
	}
}

// More items fill more cells, and their number is the number of items.
func TestGrid(t *testing.T) {
	at := play.NewPosition(play.Player("items", 1, 400, 24), play.Slider("B", 3, 31, 2, 19))
	count := func(at play.Position) (items, cells int) {
		for text := range drawtest.ByText(t, Grid(at)) {
			var n int
			if _, err := fmt.Sscan(text[strings.LastIndex(text, " ")+1:], &n); err != nil {
				t.Fatal(err)
			}
			items, cells = items+n, cells+1
		}
		return items, cells
	}
	if items, cells := count(at); items != 24 || cells != 361 {
		t.Errorf("%d items in %d cells", items, cells)
	}
	if items, cells := count(at.With("items", 60).With("B", 5)); items != 60 || cells != 25 {
		t.Errorf("%d items in %d cells", items, cells)
	}
}

func TestInTime(t *testing.T) {
	s := &sales.Sales{Minutes: []int32{5, 1, 5, 0}, Places: []int32{3, 1, 2, 0}, Quantities: []int32{1, 1, 1, 1},
		Prices: []float64{1, 1, 1, 1}, Categorical: []column.Categorical{{Name: "c", Values: []string{"d", "b", "c", "a"}}}}
	if got := InTime(s)[0].Values; !slices.Equal(got, []string{"a", "b", "c", "d"}) {
		t.Errorf("in time: %v", got)
	}
	if got := Items(s.Categorical); !slices.Equal(got, []string{"c_d", "c_b", "c_c", "c_a"}) {
		t.Errorf("items: %v", got)
	}
}

func TestEncoderOf(t *testing.T) {
	encoder, items := EncoderOf("mushroom-online")
	if encoder.Config().NumBuckets != 5 || len(items) != 9 {
		t.Errorf("encoder %+v, %d items", encoder.Config(), len(items))
	}
}

func TestExpectedTwins(t *testing.T) {
	near(t, "two items, one cell", expectedTwins(2, 1), 2, 1e-12)
	near(t, "two items", expectedTwins(2, 7), 2.0/7, 1e-12)
	near(t, "three items, two cells", expectedTwins(3, 2), 2.25, 1e-12) // all in one cell, 1/4: 3; else 2
	near(t, "many cells", expectedTwins(1000, 1e12), 1000*999/1e12, 1e-12)
}

func TestPairs(t *testing.T) {
	if got := Pairs(6, func(i int) string { return "abaacc"[i : i+1] }); got != 3+1 {
		t.Errorf("%g pairs, want 4", got)
	}
}
