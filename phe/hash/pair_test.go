package hash

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// The key of a pair is the exact a·x + b·y + c, whatever the keys are.
func TestPairingIsExact(t *testing.T) {
	p := NewPairing(3)
	source := rand.New(rand.NewPCG(1, 2))
	number := func(x uint64) *big.Int { return new(big.Int).SetUint64(x) }
	for range 1000 {
		x, y := source.Uint64N(mersenne), source.Uint64N(mersenne)
		want := new(big.Int).Mul(number(p.first.a), number(x))
		want.Add(want, number(p.first.b))
		want.Add(want, new(big.Int).Mul(number(p.second.a), number(y)))
		want.Mod(want, number(mersenne))
		if got := p.Key(x, y); got != want.Uint64() {
			t.Fatalf("Key(%d, %d) is %d, want %d", x, y, got, want)
		}
	}
	if p.Key(5, 7) == p.Key(7, 5) || p.Key(5, 7) == NewPairing(4).Key(5, 7) {
		t.Error("a pair's key does not depend on the order of its items, or not on the seed")
	}
}

// Twice as many buckets move an item from bucket r to r or to r + B.
func TestDoublingSplitsBuckets(t *testing.T) {
	for _, numBuckets := range []int{1, 7, 1 << 10} {
		small := mustFamily(t, CarterWegman, 2, numBuckets, 0, 9)
		large := mustFamily(t, CarterWegman, 2, 2*numBuckets, 0, 9)
		moved := 0
		for key := range uint64(1000) {
			a, b := small.Buckets(nil, key*key), large.Buckets(nil, key*key)
			for k := range a {
				if int(b[k])%numBuckets != int(a[k]) {
					t.Fatalf("bucket %d of %d becomes bucket %d of %d", a[k], numBuckets, b[k], 2*numBuckets)
				}
				if a[k] != b[k] {
					moved++
				}
			}
		}
		if moved < 900 || moved > 1100 {
			t.Errorf("%d of 2000 rows moved to the upper half", moved)
		}
	}
}
