package hash

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gophe/phe/disk/filetest"
)

// Twenty random small tables of two columns. Groups are found by comparing all pairs of items, and the best forecast by trying every
// assignment of a class to each group. The best log-likelihood is of the classes' shares, row by row.
func TestPrices(t *testing.T) {
	const classes = 3
	rng, cost := rand.New(rand.NewPCG(30, 3)), 0.
	for seed := range int64(20) {
		weights := int(seed%3) * 2 // none, and two sizes
		f := filetest.Must(NewFamily(CarterWegman, 2, 2+int(seed%2), weights, seed))(t)
		items := make([]Item, 12)
		for i := range items {
			items[i] = Item{Key: CarterWegman.Key(fmt.Sprint(seed, i)), Column: 4 + i%2}
			for range classes {
				rows := float64(rng.IntN(7))
				items[i].Classes, items[i].Weight = append(items[i].Classes, rows), items[i].Weight+rows
			}
		}
		for _, p := range f.Prices(items) {
			of := slices.DeleteFunc(slices.Clone(items), func(item Item) bool { return item.Column != p.Column })
			group := make([]int, len(of)) // of each item: the first item that it cannot be told from
			for i := range of {
				group[i] = slices.IndexFunc(of[:i+1], func(other Item) bool {
					return slices.Equal(f.Buckets(nil, of[i].Key), f.Buckets(nil, other.Key)) &&
						(weights == 0 || f.WeightRow(of[i].Key) == f.WeightRow(other.Key))
				})
			}
			own := []int{0, 1, 2, 3, 4, 5}
			for _, c := range []struct {
				name   string
				groups []int
				got    Ceiling
			}{{"as drawn", group, p.Drawn}, {"apart", own, p.Apart}} {
				filetest.Want(t, c.got.Right, tried(of, c.groups), "seed %d, column %d, %s: rows forecast", seed, p.Column, c.name)
				filetest.Near(t, c.got.LogLikelihood, ofShares(of, c.groups), 1e-9, "seed %d, column %d, %s: log-likelihood", seed,
					p.Column, c.name)
			}
			shared := 0
			for i := range of {
				if slices.Contains(group[:i], group[i]) || slices.Contains(group[i+1:], group[i]) {
					shared++
				}
			}
			filetest.Want(t, len(slices.Concat(p.Merged...)), shared, "seed %d, column %d: merged items", seed, p.Column)
			cost += p.Apart.Right - p.Drawn.Right
		}
	}
	filetest.True(t, cost > 0, "all draws together cost %g rows", cost)
}

// tried returns the most rows that any assignment of classes to groups forecasts.
func tried(items []Item, group []int) (most float64) {
	classes := len(items[0].Classes)
	for code := range int(math.Pow(float64(classes), float64(len(items)))) {
		right := 0.
		for i, item := range items {
			right += item.Classes[code/int(math.Pow(float64(classes), float64(group[i])))%classes]
		}
		most = max(most, right)
	}
	return most
}

// ofShares returns the log-likelihood of forecasts that are the shares of each group's classes.
func ofShares(items []Item, group []int) (nats float64) {
	for i, item := range items {
		for class, rows := range item.Classes {
			with, all := 0., 0.
			for j, other := range items {
				if group[j] == group[i] {
					with, all = with+other.Classes[class], all+other.Weight
				}
			}
			if rows > 0 {
				nats += rows * math.Log(with/all)
			}
		}
	}
	return nats
}
