package data

// splitSeed is the authors' seed of every cut. It does not depend on a run's seed: all repetitions see the same stream.
const splitSeed = 1234

// scoredFraction is the part of a block that is predicted, scored and learned.
const scoredFraction = 0.8

// Block is the initial data or one chunk of a stream: row indices, in permuted order.
//
// The names are ours. The authors call Scored "test". For their reported numbers they predict these rows, score them, then train on
// them. They call HeldOut "validation", and neither score nor learn it.
type Block struct {
	Scored  []int32 // the first int(0.8·n) of the block's n rows
	HeldOut []int32 // the other rows
}

// cutBlock permutes the rows and cuts them into scored and held-out rows.
func cutBlock(random *RandomState, rows []int32) Block {
	permuted := random.shuffled(rows)
	cut := int(scoredFraction * float64(len(rows)))
	return Block{Scored: permuted[:cut:cut], HeldOut: permuted[cut:]}
}

// cutGroups cuts items into groups of the same size, rounded down. The last group takes the remainder.
func cutGroups[T any](items []T, numGroups int) [][]T {
	size := len(items) / numGroups
	groups := make([][]T, numGroups)
	for g := range groups {
		groups[g] = items[g*size : (g+1)*size : (g+1)*size]
	}
	groups[numGroups-1] = items[(numGroups-1)*size:]
	return groups
}

// span is the rows [first, end).
type span struct{ first, end int }

// rows returns the rows of the span.
func (s span) rows() []int32 {
	rows := make([]int32, 0, s.end-s.first)
	for row := s.first; row < s.end; row++ {
		rows = append(rows, int32(row))
	}
	return rows
}
