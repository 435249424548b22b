package hash

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"gophe/phe/disk/filetest"
)

// The key of a pair is the exact a·x + b·y + c, whatever the keys are. It has the pair's value under the first function.
func TestPairingIsExact(t *testing.T) {
	f, other := mustFamily(t, Quick, 1, 1000, 0, 3), mustFamily(t, Quick, 1, 1000, 0, 4)
	source := rand.New(rand.NewPCG(1, 2))
	number := func(x uint64) *big.Int { return new(big.Int).SetUint64(x) }
	for i := range 10_000 {
		x, y := source.Uint64N(mersenne), source.Uint64N(mersenne)
		if i%10 == 0 {
			x, y = mersenne-1-uint64(i%3), mersenne-1
		}
		want := new(big.Int).Mul(number(f.first.a), number(x))
		want.Add(want, number(f.first.b))
		key := new(big.Int).Mod(want, number(mersenne)).Uint64()
		if got := f.First(x); got != (Term{key, exactMod(f.functions[0], key)}) {
			t.Fatalf("the first term of %d is %d", x, got)
		}
		want.Add(want, new(big.Int).Mul(number(f.second.a), number(y)))
		want.Mod(want, number(mersenne))
		got := f.First(x).Plus(f.Second(y))
		if got.Key != want.Uint64() || got.Value != exactMod(f.functions[0], got.Key) {
			t.Fatalf("the pair of %d and %d is %d, want the key %d", x, y, got, want)
		}
	}
	pair := f.First(5).Plus(f.Second(7))
	filetest.True(t, pair != f.First(7).Plus(f.Second(5)), "a pair's key does not depend on the order of its items")
	filetest.True(t, pair != other.First(5).Plus(other.Second(7)), "a pair's key does not depend on the seed")
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
		filetest.True(t, 900 <= moved && moved <= 1100, "%d of 2000 rows moved to the upper half", moved)
	}
}
