package ratings

import (
	"slices"
	"testing"
)

func TestFrame(t *testing.T) {
	r := &Ratings{UserIDs: []int32{11, 12}, MovieIDs: []int32{21, 22}, Users: []int32{0, 1}, Movies: []int32{1, 0},
		HalfStars: []uint8{10, 1}, Seconds: []int32{0, 86_400 + 3_661}}
	want := [][]string{{"userId", "movieId", "rating", "time"},
		{"11", "22", "5.000000", "1970-01-01 00:00:00"}, {"12", "21", "0.500000", "1970-01-02 01:01:01"}}
	if got := r.Frame(0, 2).Records(); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v, want %v", got, want)
	}
}
