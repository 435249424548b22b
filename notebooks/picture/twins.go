package picture

import (
	"fmt"
	"math"

	"gophe/notebooks/show"
	"gophe/phe/hash"
)

// rowsOf returns the rows of an item as a text that can be compared.
func rowsOf(f hash.Family, item string) string {
	return fmt.Sprint(f.Buckets(nil, hash.CarterWegman.Key(item)))
}

// family returns hash functions of a seed.
func family(buckets, hashes, seed int) hash.Family {
	return show.Must(hash.NewFamily(hash.CarterWegman, hashes, buckets, 0, int64(seed)))
}

// meanTwins returns the number of items that share all their rows with another one: the mean over the given number of hash families.
func meanTwins(items []string, buckets, hashes, families int) float64 {
	total := 0
	for seed := range families {
		f, count := family(buckets, hashes, seed), map[string]int{}
		for _, item := range items {
			count[rowsOf(f, item)]++
		}
		for _, n := range count {
			if n > 1 {
				total += n
			}
		}
	}
	return float64(total) / float64(families)
}

// expectedTwins returns the expected number of n items that share their cell with another item, if all cells are as likely:
// n·(1 − (1 − 1/cells)ⁿ⁻¹).
func expectedTwins(n, cells float64) float64 { return n * -math.Expm1((n-1)*math.Log1p(-1/cells)) }

// Pairs returns the number of pairs among n things for which same returns equal texts.
func Pairs(n int, same func(i int) string) float64 {
	count, pairs := map[string]float64{}, 0.0
	for i := range n {
		key := same(i)
		pairs += count[key]
		count[key]++
	}
	return pairs
}
