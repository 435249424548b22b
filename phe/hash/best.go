package hash

import (
	"cmp"
	"math"
	"slices"

	"github.com/pkg/errors"
)

// Item is an item that hash functions should keep apart from the other items of its column.
type Item struct {
	Key    uint64
	Column int     // items of two columns meet different weights of a model, so only items of one column are compared
	Weight float64 // such as the number of rows that have it
	// Classes, where given, divide the weight among the classes of a target.
	Classes []float64
}

// MaxDraws is the largest number of draws that [Best] chooses among. More cost hours and gain nothing.
const MaxDraws = 1 << 16

// Best returns the seed of the draw that keeps items apart best, among seed, seed+1, … of numDraws draws: the paper's remedy against
// collisions of important items (Supp. D and G.6). The best draw has the least [Family.Lost], and of such draws the least crowding: a sum
// over the pairs of a column, of the cost of merging the two times the squared correlation of their embeddings under the prior.
// Learning one of them moves the other by that correlation, and a crowded table can end the initial phase in a poor optimum.
func Best(v Variant, numHashes, numBuckets, numWeights int, items []Item, seed int64, numDraws int) (int64, error) {
	switch {
	case v == Authors:
		return 0, errors.Errorf("hash %q has one draw of its functions; choose among draws of %q or %q", v, CarterWegman, Quick)
	case numDraws < 1 || numDraws > MaxDraws:
		return 0, errors.Errorf("number of draws is %d; it must lie in 1…%d", numDraws, MaxDraws)
	}
	pairs := pairsOf(items)
	best, lost, crowding := seed, math.Inf(1), math.Inf(1)
	for i := range int64(numDraws) {
		s := seed + i
		f, err := NewFamily(v, numHashes, numBuckets, numWeights, s)
		if err != nil {
			return 0, err
		}
		if l := f.Lost(items); l <= lost {
			if c := f.crowding(items, pairs); l < lost || c < crowding {
				best, lost, crowding = s, l, c
			}
		}
	}
	return best, nil
}

// pair is two items of a column, and what merging them would cost.
type pair struct {
	a, b int
	cost float64
}

// maxCrowded is the number of heaviest items of a column whose pairs count. It bounds the time of a choice.
const maxCrowded = 128

// pairsOf returns the pairs of each column's heaviest items.
func pairsOf(items []Item) (pairs []pair) {
	order, heaviest := make([]int, len(items)), map[int][]int{}
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(items[b].Weight, items[a].Weight) })
	for _, a := range order {
		column := items[a].Column
		if len(heaviest[column]) == maxCrowded {
			continue
		}
		for _, b := range heaviest[column] {
			if cost := merging(items[a], items[b]); cost > 0 {
				pairs = append(pairs, pair{a, b, cost})
			}
		}
		heaviest[column] = append(heaviest[column], a)
	}
	return pairs
}

// crowding returns the sum over pairs of cost times squared correlation. With m equal buckets under the same hash function, and M under any
// two, the embeddings Σ w e of items with the same row of weights have (m² + m + M) / (K² + 2K), and those with others M / K². Buckets that
// an item meets twice are rare, and left out of the variances.
func (f Family) crowding(items []Item, pairs []pair) (sum float64) {
	k := len(f.functions)
	slots := make([]int32, 0, len(items)*k)
	for _, item := range items {
		slots = f.Buckets(slots, item.Key)
	}
	for _, p := range pairs {
		same, all := 0, 0
		for i, x := range slots[p.a*k:][:k] {
			for j, y := range slots[p.b*k:][:k] {
				if x == y {
					all++
					if i == j {
						same++
					}
				}
			}
		}
		correlation := float64(all) / float64(k*k)
		if f.numWeights.N == 0 || f.WeightRow(items[p.a].Key) == f.WeightRow(items[p.b].Key) {
			correlation = min(1, float64(same*same+same+all)/float64(k*k+2*k))
		}
		sum += p.cost * correlation
	}
	return sum
}

// Lost returns what full collisions cost. Items of a column collide fully if they share all K buckets and the row of weights: no model can
// tell them apart. With classes they cost the information about the target that merging them loses, in nats. Items that say the same cost
// nothing then. Without classes they cost the weights of all but the heaviest.
func (f Family) Lost(items []Item) (lost float64) {
	for _, g := range f.Merged(items) {
		if len(g) > 1 {
			lost += merging(g...)
		}
	}
	return lost
}

// Merged returns the items in groups of those that collide fully, in the order of each group's first item.
func (f Family) Merged(items []Item) (groups [][]Item) {
	places := make(map[uint64]int, len(items))
	var slots []int32
	for i, item := range items {
		slots = append(f.Buckets(slots[:0], item.Key), int32(item.Column))
		if f.numWeights.N > 0 {
			slots = append(slots, f.WeightRow(item.Key))
		}
		key := uint64(0)
		for _, slot := range slots { // two groups of 2⁶¹ share a key by chance
			key = exactMod(linear{0x9e3779b97f4a7c1 % mersenne, uint64(slot) + 1}, key)
		}
		if at, found := places[key]; found {
			groups[at] = append(groups[at], item)
		} else { // most are alone: they take no memory
			places[key], groups = len(groups), append(groups, items[i:i+1:i+1])
		}
	}
	return groups
}

// merging returns the cost of telling items apart no more.
func merging(items ...Item) float64 {
	weight, heaviest, nats, classes := 0., 0., 0., pooled(items)
	for _, item := range items {
		weight, heaviest, nats = weight+item.Weight, max(heaviest, item.Weight), nats+entropy(item.Classes)
	}
	if len(classes) == 0 {
		return weight - heaviest
	}
	if cost := entropy(classes) - nats; cost > 1e-9*weight { // less is rounding
		return cost
	}
	return 0
}

// entropy returns the entropy of a class in nats, times the weight.
func entropy(classes []float64) (nats float64) {
	all := 0.0
	for _, weight := range classes {
		all += weight
	}
	for _, weight := range classes {
		if weight > 0 {
			nats -= weight * math.Log(weight/all)
		}
	}
	return nats
}
