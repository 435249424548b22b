package census

import (
	"math"
	"math/bits"
)

// The hash's first bits choose a register, and the others are its pattern.
const (
	precision = 11             // bits
	registers = 1 << precision // number of registers of a column
)

// register adds a hash to a column's HyperLogLog. A register holds the place of the first 1 in a pattern, at most 54: the largest
// of all patterns that came to it.
func (c *Census) register(column int, h uint64) {
	const end = 1 << (precision - 1) // a 1 behind the pattern
	p := &c.registers[column*registers+int(h>>(64-precision))]
	*p = max(*p, uint8(bits.LeadingZeros64(h<<precision|end)+1))
}

// Cardinality returns the estimated number of different items of a column. Its standard error is 2.3 %, or less with few items.
//
// The estimator is the improved one of Ertl (2017), without its term for full registers, which no stream fills. The original
// changes from one formula to another near 5,000 items, and is 2 % too high there.
func (c *Census) Cardinality(column int) float64 {
	const m = float64(registers)
	sum, empty := 0., 0.
	for _, r := range c.registers[column*registers:][:registers] {
		if r == 0 {
			empty++
		} else {
			sum += math.Ldexp(1, -int(r))
		}
	}
	if empty == m {
		return 0
	}
	return m * m / (2 * math.Ln2 * (sum + m*ofEmpty(empty/m)))
}

// ofEmpty returns x + Σ 2^(k−1)·x^(2^k) over k ≥ 1, for x in [0, 1). Ertl calls it σ.
func ofEmpty(x float64) float64 {
	sum := x
	for factor := 1.; ; factor *= 2 {
		x *= x
		before := sum
		if sum += factor * x; sum == before {
			return sum
		}
	}
}
