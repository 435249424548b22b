package data

import (
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/mathext/prng"
)

// RandomState is numpy's legacy generator numpy.random.RandomState, as far as the protocol needs it: the same seed
// gives the same permutations, bit for bit, so that our streams have the authors' chunks. It is not safe for
// concurrent use.
type RandomState struct {
	source *prng.MT19937
}

// NewRandomState is numpy.random.RandomState(seed).
func NewRandomState(seed uint32) *RandomState {
	source := prng.NewMT19937()
	source.Seed(uint64(seed))
	return &RandomState{source}
}

// Permutation is RandomState.permutation(n): the integers 0 … n−1 in random order. Permuting a list of n values takes
// the same draws. With n < 2 it draws nothing. It panics if n is negative; above 2³² numpy draws 64 bits, which this does not.
func (r *RandomState) Permutation(n int) []int {
	values := make([]int, n)
	for i := range values {
		values[i] = i
	}
	for i := n - 1; i > 0; i-- {
		j := r.interval(uint32(i))
		values[i], values[j] = values[j], values[i]
	}
	return values
}

// shuffled returns the rows in random order, with the draws of one Permutation. It leaves rows as they are.
func (r *RandomState) shuffled(rows []int32) []int32 {
	permuted := make([]int32, len(rows))
	for i, j := range r.Permutation(len(rows)) {
		permuted[i] = rows[j]
	}
	return permuted
}

// take draws n of the pool's rows without replacement, each as likely as any other, and removes them from the pool,
// whose order it changes. It panics if there are fewer.
func (r *RandomState) take(pool *[]int32, n int) []int32 {
	rows, end := *pool, len(*pool)
	for i := end; i > end-n; i-- {
		j := r.interval(uint32(i - 1))
		rows[i-1], rows[j] = rows[j], rows[i-1]
	}
	*pool = rows[:end-n]
	return slices.Clone(rows[end-n:])
}

// interval is numpy's random_interval: uniform on 0 … largest, by rejection of masked 32-bit draws.
func (r *RandomState) interval(largest uint32) uint32 {
	mask := uint32(1)<<bits.Len32(largest) - 1
	for {
		if draw := r.source.Uint32() & mask; draw <= largest {
			return draw
		}
	}
}
