package onepass

import (
	"math"

	"gophe/phe/hash"
)

// codec writes a belief in two bytes: ten bits of mean, then six of variance. With the prior variance E of the table,
//
//	mean = (a − 512) 8√E/511, a = 1 … 1023, and variance = E 2^(−b/3), b = 0 … 63.
//
// Collisions and forgetting keep a variance from becoming small, so a mean is never known better than to some percent of its prior
// deviation, and four times the buckets are worth more. Rounding is stochastic, so that steps smaller than the grid count on average:
// the mean of many roundings is the number (Gupta et al. 2015).
type codec struct {
	unit, perUnit, perPrior float64
	variances               [varianceCodes]float64
	up                      [varianceCodes + 1]float64 // 2^(b/3)
}

const (
	meanCenter, meanReach       = 512, 511 // the code of mean 0, and how far others are from it
	varianceBits, varianceCodes = 6, 1 << varianceBits
	priorCode                   = meanCenter << varianceBits // mean 0 and variance E
	leastPacked                 = 1e-100                     // bound of E, and of 1/E
)

func newCodec(prior float64) (c codec) {
	c.unit = 8 * math.Sqrt(prior) / meanReach
	c.perUnit, c.perPrior = 1/c.unit, 1/prior
	for b := range c.up {
		c.up[b] = math.Exp2(float64(b) / 3)
	}
	for b := range c.variances {
		c.variances[b] = prior / c.up[b]
	}
	return c
}

// decode returns the belief of a code. Each code is a belief.
func (c *codec) decode(code uint16) (mean, variance float64) {
	return float64(int(code>>varianceBits)-meanCenter) * c.unit, c.variances[code%varianceCodes]
}

// encode rounds a belief to one of the codes beside it. Half of the draw is for the mean, half for the variance.
func (c *codec) encode(mean, variance float64, draw uint64) uint16 {
	const perDraw = 1. / (1 << 32)
	a := mean*c.perUnit + (meanCenter + 0.5*perDraw) + float64(draw>>32)*perDraw // no draw is 0, so a code's own mean stays
	if !(a >= meanCenter-meanReach) {                                            // also if it is no number
		a = meanCenter - meanReach
	} else if a > meanCenter+meanReach {
		a = meanCenter + meanReach
	}
	share := variance * c.perPrior
	b := below(share)
	beyond := (float64(uint32(draw))+0.5)*(perDraw*(cubeRoot2-1)) - (share*c.up[b] - 1)
	b -= int(math.Float64bits(beyond) >> 63) // the sign: a processor would often guess a branch wrong
	return uint16(a)<<varianceBits | uint16(min(max(b, 0), varianceCodes-1))
}

const cubeRoot2 = 1.2599210498948732

// below returns the least b, up to varianceCodes, with 2^(−b/3) ≤ share. An exponent tells octaves, and a mantissa their thirds.
func below(share float64) int {
	const cubeRoot2, cubeRoot4, exponent = 0x428A2F98D728B, 0x965FEA53D6E3D, 52 // mantissas, and the place of an exponent
	bits := math.Float64bits(share)
	m := bits & (1<<exponent - 1)
	passed := int((cubeRoot2-1-m)>>63 + (cubeRoot4-1-m)>>63)
	return min(max(3*(1023-int(bits>>exponent))-passed, 0), varianceCodes)
}

// draw returns the draw of a slot: a hash, so that threads, delays and resumed runs write the same bits.
func draw(ofRow uint64, slot int) uint64 { return hash.Mix(ofRow + uint64(slot)*0x9e3779b97f4a7c15) }
