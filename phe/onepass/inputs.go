package onepass

import "cmp"

// fields returns the number of columns of a record.
func (c Config) fields() int { return cmp.Or(c.Fields, c.Columns) }

// withPairs returns n plus the number of pairs of n columns.
func withPairs(n int) int { return n + n*(n-1)/2 }

// numPairs returns the number of pairs of fields that may have a column.
func (c Config) numPairs() int {
	if c.Pairs != nil {
		return len(c.Pairs)
	}
	return withPairs(c.Fields) - c.Fields
}

// pairsOf returns all pairs of some fields, which ascend.
func pairsOf(fields []int) (all [][2]int) {
	for i, second := range fields {
		for _, first := range fields[:i] {
			all = append(all, [2]int{first, second})
		}
	}
	return all
}

// pairsFit tells whether each pair joins two fields, the smaller first, and occurs once.
func (c Config) pairsFit() bool {
	known := map[[2]int]bool{}
	for _, p := range c.Pairs {
		if p[0] < 0 || p[0] >= p[1] || p[1] >= c.fields() || known[p] {
			return false
		}
		known[p] = true
	}
	return true
}

// Chooses tells whether a model drops pairs along the stream.
func (c Config) Chooses() bool { return c.Kept > 0 && c.Columns-c.fields() > c.Kept }
