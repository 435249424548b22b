package task

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gophe/data/ratings"
	"gophe/data/ratings/synth"
	"gophe/phe/disk/filetest"
)

// slowColdness counts, for each rating of the days, those shown before it, one by one: by the same user or of the same film,
// earlier in time, and of earlier days.
func slowColdness(s *ratings.Stream) map[int32][4]int {
	r := s.Ratings
	shown := slices.Concat(append([][]int32{s.Initial}, s.Steps...)...)
	slices.SortFunc(shown, func(a, b int32) int {
		if d := int(r.Seconds[a]) - int(r.Seconds[b]); d != 0 {
			return d
		}
		return int(a - b) // of the same second: in the order of the file
	})
	cell := func(before int) int {
		for i, least := range []int{1, 2, 5, 10} {
			if before < least {
				return i
			}
		}
		return 4
	}
	cold := map[int32][4]int{}
	for at, row := range shown {
		var before [4]int
		for _, other := range shown[:at] {
			earlier := time.Unix(int64(r.Seconds[other]), 0).UTC().Format(time.DateOnly) < time.Unix(int64(r.Seconds[row]), 0).UTC().Format(time.DateOnly)
			for way, counts := range []bool{r.Users[other] == r.Users[row], r.Movies[other] == r.Movies[row],
				earlier && r.Users[other] == r.Users[row], earlier && r.Movies[other] == r.Movies[row]} {
				if counts {
					before[way]++
				}
			}
		}
		cold[row] = [4]int{cell(before[0]), cell(before[1]), cell(before[2]), cell(before[3])}
	}
	return cold
}

// checkColdness compares with the slow count, and returns the number of the days' ratings in each cell of each way.
func checkColdness(t *testing.T, name string, s *ratings.Stream) (cells [4][5]int) {
	t.Helper()
	cold, _ := noveltyOf(s)
	want := slowColdness(s)
	for _, step := range s.Steps {
		for _, row := range step {
			got := [4]int{cold[row].cell(0), cold[row].cell(1), cold[row].cell(2), cold[row].cell(3)}
			if got != want[row] {
				t.Fatalf("%s: rating %d, user %d, film %d: cells %v, want %v", name, row, s.Ratings.Users[row], s.Ratings.Movies[row], got, want[row])
			}
			for way, cell := range got {
				cells[way][cell]++
			}
		}
	}
	return cells
}

// Against a count that takes its time, on generated ratings and on the same in a tenth of the days, and a hundredth: then
// many users share a day, ratings share their second, and users come back.
func TestColdness(t *testing.T) {
	if fmt.Sprint(coldNames) != "[user first film first user learned film learned]" {
		t.Fatalf("the test knows other ways than %q", coldNames)
	}
	var met [4][5]int
	first := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, slower := range []int32{1, 10, 100} {
		r := filetest.Must(synth.Generate(synth.Shape{Ratings: 1500, Users: 50, Films: 200}, 1))(t)
		all := &ratings.Stream{Ratings: r} // as if nothing were held out: another count
		for i, second := range r.Seconds {
			if after := second - int32(first.Unix()); after > 0 {
				r.Seconds[i] = int32(first.Unix()) + after/slower
			} else if after < 0 {
				all.Initial = append(all.Initial, int32(i))
			}
		}
		stream := filetest.Must(r.Daily(time.Date(1996, 1, 1, 0, 0, 0, 0, time.UTC), first))(t)
		for way, cells := range checkColdness(t, fmt.Sprintf("days 1/%d", slower), stream) {
			for i, n := range cells {
				met[way][i] += n
			}
		}
		all.Steps = stream.Steps
		cold, _ := noveltyOf(all)
		if held, _ := noveltyOf(stream); slices.Equal(cold, held) {
			t.Errorf("days 1/%d: it does not matter whether ratings are held out; the test meant to see that", slower)
		}
	}
	for way, cells := range met {
		if slices.Contains(cells[:], 0) {
			t.Errorf("%s: cells %v; the test meant to see all", coldNames[way], cells)
		}
	}
}

// Two users and two films, by hand. Rows 1 and 5 are held out.
func TestColdnessByHand(t *testing.T) {
	const day = 24 * 60 * 60
	r := &ratings.Ratings{UserIDs: []int32{7, 8}, MovieIDs: []int32{3, 4},
		Users:   []int32{0, 0, 1 /* day 5 */, 0, 0, 0, 1 /* day 6 */, 0, 0},
		Movies:  []int32{0, 1, 0 /* day 5 */, 1, 0, 1, 1 /* day 6 */, 1, 0},
		Seconds: []int32{day, day, 2 * day, 5 * day, 5*day + 1, 5*day + 1, 5*day + 2, 6 * day, 6 * day}, HalfStars: make([]uint8, 9)}
	s := &ratings.Stream{Ratings: r, Initial: []int32{2, 0}, Steps: [][]int32{{4, 6, 3}, {8, 7}}}
	checkColdness(t, "by hand", s)
	cold, _ := noveltyOf(s)
	for row, want := range map[int][4]int{
		3: {1, 0, 1, 0}, // user 0 was there once; film 1's only rating is held out
		4: {2, 2, 1, 2}, // row 3 came before on this day; of film 0 rows 0 and 2
		6: {1, 1, 1, 0}, // after row 3, and without row 5, of film 1
		7: {2, 2, 2, 2}, // rows 0, 3 and 4 of user 0; 3 and 6 of film 1
		8: {2, 2, 2, 2}, // row 7 of the same second; 0, 2 and 4 of film 0
	} {
		if got := [4]int{cold[row].cell(0), cold[row].cell(1), cold[row].cell(2), cold[row].cell(3)}; got != want {
			t.Errorf("row %d: cells %v, want %v", row, got, want)
		}
	}
}

// Cells match the result file's words: none, 1, 2 to 4, 5 to 9, more.
func TestColdCell(t *testing.T) {
	for before, want := range map[uint32]coldness{0: 0, 1: 1, 2: 2, 4: 2, 5: 3, 9: 3, 10: 4, 1 << 30: 4} {
		if got := coldCell(before); got != want || got >= coldCells {
			t.Errorf("%d ratings before are cell %d, want %d", before, got, want)
		}
	}
}
