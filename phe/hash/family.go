package hash

import (
	"math"

	"github.com/pkg/errors"

	"gophe/phe/internal/modulus"
)

// Family is K universal hash functions h₁ … h_K from keys to buckets, and the function that selects an item's row of assembly weights
// (paper, Section 3.2; for the weights, the supplement's implementation details). It is immutable and safe for concurrent use.
type Family struct {
	variant    Variant
	quick      bool // the variant is Quick
	functions  []linear
	weights    linear // not for Authors, which takes the key itself
	first      linear // the key of a pair of items: this function of the first item,
	second     linear // plus this one's slope times the second
	prime      uint64
	numBuckets modulus.Modulus
	numWeights modulus.Modulus
}

// linear is x ↦ a·x + b, the random part of a universal hash function.
type linear struct{ a, b uint64 }

// NewFamily returns numHashes functions onto numBuckets buckets (K and B of the paper) and a function onto numWeights weight rows (P).
// numWeights 0 means no weight table. The seed draws the constants of CarterWegman; Authors ignores it, since its constants are fixed. With
// equal other arguments, a family with more functions begins with the functions of the smaller one, and a weight table changes no bucket.
func NewFamily(v Variant, numHashes, numBuckets, numWeights int, seed int64) (Family, error) {
	if err := v.validate(); err != nil {
		return Family{}, err
	}
	switch {
	case numHashes < 1 || numHashes > maxHashes:
		return Family{}, errors.Errorf("number of hash functions is %d, allowed are 1 to %d", numHashes, maxHashes)
	case numBuckets < 1 || numBuckets > math.MaxInt32:
		return Family{}, errors.Errorf("number of buckets is %d, allowed are 1 to %d", numBuckets, math.MaxInt32)
	case numWeights < 0 || numWeights > math.MaxInt32:
		return Family{}, errors.Errorf("number of weight rows is %d, allowed are 1 to %d, or 0 for no weight table",
			numWeights, math.MaxInt32)
	}
	f := Family{variant: v, quick: v == Quick, numBuckets: modulus.New(numBuckets), numWeights: modulus.New(numWeights)}
	if v == Authors {
		f.prime, f.functions = authorsConstants(numHashes, uint32(numBuckets))
		return f, nil
	}
	f.prime, f.functions, f.weights = mersenne, drawLinear(numHashes, seed, bucketPurpose), drawLinear(1, seed, weightPurpose)[0]
	pair := drawLinear(2, seed, pairPurpose)
	f.first, f.second = pair[0], pair[1]
	return f, nil
}

// maxHashes is far above any use (the paper tries K up to 5). It turns a mistyped spec into an error before it exhausts the memory.
const maxHashes = 1024

// Buckets appends the buckets h₁(x) … h_K(x) of the key x to dst, each in [0, B) (paper, Section 3.2). Two of them may be equal,
// since the functions are independent. The key must come from Variant.Key of the family's variant.
func (f Family) Buckets(dst []int32, key uint64) []int32 {
	for _, h := range f.functions {
		value := exactMod(h, key)
		if f.variant == Authors {
			value = wrappedMod(h, key, f.prime)
		}
		dst = append(dst, int32(f.numBuckets.Of(value)))
	}
	return dst
}

// WeightRow returns the key's row of the assembly weights, in [0, P). Authors takes the key modulo P, without a hash function
// (PROTOCOL, section 0). WeightRow panics if the family has no weight table.
func (f Family) WeightRow(key uint64) int32 {
	if f.numWeights.N == 0 {
		panic(errors.New("WeightRow of a hash family without weight table (numWeights 0)"))
	}
	if f.variant != Authors {
		key = exactMod(f.weights, key)
	}
	return int32(f.numWeights.Of(key))
}
