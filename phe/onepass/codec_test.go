package onepass

import (
	"math"
	"math/rand/v2"
	"testing"

	"gophe/phe/hash"
)

// Each code holds a belief on a grid, which no rounding moves: 8 standard deviations of the prior to both sides, and variances from the prior
// down to 5e-7 of it.
func TestCodec(t *testing.T) {
	for _, prior := range []float64{leastPacked, 0.011, 2, 1 / leastPacked} {
		c := newCodec(prior)
		for code := range uint16(math.MaxUint16) {
			mean, variance := c.decode(code)
			a, b := int(code>>6), int(code&63)
			if a == 0 {
				continue // a belief too, but none that is written
			}
			allNear(t, "the grid", []float64{mean / (8 * math.Sqrt(prior)) * 511, variance / prior}, []float64{float64(a - 512), math.Pow(2, -float64(b)/3)})
			for _, draw := range []uint64{0, math.MaxUint64, uint64(code) * 0x9E3779B97F4A7C15} {
				if got := c.encode(mean, variance, draw); got != code {
					t.Fatalf("prior %g: code %d:%d is written as %d:%d", prior, a, b, got>>6, got&63)
				}
			}
		}
		if _, v := c.decode(priorCode); v != prior {
			t.Errorf("the variance before any row is %g, want %g", v, prior)
		}
		wide, nan := 1e6*math.Sqrt(prior), math.NaN()
		for _, x := range []struct {
			mean, variance float64
			a, b           uint16
		}{{wide, 2 * prior, 1023, 0}, {-wide, 1e-9 * prior, 1, 63}, {math.Inf(1), 0, 1023, 63}, {math.Inf(-1), math.Inf(1), 1, 0}, {nan, nan, 1, 0}} {
			if got := c.encode(x.mean, x.variance, 1<<63); got != x.a<<6|x.b {
				t.Errorf("mean %g and variance %g are written as %d:%d, want %d:%d", x.mean, x.variance, got>>6, got&63, x.a, x.b)
			}
		}
	}
}

// Rounding goes to one of the two values beside a number, and the draws of rows and slots give each its share: the mean of many
// roundings is the number. The number of roundings up is within 5 deviations of its binomial distribution, for neighbouring rows of a slot and for
// neighbouring slots of a row.
func TestRounding(t *testing.T) {
	const n = 4096
	random := rand.New(rand.NewPCG(1, 6))
	for trial := range 100 {
		prior := math.Exp(random.NormFloat64())
		c := newCodec(prior)
		a, b := 1022*random.Float64()-511, 63*random.Float64()
		lower, upper := prior*math.Pow(2, -math.Ceil(b)/3), prior*math.Pow(2, -math.Floor(b)/3)
		mean, variance, ups := a*8*math.Sqrt(prior)/511, lower+random.Float64()*(upper-lower), [2]float64{}
		for i := range n {
			row, slot := i, trial
			if trial%2 > 0 {
				row, slot = trial, i
			}
			code := c.encode(mean, variance, draw(hash.Mix(uint64(row)), slot))
			up, down := float64(code>>6)-512-math.Floor(a), math.Ceil(b)-float64(code&63)
			if up != 0 && up != 1 || down != 0 && down != 1 {
				t.Fatalf("mean %g and variance 2^(-%g/3) are written as %d:%d", a, b, code>>6, code&63)
			}
			ups[0], ups[1] = ups[0]+up, ups[1]+down
		}
		for i, p := range []float64{a - math.Floor(a), (variance - lower) / (upper - lower)} {
			if math.Abs(ups[i]-n*p) > 5*math.Sqrt(n*p*(1-p))+1 {
				t.Errorf("number %d of %g and %g: %g of %d roundings go up, want a share of %.4f", i, a, b, ups[i], n, p)
			}
		}
	}
}
