package onepass

import (
	"math"
	"slices"

	"gophe/phe/belief"
	"gophe/phe/hash"
)

// coded is a table of beliefs as codes, [buckets, outputs].
type coded[T real] interface {
	fetch(to []entry[T], slots []uint32, outputs int)
	store(from []entry[T], slots []uint32, outputs, rows int)
	revise(change func(*entry[T]), draws uint64)
	stored() belief.Part
}

func newCoded[T real](c Config) coded[T] {
	n := c.Buckets * c.Outputs
	if c.BeliefBits == 16 {
		return &codes[T, uint16]{NewCodec(c), slices.Repeat([]uint16{1 << 15}, n)}
	}
	return &codes[T, uint32]{NewCodec(c), slices.Repeat([]uint32{1 << 31}, n)}
}

// codes holds each belief as a code.
type codes[T real, C uint16 | uint32] struct {
	Codec
	list []C
}

func (t *codes[T, C]) fetch(to []entry[T], slots []uint32, n int) {
	k, list := &t.Codec, t.list
	for i, slot := range slots {
		for o := range n {
			mean, variance := k.Decode(uint32(list[int(slot&^signBit)*n+o]))
			to[i*n+o] = entry[T]{T(mean), T(variance)}
		}
	}
}

// purpose is why a belief is rounded. The draws come from a hash of the rows learned, the purpose and the slot, so that threads, delays and
// resumed runs write the same bits.
type purpose uint64

const (
	learning purpose = iota
	rescaling
	widening
)

// draws begins the draws of a table.
func draws(rows int, p purpose) uint64 { return hash.Mix(uint64(rows) ^ uint64(p)<<60) }

// draw returns the draw of a slot.
func draw(draws uint64, slot int) uint64 { return hash.Mix(draws + uint64(slot)*0x9e3779b97f4a7c15) }

func (t *codes[T, C]) store(from []entry[T], slots []uint32, n, rows int) {
	row := draws(rows, learning)
	for i, slot := range slots {
		for o := range n {
			e, at := &from[i*n+o], int(slot)*n+o
			t.list[at] = C(t.encode(float64(e.mean), float64(e.variance), draw(row, at)))
		}
	}
}

func (t *codes[T, C]) revise(change func(*entry[T]), draws uint64) {
	for at, code := range t.list {
		mean, variance := t.Decode(uint32(code))
		was := entry[T]{T(mean), T(variance)}
		now := was
		if change(&now); now != was {
			t.list[at] = C(t.encode(float64(now.mean), float64(now.variance), draw(draws, at)))
		}
	}
}

func (t *codes[T, C]) stored() belief.Part { return belief.List(tableE, t.list) }

// Codec writes a belief in few bits: a code a of its mean, then a code b of its variance. With the prior variance E of the table,
//
//	mean = (a − center) · reach √E/(center − 1), a = 1, 2 …, and variance = E 2^(−b/steps), b = 0, 1 …
//
// 16 bits have 10 for the mean, within 8 √E: collisions and forgetting keep a variance from becoming small, so a mean is never known
// better than to some percent of its prior deviation. 32 bits have 21 for the mean, and tell numbers without noise. Rounding is stochastic:
// steps smaller than the grid count on average, since the mean of many roundings is the number (Gupta et al. 2015).
type Codec struct {
	bits                    uint32 // of the variance
	center, unit, perUnit   float64
	perPrior, steps, growth float64 // growth is one over the relative distance of two variances
	variances, inverses     [maxVariances]float64
	logs                    [257]float64 // log₂(1 + i/256)
}

const maxVariances = 1 << 11

// NewCodec returns the codec of table E.
func NewCodec(c Config) (k Codec) {
	reach := 8.
	if k.bits, k.steps, k.center = 6, 3, 1<<9; c.BeliefBits == 32 {
		k.bits, k.steps, k.center, reach = 11, 48, 1<<20, 16
	}
	k.unit = reach * math.Sqrt(c.Prior.E) / (k.center - 1)
	k.perUnit, k.perPrior, k.growth = 1/k.unit, 1/c.Prior.E, 1/(math.Exp2(1/k.steps)-1)
	for b := range k.variances {
		k.variances[b] = c.Prior.E * math.Exp2(-float64(b)/k.steps)
		k.inverses[b] = k.growth / k.variances[b]
	}
	for i := range k.logs {
		k.logs[i] = math.Log2(1 + float64(i)/256)
	}
	return k
}

// Decode returns the belief of a code. Each code is a belief.
func (k *Codec) Decode(code uint32) (mean, variance float64) {
	return (float64(code>>(k.bits&31)) - k.center) * k.unit, k.variances[code&(1<<(k.bits&31)-1)&(maxVariances-1)]
}

// encode rounds a belief to a code beside it. The mean takes 24 bits of the draw, and the variance takes 24: between 0 and 1, and neither
// of them, so a code's own belief stays.
func (k *Codec) encode(mean, variance float64, draw uint64) uint32 {
	a := mean*k.perUnit + k.center + (float64(int32(draw>>40))+0.5)*(1./(1<<24))
	if !(a >= 1) { // also if it is no number
		a = 1
	} else if a > 2*k.center-1 {
		a = 2*k.center - 1
	}
	b := min(max(int(k.octaves(variance)*k.steps), 0)+1, 1<<(k.bits&31)-1)
	beyond := (float64(int32(draw&(1<<24-1)))+0.5)*(1./(1<<24)) + k.growth - variance*k.inverses[b&(maxVariances-1)]
	b -= int(math.Float64bits(beyond) >> 63) // the sign: a processor would often guess a branch wrong
	return uint32(a)<<(k.bits&31) | uint32(b)
}

// octaves returns how far a variance is below the prior, −log₂(v/E), with an error of 3e-6.
func (k *Codec) octaves(variance float64) float64 {
	bits := math.Float64bits(variance * k.perPrior)
	i, rest := bits>>44&255, float64(bits&(1<<44-1))*(1./(1<<44))
	return float64(1023-int(bits>>52)) - (k.logs[i] + (k.logs[i+1]-k.logs[i])*rest)
}
