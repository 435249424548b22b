package hash

import "math/bits"

// Term is what one item adds to the key of a pair and to its value under the first bucket function. Keys and values are sums modulo
// 2⁶¹ − 1, so a pair costs two additions in place of three multiplications. It needs a Family of Quick.
type Term struct{ Key, Value uint64 }

// First returns the term of a pair's first item. It is also the key, and its value, of the item alone.
func (f *Family) First(p *Pairing, x uint64) Term {
	key := exactMod(p.first, x)
	return Term{key, exactMod(f.functions[0], key)}
}

// Second returns the term of a pair's second item.
func (f *Family) Second(p *Pairing, y uint64) Term {
	key := exactMod(linear{p.second.a, 0}, y)
	return Term{key, exactMod(linear{f.functions[0].a, 0}, key)}
}

// Plus returns the key of the pair of two terms and its value.
func (t Term) Plus(u Term) Term { return Term{plus(t.Key, u.Key), plus(t.Value, u.Value)} }

func plus(a, b uint64) uint64 {
	sum, carry := bits.Sub64(a+b, mersenne, 0)
	return sum + mersenne&-carry
}

// Slot returns the bucket of a value and its sign in the highest bit.
func (f *Family) Slot(value uint64) uint32 {
	return uint32(f.numBuckets.Of(value)) | uint32(value>>60)<<31
}

// Value returns the value of a key under bucket function k.
func (f *Family) Value(k int, key uint64) uint64 { return exactMod(f.functions[k], key) }
