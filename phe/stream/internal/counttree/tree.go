package counttree

// tree is an ordered binary tree whose leaves are cells. A child below 0 is the leaf of cell −1−child.
type tree struct {
	last        []int32 // [nodes], the largest cell of a node's left side
	left, right []int32 // [nodes]
}

// newTree cuts the cells again and again into halves of about equal weight. Likely cells are then near the root.
func newTree(weights []float64) *tree {
	t := &tree{}
	sums := make([]float64, len(weights)+1)
	for k, w := range weights {
		sums[k+1] = sums[k] + w
	}
	t.grow(sums, 0, len(weights)-1)
	return t
}

// grow adds the tree of the cells from first to last, and returns its root as a child. sums[k] is the weight below cell k.
func (t *tree) grow(sums []float64, first, last int) int32 {
	if first == last {
		return int32(-1 - first)
	}
	middle, half := first, (sums[first]+sums[last+1])/2
	distance := func(k int) float64 { return max(sums[k+1]-half, half-sums[k+1]) }
	for k := first + 1; k < last; k++ {
		if distance(k) < distance(middle) {
			middle = k
		}
	}
	node := int32(len(t.last))
	t.last, t.left, t.right = append(t.last, int32(middle)), append(t.left, 0), append(t.right, 0)
	left, right := t.grow(sums, first, middle), t.grow(sums, middle+1, last)
	t.left[node], t.right[node] = left, right
	return node
}

// child returns the side of a node on which a cell lies, left 1 or 0, and the child there.
func (t *tree) child(node int32, cell int) (left float64, child int32) {
	if int32(cell) <= t.last[node] {
		return 1, t.left[node]
	}
	return 0, t.right[node]
}
