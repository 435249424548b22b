package task

import (
	"testing"

	"gophe/data/ratings"
	"gophe/phe/disk/filetest"
)

// Two films by hand, and four users. Rows 1, 5 and 11 are held out. Users are counted once, also in the initial phase and within a day, and
// not where all their ratings are held out.
func TestColdnessByHand(t *testing.T) {
	const day = 24 * 60 * 60
	r := &ratings.Ratings{UserIDs: []int32{7, 8, 9, 6}, MovieIDs: []int32{3, 4}, HalfStars: make([]uint8, 12),
		Users:   []int32{0, 0, 1 /* day 5 */, 0, 0, 0, 1 /* day 6 */, 0, 0, 2, 2, 3},
		Movies:  []int32{0, 1, 0 /* day 5 */, 1, 0, 1, 1 /* day 6 */, 1, 0, 0, 0, 0},
		Seconds: []int32{day, day, 2 * day, 5 * day, 5*day + 1, 5*day + 1, 5*day + 2, 6 * day, 6 * day, 6 * day, 6 * day, 6 * day}}
	s := &ratings.Stream{Ratings: r, Initial: []int32{2, 0}, Steps: [][]int32{{4, 6, 3}, {8, 10, 9, 7}}}
	cold, seen := noveltyOf(s)
	filetest.Want(t, seen, []int{2, 3}, "users seen")
	for row, want := range map[int][4]int{
		3: {1, 0, 1, 0}, // user 0 was there once; film 1's only rating is held out
		4: {2, 2, 1, 2}, // row 3 came before on this day; of film 0 rows 0 and 2
		6: {1, 1, 1, 0}, // after row 3, and without row 5, of film 1
		7: {2, 2, 2, 2}, // rows 0, 3 and 4 of user 0; 3 and 6 of film 1
		8: {2, 2, 2, 2}, // row 7 of the same second; 0, 2 and 4 of film 0
	} {
		got := [4]int{cold[row].cell(0), cold[row].cell(1), cold[row].cell(2), cold[row].cell(3)}
		filetest.Want(t, got, want, "the cells of row %d", row)
	}
}
