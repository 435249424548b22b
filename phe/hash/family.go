package hash

import (
	"math"

	"github.com/pkg/errors"
)

// Family is K universal hash functions h₁ … h_K from keys to buckets, and the function that selects an item's row of assembly
// weights (paper, Section 3.2). The weight table is in the supplement's implementation details. A Family is immutable and safe for
// concurrent use.
type Family struct {
	variant    Variant
	functions  []linear
	weights    linear // CarterWegman only: Authors takes the key itself
	prime      uint64
	numBuckets Modulus
	numWeights Modulus
}

// linear is x ↦ a·x + b, the random part of a universal hash function.
type linear struct{ a, b uint64 }

// NewFamily returns numHashes functions onto numBuckets buckets (K and B of the paper) and a function onto numWeights weight rows
// (P). numWeights 0 means no weight table. The seed draws the constants of CarterWegman; Authors ignores it, because the authors'
// constants are fixed. With equal other arguments, a family with more functions begins with the functions of the smaller one, and a
// weight table changes no bucket.
func NewFamily(v Variant, numHashes, numBuckets, numWeights int, seed int64) (Family, error) {
	if err := v.validate(); err != nil {
		return Family{}, err
	}
	if numHashes < 1 || numHashes > maxHashes {
		return Family{}, errors.Errorf("number of hash functions is %d, allowed are 1 to %d", numHashes, maxHashes)
	}
	if numBuckets < 1 || numBuckets > math.MaxInt32 {
		return Family{}, errors.Errorf("number of buckets is %d, allowed are 1 to %d", numBuckets, math.MaxInt32)
	}
	if numWeights < 0 || numWeights > math.MaxInt32 {
		return Family{}, errors.Errorf("number of weight rows is %d, allowed are 1 to %d, or 0 for no weight table",
			numWeights, math.MaxInt32)
	}
	f := Family{variant: v, numBuckets: NewModulus(numBuckets), numWeights: NewModulus(numWeights)}
	switch v {
	case Authors:
		f.prime, f.functions = authorsConstants(numHashes, uint32(numBuckets))
	case CarterWegman, Quick:
		f.prime = mersenne
		f.functions = drawLinear(numHashes, seed, bucketPurpose)
		f.weights = drawLinear(1, seed, weightPurpose)[0]
	}
	return f, nil
}

// maxHashes is far above any use (the paper tries K up to 5). It turns a mistyped spec into an error before it exhausts the memory.
const maxHashes = 1024

// Buckets appends the buckets h₁(x) … h_K(x) of the key x to dst, each in [0, B) (paper, Section 3.2). Two of them may be equal,
// since the functions are independent. The key must come from Variant.Key of the family's variant.
func (f Family) Buckets(dst []int32, key uint64) []int32 {
	if f.variant == Authors {
		for _, h := range f.functions {
			dst = append(dst, int32(f.numBuckets.Of(wrappedMod(h, key, f.prime))))
		}
		return dst
	}
	for _, h := range f.functions {
		dst = append(dst, int32(f.numBuckets.Of(exactMod(h, key))))
	}
	return dst
}

// Signed appends the key's buckets as Buckets does, and returns their signs: bit k tells whether bucket k counts negatively. The
// signs are the bits of the weight row, so the family needs a weight row for each combination of signs. Quick needs no weight rows:
// a sign is the highest bit of the number whose remainder is the bucket.
func (f Family) Signed(dst []int32, key uint64) (buckets []int32, signs uint64) {
	if f.variant != Quick {
		return f.Buckets(dst, key), uint64(f.WeightRow(key))
	}
	for k, h := range f.functions {
		value := exactMod(h, key)
		dst = append(dst, int32(f.numBuckets.Of(value)))
		signs |= value >> 60 << min(k, 63)
	}
	return dst, signs
}

// WeightRow returns the key's row of the assembly weights, in [0, P). Authors takes the key modulo P, without a hash function
// (PROTOCOL, section 0). WeightRow panics if the family has no weight table.
func (f Family) WeightRow(key uint64) int32 {
	if f.numWeights.n == 0 {
		panic(errors.New("WeightRow of a hash family without weight table (numWeights 0)"))
	}
	if f.variant == Authors {
		return int32(f.numWeights.Of(key))
	}
	return int32(f.numWeights.Of(exactMod(f.weights, key)))
}
