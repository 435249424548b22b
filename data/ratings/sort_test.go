package ratings

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestByDigits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, largest := range []int32{1, 2, 5000, 1 << 23, 2147483647} {
		keys := make([]int32, 3000)
		order := make([]int32, len(keys))
		for i := range keys {
			keys[i], order[i] = random.Int32N(largest), int32(i)
		}
		want := slices.Clone(order)
		slices.SortStableFunc(want, func(a, b int32) int { return int(keys[a]) - int(keys[b]) })
		if got, _ := byDigits(keys, order, make([]int32, len(keys))); !slices.Equal(got, want) {
			t.Errorf("keys below %d: not in order", largest)
		}
	}
}
