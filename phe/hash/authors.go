package hash

import (
	"math/big"
	"math/bits"

	"gonum.org/v1/gonum/mathext/prng"
)

// authorsKeys is the number of distinct keys of Authors.
const authorsKeys = 10_000_000_000_000_000

// authorsSeed is the seed of numpy's RandomState in the authors' program. It does not depend on the seed of the run.
const authorsSeed = 1234

// authorsConstants returns the prime and the functions of the authors' program for numBuckets buckets. We found this rule from the
// constants that PROTOCOL lists, and it reproduces all of them. In numpy's words:
//
//	r = RandomState(1234); p = the prime after r.randint(B, 2**31)
//	a_k, b_k = r.randint(1, p), r.randint(0, p), for k = 1 … K in turn
//
// So p grows with B, and the first nine a and b are equal for every B below 30 million. The listed constants leave one question
// open: the prime at or after the draw would match as well. It differs only if the draw is itself a prime (B = 16, 44, …).
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

// randInterval is the draw inside numpy's randint: uniform on 0 … largest, by rejection of masked 32-bit words. Package data has a
// copy, since data and hash do not import each other.
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

// primeAfter returns the least prime above n.
func primeAfter(n uint64) uint64 {
	for candidate := n + 1; ; candidate++ {
		// No repetitions are needed: below 2⁶⁴ ProbablyPrime's Baillie–PSW part is exact.
		if new(big.Int).SetUint64(candidate).ProbablyPrime(0) {
			return candidate
		}
	}
}

// wrappedMod returns (a·x + b) mod prime as the authors' torch code computes it. a·x overflows int64 and wraps, and the remainder of a
// negative number is in [0, prime). This is no universal family in the sense of Carter and Wegman, but the published numbers come from it.
func wrappedMod(h linear, x, prime uint64) uint64 {
	remainder := int64(h.a*x+h.b) % int64(prime)
	if remainder < 0 {
		remainder += int64(prime) // Go's % has the sign of the dividend
	}
	return uint64(remainder)
}
