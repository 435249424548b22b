package modulus

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Remainders equal the division's, at the ends of the range and between.
func TestModulus(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 7, 64, 109, 1009, 10009, 65536, 460414, math.MaxInt32 - 1, math.MaxInt32} {
		m := New(n)
		for range 1000 {
			for _, x := range []uint64{rng.Uint64(), rng.Uint64() >> 3, uint64(n) * rng.Uint64N(math.MaxUint64/uint64(n)), uint64(n)*rng.Uint64N(math.MaxUint64/uint64(n)) - 1, math.MaxUint64, 0, uint64(n), uint64(n) - 1} {
				if got, want := m.Of(x), x%uint64(n); got != want {
					t.Fatalf("%d mod %d is %d, want %d", x, n, got, want)
				}
			}
		}
	}
}
