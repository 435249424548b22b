package modulus

import (
	"math"
	"math/rand/v2"
	"testing"

	"gophe/phe/disk/filetest"
)

// Remainders equal the division's, at the ends of the range and between.
func TestModulus(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 7, 64, 109, 1009, 10009, 65536, 460414, math.MaxInt32 - 1, math.MaxInt32} {
		m, ends := New(n), []uint64{math.MaxUint64, 0, uint64(n), uint64(n) - 1}
		multiple := func() uint64 { return uint64(n) * rng.Uint64N(math.MaxUint64/uint64(n)) }
		for range 1000 {
			for _, x := range append(ends, rng.Uint64(), rng.Uint64()>>3, multiple(), multiple()-1) {
				filetest.Want(t, m.Of(x), x%uint64(n), "%d mod %d", x, n)
			}
		}
	}
}
