package onehot

import "math"

// Weight returns the absolute weight of an item: the largest over the logits. Weights of several logits are less their mean, because
// a softmax does not see a number that all logits share.
func (r *refitted) Weight(item int) (largest float64) {
	n := r.table.outputs()
	weights := r.state.Weights[item*n : (item+1)*n]
	shared := 0.0
	if n > 1 {
		for _, w := range weights {
			shared += w / float64(n)
		}
	}
	for _, w := range weights {
		largest = max(largest, math.Abs(w-shared))
	}
	return largest
}
