package hash

// Pairing turns the keys of two items into a key of the ordered pair: (a·x + b·y + c) mod 2⁶¹ − 1, in exact arithmetic. A seed
// draws the constants, as Carter and Wegman do, so two pairs share a key with a probability of about 2⁻⁶¹. It is immutable and safe
// for concurrent use.
type Pairing struct {
	first  linear // a and c
	second linear // b
}

// NewPairing returns the pairing of a seed.
func NewPairing(seed int64) Pairing {
	f := drawLinear(2, seed, pairPurpose)
	return Pairing{f[0], f[1]}
}

// pairPurpose separates the pairings of a seed from its bucket functions.
const pairPurpose = 0x7061697273 // "pairs"

// Key returns the key of x and y, below 2⁶¹ − 1. The keys must come from CarterWegman. Key(x, 0) is the key of x alone under this
// draw.
func (p Pairing) Key(x, y uint64) uint64 {
	sum := exactMod(p.first, x)
	if y == 0 {
		return sum
	}
	return exactMod(linear{p.second.a, sum}, y)
}
