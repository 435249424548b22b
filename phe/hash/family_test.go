package hash

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"gophe/phe/disk/filetest"
)

// Golden rows of CarterWegman, K 3, B 109, P 11, seed 1: nobody else's numbers, but a change of them would silently
// change every result on record. TestExactArithmetic says that they are right.
func TestCarterWegmanGolden(t *testing.T) {
	family := mustFamily(t, CarterWegman, 3, 109, 11, 1)
	for _, golden := range []struct {
		item    string
		buckets []int32
		weight  int32
	}{
		{"education_Bachelors", []int32{69, 78, 72}, 0},
		{"odor_NONE", []int32{4, 99, 26}, 1},
		{"-17", []int32{82, 95, 38}, 5},
		{"naïve", []int32{35, 42, 29}, 3},
		{"Country_日本", []int32{77, 8, 70}, 8},
		{"\xff\xfe\x80", []int32{37, 6, 45}, 7},
		{"a_\x80\x00\xff", []int32{66, 33, 12}, 0},
	} {
		checkRows(t, family, golden.item, golden.buckets, golden.weight)
	}
}

func checkRows(t *testing.T, f Family, item string, buckets []int32, weight int32) {
	t.Helper()
	key := f.variant.Key(item)
	filetest.Want(t, f.Buckets(nil, key), buckets, "%s, %d buckets, item %q: buckets", f.variant, f.numBuckets, item)
	filetest.Want(t, f.WeightRow(key), weight, "%s, %d weight rows, item %q: the row", f.variant, f.numWeights, item)
}

func TestExactArithmetic(t *testing.T) {
	source := rand.New(rand.NewPCG(3, 5))
	for _, variant := range []Variant{Authors, CarterWegman} {
		for _, numBuckets := range []int{1, 7, 109, 10009, math.MaxInt32} {
			family := mustFamily(t, variant, 5, numBuckets, 101, source.Int64())
			keys := []uint64{0, 1, mersenne - 1, mersenne, mersenne + 1, 1<<63 - 1, 1 << 63, 1<<64 - 1}
			for range 5000 {
				keys = append(keys, source.Uint64N(authorsKeys), source.Uint64N(mersenne), source.Uint64())
			}
			for _, key := range keys {
				checkAgainstBig(t, family, key)
			}
		}
	}
}

// checkAgainstBig compares buckets and weight row with integers of unlimited size, and checks their range.
func checkAgainstBig(t *testing.T, f Family, key uint64) {
	t.Helper()
	buckets := f.Buckets(nil, key)
	if len(buckets) != len(f.functions) {
		t.Fatalf("%d buckets, want %d", len(buckets), len(f.functions))
	}
	for k, bucket := range buckets {
		want := bigLinearMod(f.variant, f.functions[k], key, f.prime) % f.numBuckets.N
		if uint64(bucket) != want || bucket < 0 || uint64(bucket) >= f.numBuckets.N {
			t.Fatalf("%s, %d buckets: h%d(%d) = %d, want %d", f.variant, f.numBuckets, k+1, key, bucket, want)
		}
	}
	want := key % f.numWeights.N
	if f.variant == CarterWegman {
		want = bigLinearMod(CarterWegman, f.weights, key, mersenne) % f.numWeights.N
	}
	if row := f.WeightRow(key); uint64(row) != want || row < 0 {
		t.Fatalf("%s, %d weight rows: row of %d is %d, want %d", f.variant, f.numWeights, key, row, want)
	}
}

// bigLinearMod is (a·x + b) mod prime; for Authors a·x + b is first taken modulo 2⁶⁴ into the range of int64.
func bigLinearMod(variant Variant, h linear, x, prime uint64) uint64 {
	value := new(big.Int).Mul(new(big.Int).SetUint64(h.a), new(big.Int).SetUint64(x))
	value.Add(value, new(big.Int).SetUint64(h.b))
	if variant == Authors {
		word := new(big.Int).Lsh(big.NewInt(1), 64)
		if value.Mod(value, word); value.Bit(63) == 1 {
			value.Sub(value, word)
		}
	}
	return value.Mod(value, new(big.Int).SetUint64(prime)).Uint64() // big.Int.Mod is never negative
}

// One family, many items: each function fills its buckets evenly.
func TestBucketsAreFilledEvenly(t *testing.T) {
	const items, numBuckets = 70_000, 7
	for _, variant := range []Variant{Authors, CarterWegman} {
		family := mustFamily(t, variant, 3, numBuckets, 0, 1)
		var counts [3][numBuckets]int
		for i := range items {
			for k, bucket := range family.Buckets(nil, variant.Key(fmt.Sprint("item_", i))) {
				counts[k][bucket]++
			}
		}
		for k := range counts {
			for bucket, hits := range counts[k] {
				checkRate(t, fmt.Sprintf("%s: function %d, bucket %d", variant, k+1, bucket), hits, items, 1.0/numBuckets)
			}
		}
	}
}

func TestFamiliesNest(t *testing.T) {
	for _, variant := range []Variant{Authors, CarterWegman} {
		small, large := mustFamily(t, variant, 3, 109, 0, 5), mustFamily(t, variant, 5, 109, 11, 5)
		for key := range uint64(100) {
			got := large.Buckets(nil, key)[:3]
			filetest.Want(t, got, small.Buckets(nil, key), "%s: key %d with more functions and a weight table", variant, key)
		}
	}
}

func TestSeed(t *testing.T) {
	const key = 2576184360252415
	rows := func(variant Variant, seed int64) []int32 {
		return mustFamily(t, variant, 3, 10009, 0, seed).Buckets(nil, key)
	}
	filetest.Want(t, rows(Authors, 1), rows(Authors, -2), "the buckets of Authors with another seed")
	filetest.True(t, !slices.Equal(rows(CarterWegman, 1), rows(CarterWegman, -2)), "the seed does not change the buckets of CarterWegman")
	filetest.Want(t, rows(CarterWegman, 1), rows(CarterWegman, 1), "the buckets of an equal seed")
}

func TestBucketsAppends(t *testing.T) {
	for _, variant := range []Variant{Authors, CarterWegman} {
		family := mustFamily(t, variant, 3, 7, 11, 1)
		dst := append(make([]int32, 0, 4), -1)
		got := family.Buckets(dst, 12)
		filetest.Want(t, got, append([]int32{-1}, family.Buckets(nil, 12)...), "%s: buckets behind −1", variant)
		filetest.True(t, &got[0] == &dst[0], "%s: the slice was copied", variant)
	}
}

func TestNewFamilyErrors(t *testing.T) {
	for _, test := range []struct {
		name                              string
		variant                           Variant
		numHashes, numBuckets, numWeights int
		want                              string
	}{
		{"variant", "md5", 3, 7, 11, `"authors", "carter-wegman" and "quick"`},
		{"no hashes", CarterWegman, 0, 7, 11, "hash functions is 0, allowed are 1 to 1024"},
		{"negative hashes", Authors, -3, 7, 11, "hash functions is -3, allowed are 1 to 1024"},
		{"too many hashes", Authors, 1025, 7, 11, "hash functions is 1025, allowed are 1 to 1024"},
		{"no buckets", Authors, 3, 0, 11, "buckets is 0, allowed are 1 to 2147483647"},
		{"buckets beyond int32", CarterWegman, 3, 1 << 31, 11, "buckets is 2147483648, allowed"},
		{"negative weights", CarterWegman, 3, 7, -1, "weight rows is -1, allowed are 1 to 2147483647, or 0"},
		{"weights beyond int32", Authors, 3, 7, 1 << 31, "weight rows is 2147483648, allowed"},
	} {
		_, err := NewFamily(test.variant, test.numHashes, test.numBuckets, test.numWeights, 1)
		filetest.WantError(t, err, test.want)
	}
}

func TestWeightRowPanicsWithoutTable(t *testing.T) {
	defer func() { filetest.True(t, recover() != nil, "WeightRow without weight table did not panic") }()
	mustFamily(t, CarterWegman, 3, 7, 0, 1).WeightRow(1)
}

func FuzzFamily(f *testing.F) {
	f.Add(false, uint16(3), int32(7), int32(11), int64(1), uint64(2576184360252415))
	f.Add(true, uint16(3), int32(10009), int32(10009), int64(-1), uint64(mersenne))
	f.Add(true, uint16(1), int32(math.MaxInt32), int32(1), int64(math.MinInt64), uint64(math.MaxUint64))
	f.Fuzz(func(t *testing.T, exact bool, numHashes uint16, numBuckets, numWeights int32, seed int64, key uint64) {
		variant := Authors
		if exact {
			variant = CarterWegman
		}
		family, err := NewFamily(variant, int(numHashes%32), int(numBuckets), int(numWeights), seed)
		valid := numHashes%32 > 0 && numBuckets > 0 && numWeights >= 0
		filetest.Want(t, err == nil, valid, "%v: the arguments are good", err)
		if err != nil || numWeights == 0 {
			return
		}
		checkAgainstBig(t, family, key)
		again := mustFamily(t, variant, int(numHashes%32), int(numBuckets), int(numWeights), seed)
		filetest.Want(t, again.Buckets(nil, key), family.Buckets(nil, key), "the buckets of the same arguments")
	})
}

func BenchmarkBuckets(b *testing.B) {
	for _, variant := range []Variant{Authors, CarterWegman} {
		for _, numBuckets := range []int{7, 109, 10009} {
			b.Run(fmt.Sprintf("%s/K=3/B=%d", variant, numBuckets), func(b *testing.B) {
				family := mustFamily(b, variant, 3, numBuckets, 0, 1)
				key := variant.Key("education_Bachelors")
				dst := make([]int32, 0, 3)
				b.ReportAllocs()
				for b.Loop() {
					dst = family.Buckets(dst[:0], key)
				}
				reportItems(b)
			})
		}
	}
}

func mustFamily(t testing.TB, v Variant, numHashes, numBuckets, numWeights int, seed int64) Family {
	t.Helper()
	family := filetest.Must(NewFamily(v, numHashes, numBuckets, numWeights, seed))(t)
	return family
}

// The signs of Quick are even, and a bucket tells nothing of its sign.
func TestSignsOfQuickAreEven(t *testing.T) {
	for _, numBuckets := range []int{7, 8} {
		checkSigns(t, numBuckets)
	}
}

// signed returns the buckets of a key's slots, and their signs as bits.
func signed(f Family, key uint64) (buckets []int32, signs uint64) {
	for k, slot := range f.Slots(nil, Term{key, exactMod(f.functions[0], key)}) {
		buckets = append(buckets, int32(slot&math.MaxInt32))
		signs |= uint64(slot>>31) << k
	}
	return buckets, signs
}

func checkSigns(t *testing.T, numBuckets int) {
	t.Helper()
	const items, most = 70_000, 8
	family := mustFamily(t, Quick, 3, numBuckets, 0, 1)
	var negative, all [3][most]int
	same := 0
	for i := range items {
		key := Quick.Key(strconv.Itoa(i))
		buckets, signs := signed(family, key)
		if !slices.Equal(buckets, family.Buckets(nil, key)) {
			t.Fatalf("key %d: signed buckets %v, and unsigned %v", key, buckets, family.Buckets(nil, key))
		}
		for k, b := range buckets {
			all[k][b]++
			negative[k][b] += int(signs >> k & 1)
		}
		same += int(signs&1 ^ signs>>1&1)
		if signs>>3 != 0 {
			t.Fatalf("key %d has signs %b of 3 functions", key, signs)
		}
	}
	deviation := func(n, of int) float64 { return (float64(n) - float64(of)/2) / math.Sqrt(float64(of)/4) }
	for k := range all {
		for b, n := range all[k][:numBuckets] {
			d := deviation(negative[k][b], n)
			filetest.Near(t, d, 0, 5, "%d buckets, function %d, bucket %d: deviations of the negative signs from half", numBuckets, k, b)
		}
	}
	filetest.Near(t, deviation(same, items), 0, 5, "deviations of the items at which two functions' signs differ from half")
}

// The other variants take the signs from the weight row.
func TestSignsAreTheWeightRow(t *testing.T) {
	family := mustFamily(t, CarterWegman, 3, 7, 8, 1)
	for i := range 100 {
		key := CarterWegman.Key(strconv.Itoa(i))
		buckets, signs := signed(family, key)
		filetest.Want(t, signs, uint64(family.WeightRow(key)), "the signs of key %d", key)
		filetest.Want(t, buckets, family.Buckets(nil, key), "the buckets of key %d", key)
	}
}
