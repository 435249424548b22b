package splits

import (
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/mathext/prng"
)

// RandomState is the part of numpy's legacy generator numpy.random.RandomState that the protocol needs. The same seed gives the same
// permutations, bit for bit, so that our streams have the authors' chunks. A RandomState is not safe for concurrent use.
type RandomState struct {
	source *prng.MT19937
}

// seed is the authors' seed of every cut. It does not depend on a run's seed: all repetitions see the same stream.
const seed = 1234

// NewRandomState returns numpy.random.RandomState(1234).
func NewRandomState() *RandomState { return seeded(seed) }

// seeded returns numpy.random.RandomState(seed).
func seeded(seed uint32) *RandomState {
	source := prng.NewMT19937()
	source.Seed(uint64(seed))
	return &RandomState{source}
}

// Shuffled returns the items in random order: RandomState.permutation of a list. It does not change items. With fewer than two items it
// draws nothing. Above 2³² it differs from numpy, which draws 64 bits there.
func Shuffled[T any](r *RandomState, items []T) []T {
	permuted := make([]T, len(items))
	copy(permuted, items)
	for i := len(items) - 1; i > 0; i-- {
		j := r.interval(uint32(i))
		permuted[i], permuted[j] = permuted[j], permuted[i]
	}
	return permuted
}

// Take draws n of the pool's rows without replacement, each with the same chance, and removes them from the pool. It changes the
// pool's order, and panics if the pool has fewer rows.
func (r *RandomState) Take(pool *[]int32, n int) []int32 {
	rows, end := *pool, len(*pool)
	for i := end; i > end-n; i-- {
		j := r.interval(uint32(i - 1))
		rows[i-1], rows[j] = rows[j], rows[i-1]
	}
	*pool = rows[:end-n]
	return slices.Clone(rows[end-n:])
}

// interval returns numpy's random_interval: an integer from 0 to largest, by rejection of masked 32-bit draws.
func (r *RandomState) interval(largest uint32) uint32 {
	mask := uint32(1)<<bits.Len32(largest) - 1
	for {
		if draw := r.source.Uint32() & mask; draw <= largest {
			return draw
		}
	}
}
