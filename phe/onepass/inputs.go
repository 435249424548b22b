package onepass

import "cmp"

// Inputs are the columns and numbers of a record.
type Inputs struct {
	Columns int `json:"columns"` // number of columns, with pairs of columns
	// Fields is the number of columns of a record. The Encoder makes a column of each pair if Columns counts pairs. 0 means Columns.
	Fields int `json:"fields,omitempty"`
	// Pairs are the pairs of fields that have a column, in the order of their columns. nil means all pairs, if Columns counts pairs.
	Pairs [][2]int `json:"pairs,omitempty"`
	// Kept is the number of pairs to keep. The model drops the others along the stream, the least gain first (Model.Choose). 0 keeps all.
	Kept    int `json:"kept,omitempty"`
	Numbers int `json:"numbers,omitempty"`
}

// fields returns the number of columns of a record.
func (in Inputs) fields() int { return cmp.Or(in.Fields, in.Columns) }

// withPairs returns n plus the number of pairs of n columns.
func withPairs(n int) int { return n + n*(n-1)/2 }

// numPairs returns the number of pairs of fields that may have a column.
func (in Inputs) numPairs() int {
	if in.Pairs != nil {
		return len(in.Pairs)
	}
	return withPairs(in.Fields) - in.Fields
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
func (in Inputs) pairsFit() bool {
	known := map[[2]int]bool{}
	for _, p := range in.Pairs {
		if p[0] < 0 || p[0] >= p[1] || p[1] >= in.fields() || known[p] {
			return false
		}
		known[p] = true
	}
	return true
}

// Chooses tells whether a model drops pairs along the stream.
func (in Inputs) Chooses() bool { return in.Kept > 0 && in.Columns-in.fields() > in.Kept }
