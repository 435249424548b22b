package hash

import (
	"math/bits"
	"math/rand/v2"
)

// mersenne is the Mersenne prime 2⁶¹ − 1, the modulus of CarterWegman. It is far above any number of buckets, so the last "mod B"
// favours no bucket noticeably. It is cheap to reduce by, because 2⁶¹ ≡ 1.
const mersenne = 1<<61 - 1

// The purposes separate the generators of one seed, so a weight table changes no bucket.
const (
	bucketPurpose = 0x6275636b657473 // "buckets"
	weightPurpose = 0x77656967687473 // "weights"
)

// drawLinear draws n functions with a uniform on [1, p) and b uniform on [0, p), p = 2⁶¹ − 1.
func drawLinear(n int, seed int64, purpose uint64) []linear {
	source := rand.NewPCG(uint64(seed), purpose)
	functions := make([]linear, n)
	for k := range functions {
		functions[k].a = 1 + drawBelow(source, mersenne-1)
		functions[k].b = drawBelow(source, mersenne)
	}
	return functions
}

// drawBelow draws uniformly from [0, n), for n up to 2⁶¹, by rejection of 61-bit draws. It does not call rand's Uint64N, so the
// buckets depend on the PCG stream alone.
func drawBelow(source *rand.PCG, n uint64) uint64 {
	for {
		if draw := source.Uint64() >> 3; draw < n {
			return draw
		}
	}
}

// exactMod returns (a·x + b) mod 2⁶¹ − 1 in exact arithmetic. The sum has at most 125 bits.
func exactMod(h linear, x uint64) uint64 {
	hi, lo := bits.Mul64(h.a, x)
	lo, carry := bits.Add64(lo, h.b, 0)
	return reduceMersenne(hi+carry, lo)
}

// reduceMersenne returns (hi·2⁶⁴ + lo) mod 2⁶¹ − 1, for all hi and lo. As 2⁶¹ ≡ 1, it adds up the 61-bit digits of the number. It
// does so twice, because the first sum has up to 63 bits.
func reduceMersenne(hi, lo uint64) uint64 {
	sum := lo&mersenne + (hi<<3|lo>>61)&mersenne + hi>>58
	sum = sum&mersenne + sum>>61
	if sum >= mersenne {
		sum -= mersenne
	}
	return sum
}
