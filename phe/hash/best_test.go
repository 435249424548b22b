package hash

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gophe/phe/disk/filetest"
)

// odors are nine items with Mushroom's numbers of edible and poisonous initial rows.
func odors() (items []Item) {
	for i, n := range [][]float64{{890, 39}, {95, 0}, {91, 0}, {0, 526}, {0, 132}, {0, 127}, {0, 61}, {0, 50}, {0, 8}} {
		items = append(items, Item{Key: CarterWegman.Key(fmt.Sprint("odor_", i)), Weight: n[0] + n[1], Classes: n})
	}
	return items
}

// The published table (B = 5, K = 3, P = 1) merges items in 1 − exp(−36/125) of the draws: there are 36 pairs and 125 combinations of
// buckets. Some of them say the same. No choice among 64 draws loses a nat, and no other draw crowds less.
func TestBest(t *testing.T) {
	items, merging, losing := odors(), 0, 0
	equal := odors() // without classes every merge costs
	for i := range equal {
		equal[i].Classes = nil
	}
	for seed := range int64(1000) {
		f := filetest.Must(NewFamily(CarterWegman, 3, 5, 1, seed))(t)
		if groups := f.Merged(equal); len(groups) < len(equal) {
			merging++
			if members := slices.Concat(groups...); len(members) != len(equal) || groups[0][0].Key != equal[0].Key || f.Lost(equal) == 0 {
				t.Errorf("seed %d: groups %v", seed, groups)
			}
		} else if f.Lost(equal) > 0 {
			t.Errorf("seed %d merges nothing and loses something", seed)
		}
		if f.Lost(items) > 0 {
			losing++
		}
	}
	want := 1000 * (1 - math.Exp(-36.0/125))
	filetest.Near(t, float64(merging), want, 4*math.Sqrt(want*0.75), "draws of 1000 that merge items")
	filetest.True(t, 0 < losing && losing < merging, "%d of 1000 draws merge items; %d lose information", merging, losing)
	pairs := pairsOf(items)
	of := func(seed int64) (lost, crowding float64) {
		f := filetest.Must(NewFamily(CarterWegman, 3, 5, 1, seed))(t)
		return f.Lost(items), f.crowding(items, pairs)
	}
	for master := range int64(50) {
		seed := filetest.Must(Best(CarterWegman, 3, 5, 1, items, 1000*master, 64))(t)
		least, crowds := of(seed)
		for s := 1000 * master; s < 1000*master+64; s++ {
			lost, crowding := of(s)
			better := lost == 0 && (crowding < crowds || crowding == crowds && s < seed)
			filetest.True(t, least <= 0 && !better, "master %d: seed %d loses %g nats, and %d is better", master, seed, least, s)
		}
	}
	other := filetest.Must(Best(CarterWegman, 1, 2, 1, items, 7, 64))(t) // all lose something
	filetest.True(t, 7 <= other && other < 71, "seed %d is none of 7 to 70", other)
	filetest.WantError(t, filetest.Failure(Best(Authors, 3, 5, 1, items, 0, 64)), "one draw")
	for _, draws := range []int{0, 1e9} {
		filetest.WantError(t, filetest.Failure(Best(CarterWegman, 3, 5, 1, items, 0, draws)), "1…65536")
	}
	last := filetest.Must(Best(CarterWegman, 3, 5, 1, items, math.MaxInt64, 64))(t)
	filetest.True(t, last <= math.MinInt64+62, "beyond the largest seed, %d was chosen", last)
}

// Two embeddings that share no bucket do not move each other, and two that share all move as one.
func TestCrowding(t *testing.T) {
	items := []Item{{Key: 1, Weight: 3}, {Key: 2, Weight: 2}, {Key: 3, Column: 1, Weight: 9}}
	pairs := pairsOf(items)
	filetest.True(t, len(pairs) == 1 && pairs[0].cost == 2, "pairs %v, want one of cost 2", pairs)
	for _, c := range []struct{ buckets, weights int }{{1, 1}, {1, 0}, {1, 1000}, {1 << 30, 1}} {
		f := filetest.Must(NewFamily(CarterWegman, 3, c.buckets, c.weights, 5))(t)
		want := map[bool]float64{true: 2}[c.buckets == 1] // squared correlation 1: m = 3, M = 9, and 9/9 with another row of weights
		filetest.Near(t, f.crowding(items, pairs), want, 1e-12, "%d buckets, %d rows of weights: crowding", c.buckets, c.weights)
	}
}

// Merging costs nothing where both items say the same of the target, and all that they say where they say the opposite.
func TestLost(t *testing.T) {
	f := filetest.Must(NewFamily(CarterWegman, 3, 1, 1, 0))(t) // one bucket
	for _, c := range []struct {
		name  string
		items []Item
		want  float64
	}{
		{"alike", []Item{{Weight: 8, Classes: []float64{2, 6}}, {Weight: 4, Classes: []float64{1, 3}}}, 0},
		{"opposed", []Item{{Weight: 8, Classes: []float64{8, 0}}, {Weight: 8, Classes: []float64{0, 8}}}, 16 * math.Ln2},
		{"in two columns", []Item{{Weight: 8, Classes: []float64{8, 0}}, {Column: 1, Weight: 8, Classes: []float64{0, 8}}}, 0},
		{"of one class and of three", []Item{{Weight: 8, Classes: []float64{8}}, {Weight: 8, Classes: []float64{0, 0, 8}}}, 16 * math.Ln2},
		{"without classes", []Item{{Weight: 3}, {Weight: 8}, {Weight: 2}}, 5},
	} {
		for i := range c.items {
			c.items[i].Key = uint64(i)
		}
		filetest.Near(t, f.Lost(c.items), c.want, 1e-9, "what items %s lose", c.name)
	}
}

func BenchmarkBest(b *testing.B) {
	for _, n := range []int{9, 50, 98, 500, 1000, 2000, 4000, 100000} { // in one column, and in a table of as many rows
		var items []Item
		for i := range n {
			items = append(items, Item{Key: CarterWegman.Key(fmt.Sprint(i)), Weight: 1})
		}
		b.Run(fmt.Sprint(n, " items"), func(b *testing.B) {
			for b.Loop() {
				filetest.Must(Best(CarterWegman, 3, n, n, items, 0, 64))(b)
			}
		})
	}
}
