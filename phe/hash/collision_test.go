package hash

import (
	"fmt"
	"math"
	"testing"

	"gophe/phe/disk/filetest"
)

// Two items meet in one function with probability 1/B, in all K with 1/B^K (paper, Section 3.2), and independently of
// that share the weight row with 1/P. Each trial draws a family of its own, so that the number of collisions is
// binomial; the tolerance is 4 standard errors, which a correct family exceeds once in 16,000 seeds, and the seeds are
// fixed. The exact probabilities differ from these by less than B/p < 10⁻¹⁶.
func TestCollisionRates(t *testing.T) {
	const trials = 200_000
	for _, test := range []struct {
		numHashes, numBuckets, numWeights int
		pair                              func(trial int) (x, y uint64)
	}{
		{3, 7, 11, freshItems}, {3, 7, 11, neighbours}, {2, 5, 3, freshItems}, {2, 109, 109, freshItems}, {2, 40, 2, neighbours},
	} {
		single, whole, weight, both := make([]int, test.numHashes), 0, 0, 0
		for trial := range trials {
			family := mustFamily(t, CarterWegman, test.numHashes, test.numBuckets, test.numWeights, int64(trial))
			x, y := test.pair(trial)
			equal := 0
			of, other := family.Buckets(nil, x), family.Buckets(nil, y)
			for k := range of {
				if of[k] == other[k] {
					single[k]++
					equal++
				}
			}
			sameRow := family.WeightRow(x) == family.WeightRow(y)
			whole += count(equal == test.numHashes)
			weight += count(sameRow)
			both += count(sameRow && of[0] == other[0])
		}
		perBucket, perRow := 1/float64(test.numBuckets), 1/float64(test.numWeights)
		name := fmt.Sprintf("K %d, B %d, P %d: ", test.numHashes, test.numBuckets, test.numWeights)
		for k := range single {
			checkRate(t, fmt.Sprint(name, "function ", k+1), single[k], trials, perBucket)
		}
		checkRate(t, name+"all functions", whole, trials, math.Pow(perBucket, float64(test.numHashes)))
		checkRate(t, name+"weight row", weight, trials, perRow)
		checkRate(t, name+"weight row and first function", both, trials, perRow*perBucket)
	}
}

// freshItems is a new pair of items in each trial.
func freshItems(trial int) (x, y uint64) {
	return CarterWegman.Key(fmt.Sprint("item_", 2*trial)), CarterWegman.Key(fmt.Sprint("item_", 2*trial+1))
}

// neighbours is always the same pair of adjacent keys: universality is about the family, for any pair.
func neighbours(int) (x, y uint64) { return 1000, 1001 }

func count(happened bool) int {
	if happened {
		return 1
	}
	return 0
}

func checkRate(t *testing.T, name string, hits, trials int, want float64) {
	t.Helper()
	rate := float64(hits) / float64(trials)
	standardError := math.Sqrt(want * (1 - want) / float64(trials))
	filetest.Near(t, rate, want, 4*standardError, "%s: collision rate", name)
}
