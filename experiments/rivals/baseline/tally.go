package baseline

import "slices"

// tally counts quantities, of which there are few distinct ones (393 in Retail): a running median costs a short scan.
type tally struct {
	quantities []int32 // ascending, distinct
	counts     []int32
	n          int
}

func (t *tally) add(quantity int) {
	i, found := slices.BinarySearch(t.quantities, int32(quantity))
	if !found {
		t.quantities = slices.Insert(t.quantities, i, int32(quantity))
		t.counts = slices.Insert(t.counts, i, 0)
	}
	t.counts[i]++
	t.n++
}

// median returns the mean of the two middle quantities, which are one where n is odd. It panics if there are none.
func (t *tally) median() float64 { return (t.at((t.n-1)/2) + t.at(t.n/2)) / 2 }

// at returns the quantity at a rank, counted from 0.
func (t *tally) at(rank int) float64 {
	i := 0
	for ; rank >= int(t.counts[i]); i++ {
		rank -= int(t.counts[i])
	}
	return float64(t.quantities[i])
}
