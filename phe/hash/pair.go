package hash

import "math/bits"

// Term is what one item adds to the key of an ordered pair, and to the pair's value under the first hash function. The key of a pair is
// (a·x + b·y + c) mod 2⁶¹ − 1, in exact arithmetic, so two pairs share a key with a probability of about 2⁻⁶¹. Keys and values are sums, so
// a pair costs two additions in place of three multiplications. It needs a Family of CarterWegman or Quick, whose seed draws a, b and c.
type Term struct{ Key, Value uint64 }

// pairPurpose separates the pairings of a seed from its bucket functions.
const pairPurpose = 0x7061697273 // "pairs"

// First returns the term of a pair's first item. It is also the key, and its value, of the item alone.
func (f *Family) First(x uint64) Term {
	key := exactMod(f.first, x)
	return Term{key, exactMod(f.functions[0], key)}
}

// Second returns the term of a pair's second item.
func (f *Family) Second(y uint64) Term {
	key := exactMod(linear{f.second.a, 0}, y)
	return Term{key, exactMod(linear{f.functions[0].a, 0}, key)}
}

// Plus returns the key of the pair of two terms and its value.
func (t Term) Plus(u Term) Term { return Term{plus(t.Key, u.Key), plus(t.Value, u.Value)} }

func plus(a, b uint64) uint64 {
	sum, carry := bits.Sub64(a+b, mersenne, 0)
	return sum + mersenne&-carry
}

// Slot returns the bucket of a value and its sign in the highest bit. It needs a Family of Quick, whose sign is the value's highest bit.
func (f *Family) Slot(value uint64) uint32 {
	return uint32(f.numBuckets.Of(value)) | uint32(value>>60)<<31
}

// Slots appends the K buckets of a term's key to dst, with their signs. With CarterWegman the signs are the bits of the weight row, so the
// family needs a weight row for each combination of signs.
func (f *Family) Slots(dst []uint32, t Term) []uint32 {
	from := len(dst)
	dst = append(dst, f.Slot(t.Value))
	for _, h := range f.functions[1:] {
		dst = append(dst, f.Slot(exactMod(h, t.Key)))
	}
	if !f.quick {
		signs := uint32(f.WeightRow(t.Key))
		for k, slot := range dst[from:] {
			dst[from+k] = slot&^(1<<31) | signs>>k<<31
		}
	}
	return dst
}
