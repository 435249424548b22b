package data

import "github.com/pkg/errors"

// splitSeed is the authors' seed of every cut. It does not depend on a run's seed: all repetitions see one stream.
const splitSeed = 1234

// scoredFraction is the part of a block that is predicted, scored and learnt.
const scoredFraction = 0.8

// Block is the initial data or one chunk of a stream: row indices of the table, in permuted order.
//
// The names are ours. The authors call Scored "test", and in the mode whose numbers they report predict it, score it,
// then train on those same rows; HeldOut they call "validation", and it is neither scored nor learnt.
type Block struct {
	Scored  []int32 // the first int(0.8·n) of the block's n rows
	HeldOut []int32 // the rest
}

// OnlineSplit is a table cut into initial data and a stream of chunks, for online learning.
type OnlineSplit struct {
	Initial Block
	Chunks  []Block
}

// OnlineSplit cuts the table: of all rows, permuted, the first int(initialFraction·n) are the initial data and the
// rest makes chunks of chunkRows rows, the last one possibly shorter; each block is permuted again and cut 80/20.
// A last chunk of a single row has nothing to score.
//
// The authors use 0.3 and 100 for Adult (317 chunks, the last of 56 rows, 44 of them scored) and Bank, 0.3 and 3 for
// Mushroom (1964 chunks, of which they run 300), and 0.01 and 100 for Covertype (495 chunks on covertype-49999).
//
// It follows the authors' code; the paper mentions neither the second cut nor the seed.
func (t *Table) OnlineSplit(initialFraction float64, chunkRows int) (OnlineSplit, error) {
	if !(initialFraction > 0 && initialFraction < 1) {
		return OnlineSplit{}, errors.Errorf("online split: initial fraction %v, want more than 0 and less than 1", initialFraction)
	}
	if chunkRows < 2 {
		return OnlineSplit{}, errors.Errorf("online split: chunks of %d rows, want 2 or more: of 1 row nothing is scored", chunkRows)
	}
	n := t.NumRows()
	initialRows := int(initialFraction * float64(n))
	if initialRows < 2 {
		return OnlineSplit{}, errors.Errorf("online split: %v of %d rows leaves %d initial rows, want 2 or more", initialFraction, n, initialRows)
	}
	random := t.afterItems() // the items' permutation is unused online, but it consumes draws
	rows := make([]int32, n)
	for i, row := range random.Permutation(n) {
		rows[i] = int32(row)
	}
	split := OnlineSplit{Initial: cutBlock(random, rows[:initialRows])}
	for start := initialRows; start < n; start += chunkRows {
		split.Chunks = append(split.Chunks, cutBlock(random, rows[start:min(start+chunkRows, n)]))
	}
	return split, nil
}

// cutBlock permutes the rows once more and cuts them.
func cutBlock(random *RandomState, rows []int32) Block {
	permuted := random.shuffled(rows)
	cut := int(scoredFraction * float64(len(rows)))
	return Block{Scored: permuted[:cut:cut], HeldOut: permuted[cut:]}
}
