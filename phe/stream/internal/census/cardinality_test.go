package census

import (
	"math"
	"math/rand/v2"
	"testing"

	"gophe/phe/disk/filetest"
)

const standardError = 0.023

// TestCardinality: up to a million different items, each of which comes twice, the estimate is within three standard errors of
// the exact number. Keys are small numbers, large ones and random ones.
func TestCardinality(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 9))
	for name, key := range map[string]func(i uint64) uint64{
		"numbers from 0 on": func(i uint64) uint64 { return i },
		"multiples of 2³²":  func(i uint64) uint64 { return i << 32 },
		"random":            func(uint64) uint64 { return r.Uint64() },
	} {
		c, next := New(1), 10
		for i := range uint64(1_000_000) {
			k := key(i)
			c.register(0, mix(k))
			c.register(0, mix(k))
			if n := int(i) + 1; n == next {
				next += max(1, n/10)
				filetest.Near(t, c.Cardinality(0), float64(n), max(1.01, 3*standardError*float64(n)), "%s: different items", name)
			}
		}
	}
}

// TestStandardError: over many streams, the root of the mean squared error is the stated one, and the bias is small. This includes 5,000
// items, where the estimator of 2007 has an error of 3.3 %.
func TestStandardError(t *testing.T) {
	const streams = 300
	r := rand.New(rand.NewPCG(7, 9))
	for _, n := range []float64{100, 2000, 5000, 5500, 15_000} {
		sum, squares := 0., 0.
		for range streams {
			c := &Census{registers: make([]uint8, registers)}
			for range int(n) {
				c.register(0, r.Uint64())
			}
			e := c.Cardinality(0)/n - 1
			sum, squares = sum+e, squares+e*e
		}
		bias, deviation := sum/streams, math.Sqrt(squares/streams)
		t.Logf("%.0f items: bias %.4f, standard error %.4f", n, bias, deviation)
		filetest.Near(t, bias, 0, 4*standardError/math.Sqrt(streams), "%.0f items: the bias", n)
		filetest.True(t, deviation <= 1.1*standardError, "%.0f items: standard error %.4f, want at most %.3f", n, deviation, standardError)
	}
}

// TestRegister: the first 11 bits of a hash choose the register, and it holds the place of the first 1 of the other 53.
func TestRegister(t *testing.T) {
	for _, c := range []struct {
		hash     uint64
		register int
		want     uint8
	}{
		{math.MaxUint64, 2047, 1},
		{1<<53 | 1<<52, 1, 1},
		{1<<54 | 1<<51, 2, 2},
		{1<<53 | 1, 1, 53},
		{3 << 53, 3, 54}, // no 1 at all
		{0, 0, 54},
	} {
		census := New(2)
		got := func() uint8 { return census.registers[registers+c.register] }
		census.register(1, c.hash)
		filetest.Want(t, got(), c.want, "%x: register %d", c.hash, c.register)
		census.register(1, uint64(c.register)<<53|1<<52)
		filetest.Want(t, got(), c.want, "%x: the register after a first 1 in place 1", c.hash)
		filetest.True(t, census.Cardinality(0) == 0 && census.Cardinality(1) != 0, "%x changed the other column", c.hash)
	}
}

// TestMix: different keys have different hashes, and each bit of the key flips each bit of the hash in about half of all keys.
// The first hash of the sequence from 0 is published with the algorithm.
func TestMix(t *testing.T) {
	filetest.Want(t, mix(0), 0xe220a8397b1dcdaf, "mix(0)")
	const keys = 2000
	r := rand.New(rand.NewPCG(8, 9))
	var flips [64][64]int
	for range keys {
		key := r.Uint64()
		for in := range 64 {
			for out, d := 0, mix(key)^mix(key^1<<in); out < 64; out++ {
				flips[in][out] += int(d >> out & 1)
			}
		}
	}
	for in := range 64 {
		for out, n := range flips[in] {
			filetest.True(t, math.Abs(float64(n)/keys-0.5) <= 5.5*0.5/math.Sqrt(keys),
				"bit %d flips bit %d in %d of %d keys", in, out, n, keys)
		}
	}
}
