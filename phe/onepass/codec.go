package onepass

import "math"

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
	meanCenter, meanReach = 512, 511 // the codes of mean 0 and of 8√E are these apart
	varianceBits          = 6
	varianceCodes         = 1 << varianceBits
	priorCode             = meanCenter << varianceBits // mean 0 and variance E
	reach                 = 8
	pairScale             = 0.5    // with four times the buckets, a scale of a pair begins here
	leastPacked           = 1e-100 // bound of E, and of 1/E
)

func newCodec(prior float64) (c codec) {
	c.unit = reach * math.Sqrt(prior) / meanReach
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

// encode rounds a belief to one of the codes beside it. The draw has 32 bits for the mean and 32 for the variance.
func (c *codec) encode(mean, variance float64, draw uint64) uint16 {
	const perDraw = 1. / (1 << 32)
	a := mean*c.perUnit + (meanCenter + 0.5*perDraw) + float64(draw>>32)*perDraw // no draw is 0, so a code's own mean stays
	if !(a >= meanCenter-meanReach) {                                            // also no number
		a = meanCenter - meanReach
	} else if a > meanCenter+meanReach {
		a = meanCenter + meanReach
	}
	share := variance * c.perPrior
	b := below(share)
	more := (float64(uint32(draw))+0.5)*(perDraw*(cubeRoot2-1)) - (share*c.up[b] - 1)
	b -= int(math.Float64bits(more) >> 63) // the sign: a branch would be guessed wrong too often
	return uint16(a)<<varianceBits | uint16(min(max(b, 0), varianceCodes-1))
}

const cubeRoot2 = 1.2599210498948732

// below returns the least b, up to 64, with 2^(−b/3) ≤ share.
func below(share float64) int {
	const exponent, mantissa = 52, 1<<52 - 1
	const third, twoThirds = 0x428A2F98D728B, 0x965FEA53D6E3D // mantissas of ∛2 and ∛4
	bits := math.Float64bits(share)
	m := bits & mantissa
	thirds := int((third-1-m)>>63) + int((twoThirds-1-m)>>63) // of an octave, passed
	return min(max(3*(1023-int(bits>>exponent))-thirds, 0), varianceCodes)
}

// Purposes of draws.
const (
	learning = iota
)

// drawsOf returns what the draws of one row and purpose share.
func drawsOf(rows, purpose int) uint64 { return mixed(uint64(rows)<<2 | uint64(purpose)) }

// draw returns the draw of a slot: a hash, so that threads, delays and resumed runs write the same bits.
func draw(ofRow uint64, slot int) uint64 { return mixed(ofRow + uint64(slot)*0x9E3779B97F4A7C15) }

// mixed is the finaliser of splitmix64.
func mixed(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}
