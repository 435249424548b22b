package hash

import (
	"crypto/md5"
	"math/big"
	"math/rand/v2"
	"testing"

	"gophe/phe/disk/filetest"
)

// Keys of both variants. The first five of Authors are PROTOCOL's vectors; the rest, and all of CarterWegman, come from
// Python: int(hashlib.md5(token).hexdigest(), 16) % 10**16 and % (2**61 - 1).
var keyVectors = []struct {
	item         string
	authors      uint64
	carterWegman uint64
}{
	{"education_Bachelors", 2576184360252415, 615696185050231416},
	{"education_HS-grad", 8283244059678832, 34370118408408802},
	{"workclass_Private", 3185783668174617, 1895953251402610492},
	{"odor_NONE", 1470019144606654, 641591195933324766},
	{"poutcome_unknown", 6575408229945895, 930878810141718087},
	{"", 3822266799178366, 751098818652394202},
	{"-17", 9211540207576267, 2266052670090827504},
	{"naïve", 617306664377178, 564661859117017135},
	{"Country_日本", 5644339479506398, 1197738501624416859},
	{"😀_é", 6016871135068685, 1407301957814581008},
	{"\xff\xfe\x80", 8003657256919799, 2107919926547129654},
	{"a_\x80\x00\xff", 701872942404219, 968488872957098570},
}

func TestKeyVectors(t *testing.T) {
	for _, vector := range keyVectors {
		filetest.Want(t, Authors.Key(vector.item), vector.authors, "the key of %q by the authors", vector.item)
		filetest.Want(t, CarterWegman.Key(vector.item), vector.carterWegman, "the key of %q by Carter and Wegman", vector.item)
	}
}

// The sum of 61-bit digits has its carries where a digit is all ones; random numbers never go there.
func TestReduceMersenne(t *testing.T) {
	edges := []uint64{0, 1, 7, 8, 1<<58 - 1, 1 << 58, mersenne - 1, mersenne, mersenne + 1, 1<<62 - 1, 1 << 63, 1<<64 - 1}
	source := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		edges = append(edges, source.Uint64()>>source.IntN(64))
	}
	for _, hi := range edges {
		for _, lo := range edges[:32] {
			filetest.Want(t, reduceMersenne(hi, lo), bigMod(hi, lo, mersenne), "the remainder of %#x and %#x", hi, lo)
		}
	}
}

func TestValidate(t *testing.T) {
	for variant, valid := range map[Variant]bool{
		Authors: true, CarterWegman: true, "": false, "Authors": false, "carter_wegman": false,
	} {
		filetest.Want(t, variant.validate() == nil, valid, "%q is good", string(variant))
	}
}

func TestKeyPanicsOnUnknownVariant(t *testing.T) {
	defer func() { filetest.True(t, recover() != nil, "Key of an unknown variant did not panic") }()
	Variant("md5").Key("odor_NONE")
}

func FuzzKey(f *testing.F) {
	for _, vector := range keyVectors {
		f.Add(vector.item)
	}
	f.Fuzz(func(t *testing.T, item string) {
		digest := md5.Sum([]byte(item))
		number := new(big.Int).SetBytes(digest[:])
		for variant, modulus := range map[Variant]int64{Authors: authorsKeys, CarterWegman: mersenne} {
			want := new(big.Int).Mod(number, big.NewInt(modulus)).Uint64()
			filetest.Want(t, variant.Key(item), want, "%s: the key of %q", variant, item)
			filetest.Want(t, variant.Key(item), want, "%s: the key of %q once more", variant, item)
		}
	})
}

func BenchmarkKey(b *testing.B) {
	const item = "education_Bachelors"
	for _, variant := range []Variant{Authors, CarterWegman} {
		b.Run(string(variant), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				variant.Key(item)
			}
			reportItems(b)
		})
	}
}

// reportItems adds the throughput of a benchmark whose operation handles one item.
func reportItems(b *testing.B) {
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "items/s")
}

// bigMod is (hi·2⁶⁴ + lo) mod modulus by math/big.
func bigMod(hi, lo, modulus uint64) uint64 {
	number := new(big.Int).Lsh(new(big.Int).SetUint64(hi), 64)
	number.Add(number, new(big.Int).SetUint64(lo))
	return number.Mod(number, new(big.Int).SetUint64(modulus)).Uint64()
}
