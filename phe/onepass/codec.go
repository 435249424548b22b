package onepass

//lint:file-ignore U1000 staticcheck sees no use of a generic type by an interface

import (
	"math"
	"slices"

	"gophe/phe/belief"
	"gophe/phe/hash"
)

// coded is a table of beliefs as codes, [buckets, outputs].
type coded[T real] interface {
	fetch(to []entry[T], slots []uint32, outputs int)
	store(from []entry[T], slots []uint32, outputs int, draws uint64)
	revise(change func(*entry[T]), draws uint64)
	stored(name string) belief.Part
}

// newCoded returns n beliefs N(0, prior) in codes of 16 or 32 bits.
func newCoded[T real](n, bits int, prior float64) coded[T] {
	if bits == 16 {
		return &codes[T, uint16]{NewCodec(bits, prior), slices.Repeat([]uint16{1 << 15}, n)}
	}
	return &codes[T, uint32]{NewCodec(bits, prior), slices.Repeat([]uint32{1 << 31}, n)}
}

// codes holds each belief as a code.
type codes[T real, C uint16 | uint32] struct {
	Codec
	list []C
}

func (t *codes[T, C]) fetch(to []entry[T], slots []uint32, n int) {
	k, list := &t.Codec, t.list
	for o := range n {
		at := o
		for _, slot := range slots {
			mean, variance := k.Decode(uint32(list[int(slot&^signBit)*n+o]))
			to[at] = entry[T]{T(mean), T(variance)}
			at += n
		}
	}
}

// purpose is why a belief is rounded. Draws hash the rows learned, the purpose and the slot, so threads, delays and resumes change no bit.
type purpose uint64

const (
	learning purpose = iota
	rescaling
	resetting
	weighing // table W
	starting
)

// draws begins the draws of a table.
func draws(rows int, p purpose) uint64 { return hash.Mix(uint64(rows) ^ uint64(p)<<60) }

// draw returns the draw of a slot.
func draw(draws uint64, slot int) uint64 { return hash.Mix(draws + uint64(slot)*0x9e3779b97f4a7c15) }

// store rounds beliefs to near codes. Mean and variance take 24 bits each of a draw. A code's own belief stays.
// Signs take the place of branches, which a processor would often guess wrong.
func (t *codes[T, C]) store(from []entry[T], slots []uint32, n int, draws uint64) {
	k, list := &t.Codec, t.list
	for o := range n {
		i := o
		for _, slot := range slots {
			e, at := &from[i], int(slot)*n+o
			draw := draw(draws, at)
			a := float64(e.mean)*k.perUnit + (k.zero - k.low) + fraction(draw>>40)*k.low
			if !(a >= k.low) { // also if it is no number
				a = k.low
			} else if a > k.top {
				a = k.top
			}
			bits := int64(math.Float64bits(float64(e.variance)*k.perPrior)&^(1<<63)) - 1023<<52
			bits &= bits >> 63 // a variance is at most the prior's, also if it is no number
			b := min(-k.steps*int(bits>>52)-int(k.below[bits>>44&255]), int(k.mask))
			// The variance lies above b's by 0 to 1 steps, or by up to 2 if a step ends within this 256th of the octave.
			up := math.Float64frombits(uint64(bits+1023<<52))*k.inverses[b&(maxVariances-1)] - (k.growth - 1)
			f := fraction(draw & (1<<24 - 1))
			b -= int(math.Float64bits(f-up)>>63 + math.Float64bits(f-1-(up-2)*k.ratio)>>63)
			list[at] = C(uint32(a)&^k.mask | uint32(b))
			i += n
		}
	}
}

func (t *codes[T, C]) revise(change func(*entry[T]), draws uint64) {
	one, slot := make([]entry[T], 1), make([]uint32, 1)
	for at := range t.list {
		slot[0] = uint32(at)
		t.fetch(one, slot, 1)
		was := one[0]
		if change(&one[0]); one[0] != was {
			t.store(one, slot, 1, draws)
		}
	}
}

func (t *codes[T, C]) stored(name string) belief.Part { return belief.List(name, t.list) }

// Codec writes a belief in few bits: a code a of its mean, then a code b of its variance. With the prior variance E of the table,
//
//	mean = (a − center) · reach √E/(center − 1), a = 1, 2 …, and variance = E 2^(−b/steps), b = 0, 1 …
//
// 16 bits have 10 for the mean, within 8 √E: collisions and forgetting keep a variance from becoming small, so a mean is never known
// better than to some percent of its prior deviation. 32 bits have 21 for the mean, and tell numbers without noise. Rounding is stochastic:
// steps smaller than the grid count on average, since the mean of many roundings is the number (Gupta et al. 2015).
type Codec struct {
	mask                    uint32  // the bits of the variance
	zero, low, top          float64 // codes of means, whose variance bits are 0: the mean 0, the least and the largest mean
	unit, perUnit           float64 // the mean of one unit of a code, and its inverse
	perPrior, growth, ratio float64 // 1/E; and of neighbouring variances, 1 over their relative distance, and their ratio
	steps                   int
	variances, inverses     [maxVariances]float64 // inverses are relative to E
	below                   [256]uint8            // number of variances up to 1 + i/256, in an octave above 1
}

const maxVariances = 1 << 11

// NewCodec returns the codec of a table whose beliefs have 16 or 32 bits and a prior variance.
func NewCodec(bits int, prior float64) (k Codec) {
	variances, means, reach := 1<<6, 1<<10, 8.
	if k.steps = 3; bits == 32 {
		variances, means, reach, k.steps = 1<<11, 1<<21, 16, 48
	}
	center, steps := float64(means/2), float64(k.steps)
	k.mask, k.low = uint32(variances-1), float64(variances)
	k.zero, k.top, k.unit = center*k.low, (2*center-1)*k.low, reach*math.Sqrt(prior)/(center-1)/k.low
	k.perUnit, k.perPrior, k.growth, k.ratio = 1/k.unit, 1/prior, 1/(math.Exp2(1/steps)-1), math.Exp2(-1/steps)
	for b := range k.variances {
		k.variances[b] = prior * math.Exp2(-float64(b)/steps)
		k.inverses[b] = k.growth * math.Exp2(float64(b)/steps)
	}
	for i := range k.below {
		k.below[i] = uint8(steps * math.Log2(1+float64(i)/256))
	}
	return k
}

// Decode returns the belief of a code. Each code is a belief.
func (k *Codec) Decode(code uint32) (mean, variance float64) {
	return (float64(code&^k.mask) - k.zero) * k.unit, k.variances[code&k.mask&(maxVariances-1)]
}

// fraction returns 1 + (n + ½)/2²⁴ for n below 2²⁴: a number of 24 bits between 1 and 2, and neither of them.
func fraction(n uint64) float64 { return math.Float64frombits(1023<<52 | n<<28 | 1<<27) }
