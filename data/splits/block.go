// Package splits draws the authors' splits of rows: permutations, blocks, groups and chunks. All draws come from numpy's RandomState(1234).
package splits

import "slices"

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

// NewBlock permutes the rows and cuts them into scored and held-out rows.
func NewBlock(random *RandomState, rows []int32) Block {
	permuted := Shuffled(random, rows)
	cut := int(scoredFraction * float64(len(rows)))
	return Block{Scored: permuted[:cut:cut], HeldOut: permuted[cut:]}
}

// Whole returns the block without held-out rows.
func (b Block) Whole() Block { return Block{Scored: slices.Concat(b.Scored, b.HeldOut)} }

// Groups cuts items into groups of the same size, rounded down. The last group takes the remainder.
func Groups[T any](items []T, numGroups int) [][]T {
	size := len(items) / numGroups
	groups := make([][]T, numGroups)
	for g := range groups {
		groups[g] = items[g*size : (g+1)*size : (g+1)*size]
	}
	groups[numGroups-1] = items[(numGroups-1)*size:]
	return groups
}

// Span is the rows [first, end).
type Span struct{ First, End int }

// Rows returns the rows of the span.
func (s Span) Rows() []int32 {
	rows := make([]int32, 0, s.End-s.First)
	for row := s.First; row < s.End; row++ {
		rows = append(rows, int32(row))
	}
	return rows
}

// Test is a set of rows that are never learned.
type Test struct {
	Name  string
	Items []string // items of the incremental column in these rows
	Train int      // number of rows of these items, with the same meaning, that the stream teaches, Initial included
	Rows  []int32
}

// Chunks cuts rows into chunks of chunkRows, at most maxSteps (0: all). The last chunk may be shorter. A single row at the end
// is dropped.
func Chunks(rows []int32, chunkRows, maxSteps int) [][]int32 {
	var cut [][]int32
	for len(rows) >= 2 && (maxSteps == 0 || len(cut) < maxSteps) {
		n := min(chunkRows, len(rows))
		cut = append(cut, rows[:n:n])
		rows = rows[n:]
	}
	return cut
}

// Days cuts rows that are in the order of time. The rows before the first day are the initial block, and each later day with rows is a
// block. It returns the scored rows of each, by one RandomState: they are permuted in turn. A day without scored rows is left out.
func Days(rows Span, firstDay int, day func(row int) int) (initial []int32, steps [][]int32, days []int) {
	random, end := NewRandomState(), rows.First
	for end < rows.End && day(end) < firstDay {
		end++
	}
	initial = NewBlock(random, Span{rows.First, end}.Rows()).Scored
	for end < rows.End {
		start, today := end, day(end)
		for end < rows.End && day(end) == today {
			end++
		}
		if scored := NewBlock(random, Span{start, end}.Rows()).Scored; len(scored) > 0 {
			steps = append(steps, slices.Clone(scored)) // without the memory of the others
			days = append(days, today)
		}
	}
	return initial, steps, days
}
