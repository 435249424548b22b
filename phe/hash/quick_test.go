package hash

import (
	"math/rand/v2"
	"testing"

	"gophe/phe/disk/filetest"
)

// The sum of two items' terms has the key of their pair, and its bucket and sign.
func TestTerm(t *testing.T) {
	const buckets = 1000
	f := filetest.Must(NewFamily(Quick, 1, buckets, 0, 3))(t)
	pairing, random := NewPairing(3), rand.New(rand.NewPCG(1, 2))
	for i := range 100_000 {
		x, y := random.Uint64N(mersenne), 1+random.Uint64N(mersenne-1)
		if i%10 == 0 {
			x, y = mersenne-1-uint64(i%3), mersenne-1
		}
		sum, key := f.First(&pairing, x).Plus(f.Second(&pairing, y)), pairing.Key(x, y)
		bucket, signs := f.Signed(nil, key)
		if slot := f.Slot(sum.Value); sum.Key != key || slot&^(1<<31) != uint32(bucket[0]) || uint64(slot>>31) != signs {
			t.Fatalf("terms of %d and %d give key %d and slot %x; want %d, %d, %d", x, y, sum.Key, slot, key, bucket[0], signs)
		}
		if alone := f.First(&pairing, x); alone.Key != pairing.Key(x, 0) {
			t.Fatalf("the key of %d alone is %d, want %d", x, alone.Key, pairing.Key(x, 0))
		}
	}
}
