package hash

import (
	"math/big"
	"math/bits"

	"gonum.org/v1/gonum/mathext/prng"
)

// authorsKeys is the number of distinct keys of Authors.
const authorsKeys = 10_000_000_000_000_000

// authorsSeed is the seed of numpy's RandomState in the authors' program, whatever the seed of the run.
const authorsSeed = 1234

// authorsConstants returns the prime and the functions that the authors' program has for numBuckets buckets. The rule,
// found from the constants that PROTOCOL lists and matching all of them, is in numpy's words
//
//	r = RandomState(1234); p = the prime after r.randint(B, 2**31)
//	a_k, b_k = r.randint(1, p), r.randint(0, p), for k = 1 … K in turn
//
// so p grows with B, while the first nine a and b are the same for every B below 30 million. One thing the listed
// constants cannot tell: the prime at or after the draw would match as well, and differs where the draw is prime itself
// (B = 16, 44, …).
func authorsConstants(numHashes int, numBuckets uint32) (prime uint64, functions []linear) {
	source := prng.NewMT19937()
	source.Seed(authorsSeed)
	prime = primeAfter(uint64(numBuckets + randInterval(source, 1<<31-1-numBuckets)))
	functions = make([]linear, numHashes)
	for k := range functions {
		functions[k].a = 1 + uint64(randInterval(source, uint32(prime-2)))
		functions[k].b = uint64(randInterval(source, uint32(prime-1)))
	}
	return prime, functions
}

// randInterval is numpy's draw behind randint: uniform on 0 … largest by rejection of masked 32-bit words. Package data
// has its twin; data and hash do not import each other.
func randInterval(source *prng.MT19937, largest uint32) uint32 {
	if largest == 0 {
		return 0 // numpy takes no word from the stream here
	}
	mask := uint32(1)<<bits.Len32(largest) - 1
	for {
		if draw := source.Uint32() & mask; draw <= largest {
			return draw
		}
	}
}

// primeAfter is the least prime above n.
func primeAfter(n uint64) uint64 {
	for candidate := n + 1; ; candidate++ {
		// No repetitions are needed: below 2⁶⁴ ProbablyPrime's Baillie–PSW part is exact.
		if new(big.Int).SetUint64(candidate).ProbablyPrime(0) {
			return candidate
		}
	}
}

// wrappedMod is (a·x + b) mod prime as the authors' torch code has it: a·x overflows int64 and wraps, and the remainder
// of the possibly negative result is the floor-mod's, in [0, prime). This is not a universal family in the sense of
// Carter and Wegman; it is what the published numbers were computed with.
func wrappedMod(h linear, x, prime uint64) uint64 {
	remainder := int64(h.a*x+h.b) % int64(prime)
	if remainder < 0 {
		remainder += int64(prime) // Go's % has the sign of the dividend
	}
	return uint64(remainder)
}
