package labelled

import (
	"github.com/pkg/errors"

	"gophe/data/splits"
)

// OnlineSplit is a table cut into initial data and a stream of chunks, for online learning.
type OnlineSplit struct {
	Initial splits.Block
	Chunks  []splits.Block
}

// OnlineSplit permutes the table's rows and cuts them. The first int(initialFraction·n) are the initial data, the others make
// chunks of chunkRows rows. Each block is permuted again and cut 80/20. The last chunk may be shorter, and a chunk of a single row has
// nothing to score.
//
// The authors use 0.3 and 100 for Adult (317 chunks, the last of 56 rows, 44 of them scored) and Bank. They use 0.3 and 3 for
// Mushroom (1964 chunks, of which they run 300), and 0.01 and 100 for Covertype (495 chunks on covertype-49999).
//
// The method follows the authors' code. The paper mentions neither the second cut nor the seed.
func (t *Table) OnlineSplit(initialFraction float64, chunkRows int) (OnlineSplit, error) {
	if !(initialFraction > 0 && initialFraction < 1) {
		return OnlineSplit{}, errors.Errorf("online split: initial fraction %v, want more than 0 and less than 1", initialFraction)
	}
	if chunkRows < 2 {
		return OnlineSplit{}, errors.Errorf("online split: chunks of %d rows, want at least 2: of 1 row nothing is scored", chunkRows)
	}
	n := t.NumRows()
	initialRows := int(initialFraction * float64(n))
	if initialRows < 2 {
		return OnlineSplit{}, errors.Errorf("online split: %v of %d rows leaves %d initial rows, want at least 2", initialFraction, n,
			initialRows)
	}
	_, random := t.permutedItems() // the stream needs no permuted items, but the authors' code draws them
	rows := splits.Shuffled(random, t.allRows())
	split := OnlineSplit{Initial: splits.NewBlock(random, rows[:initialRows])}
	for start := initialRows; start < n; start += chunkRows {
		split.Chunks = append(split.Chunks, splits.NewBlock(random, rows[start:min(start+chunkRows, n)]))
	}
	return split, nil
}
