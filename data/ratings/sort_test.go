package ratings

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gophe/phe/disk/filetest"
)

func TestSort(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, largest := range []int32{1, 2, 5000, 1 << 23, 2147483647} {
		const n = 3000
		r := &Ratings{Users: make([]int32, n), Movies: make([]int32, n), HalfStars: make([]uint8, n), Seconds: make([]int32, n)}
		for i := range n {
			r.Seconds[i], r.Users[i], r.Movies[i], r.HalfStars[i] = random.Int32N(largest), int32(i), -int32(i), uint8(i)
		}
		seconds, want := slices.Clone(r.Seconds), slices.Clone(r.Users)
		slices.SortStableFunc(want, func(a, b int32) int { return int(seconds[a]) - int(seconds[b]) })
		r.Sort()
		filetest.Want(t, slices.Equal(r.Users, want), "seconds below %d: not in order", largest)
		for i, row := range want {
			if r.Seconds[i] != seconds[row] || r.Movies[i] != -row || r.HalfStars[i] != uint8(row) {
				t.Fatalf("row %d of the file is torn apart", row)
			}
		}
	}
}
