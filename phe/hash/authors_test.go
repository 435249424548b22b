package hash

import (
	"testing"

	"gophe/phe/disk/filetest"
)

func TestAuthorsPrimes(t *testing.T) {
	for numBuckets, want := range map[uint32]uint64{ // PROTOCOL, section 0
		5: 822569791, 7: 822569791, 10: 822569791, 14: 822569791, 40: 822569819, 60: 822569857, 80: 822569857,
		109: 822569929, 218: 822570013, 10009: 822579811, 20018: 822589799,
	} {
		got, _ := authorsConstants(1, numBuckets)
		filetest.Want(t, got, want, "the prime for %d buckets", numBuckets)
	}
}

// The first five pairs are PROTOCOL's; the rest numpy 2's, by the rule in the comment of authorsConstants.
func TestAuthorsConstants(t *testing.T) {
	want := []linear{
		{524453159, 291363893}, {806284493, 481516916}, {151863961, 91740153}, {128745104, 475323057},
		{97034520, 646980841}, {113663131, 222789291}, {279872671, 682106748}, {540876571, 498808182}, {463071675, 55437432},
	}
	for _, numBuckets := range []uint32{1, 7, 109, 10009, 20018} {
		_, got := authorsConstants(len(want), numBuckets)
		filetest.Want(t, got, want, "the constants for %d buckets", numBuckets)
	}
	// Above 30 million buckets b₆ = 852631582 is no longer rejected, and the stream shifts; numpy says so too.
	prime, shifted := authorsConstants(6, 31_000_000)
	filetest.Want(t, prime, 853569781, "the prime for 31 million buckets")
	filetest.Want(t, shifted[5], linear{113663131, 852631582}, "a₆ and b₆ for 31 million buckets")
}

// The first five rows are PROTOCOL's vectors; the others were computed by Python's integers and numpy's constants.
func TestAuthorsVectors(t *testing.T) {
	for _, vector := range []struct {
		item               string
		key                uint64
		adult, adultWeight []int32 // B = 7, P = 11
		large, largeWeight []int32 // B = 109, P = 109
	}{
		{"education_Bachelors", 2576184360252415, []int32{0, 4, 1}, []int32{0}, []int32{41, 26, 96}, []int32{33}},
		{"education_HS-grad", 8283244059678832, []int32{2, 2, 6}, []int32{2}, []int32{40, 19, 104}, []int32{77}},
		{"workclass_Private", 3185783668174617, []int32{5, 6, 1}, []int32{4}, []int32{58, 90, 84}, []int32{46}},
		{"odor_NONE", 1470019144606654, []int32{5, 2, 4}, []int32{4}, []int32{36, 93, 64}, []int32{27}},
		{"poutcome_unknown", 6575408229945895, []int32{3, 2, 1}, []int32{10}, []int32{108, 48, 32}, []int32{67}},
		{"-17", 9211540207576267, []int32{2, 1, 1}, []int32{0}, []int32{8, 86, 89}, []int32{10}},
		{"naïve", 617306664377178, []int32{5, 0, 1}, []int32{6}, []int32{50, 37, 46}, []int32{66}},
		{"Country_日本", 5644339479506398, []int32{1, 5, 0}, []int32{0}, []int32{45, 96, 29}, []int32{93}},
		{"\xff\xfe\x80", 8003657256919799, []int32{5, 1, 6}, []int32{2}, []int32{5, 84, 64}, []int32{1}},
		{"a_\x80\x00\xff", 701872942404219, []int32{2, 5, 5}, []int32{3}, []int32{51, 38, 104}, []int32{79}},
	} {
		filetest.Want(t, Authors.Key(vector.item), vector.key, "the key of %q", vector.item)
		checkRows(t, mustFamily(t, Authors, 3, 7, 11, 99), vector.item, vector.adult, vector.adultWeight[0])
		checkRows(t, mustFamily(t, Authors, 3, 109, 109, 0), vector.item, vector.large, vector.largeWeight[0])
	}
}
