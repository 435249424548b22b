package ratings

import (
	"slices"
	"testing"
	"time"

	"gophe/data/cuts"
	"gophe/phe/disk/filetest"
)

func date(year, month, day int) time.Time {
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
}

// TestDailyRatings works out a small stream.
func TestDailyRatings(t *testing.T) {
	const day = secondsPerDay
	r := &Ratings{Seconds: []int32{5, day - 1, // left out
		day, day, day + 1, 2*day - 1, 2 * day, 3*day - 1, // initial
		3 * day, 3 * day, 3*day + 7, 4*day - 1, 4*day - 1, // five on day 3
		4 * day,                        // alone on its day: no step
		9 * day, 9*day + 1, 10*day - 1, // three on day 9
	}}
	r.HalfStars = make([]uint8, len(r.Seconds))
	stream := filetest.Must(r.Daily(date(1970, 1, 2), date(1970, 1, 4)))(t)
	random := cuts.NewRandomState()
	initial := cuts.Shuffled(random, []int32{2, 3, 4, 5, 6, 7})[:4]
	third := cuts.Shuffled(random, []int32{8, 9, 10, 11, 12})[:4]
	ninth := cuts.Shuffled(random, []int32{14, 15, 16})[:2]
	if stream.Ratings != r || !slices.Equal(stream.Initial, initial) || !slices.Equal(stream.Days, []int{3, 9}) {
		t.Errorf("initial %v, want %v; days %v", stream.Initial, initial, stream.Days)
	}
	if len(stream.Steps) != 2 || !slices.Equal(stream.Steps[0], third) || !slices.Equal(stream.Steps[1], ninth) {
		t.Fatalf("steps %v, want %v and %v", stream.Steps, third, ninth)
	}
	_ = append(stream.Steps[0], -1)
	filetest.Want(t, slices.Equal(stream.Steps[1], ninth), "appending to a step alters the next")

	evening, err := r.Daily(time.Date(1970, 1, 2, 1, 30, 0, 0, time.FixedZone("", -3600)), date(1970, 1, 4).Add(23*time.Hour)) // of the same UTC days
	if err != nil || !slices.Equal(evening.Initial, initial) || len(evening.Steps) != 2 {
		t.Errorf("%+v, %v", evening, err)
	}
	for _, c := range []struct {
		from, first time.Time
		want        string
	}{
		{date(1970, 1, 4), date(1970, 1, 4), "from 1970-01-04, with steps from 1970-01-04: 0 of 17 ratings are initial data and 2 days follow"},
		{date(1970, 1, 4), date(1970, 1, 1), "0 of 17"},
		{date(1996, 1, 1), date(2000, 1, 1), "0 of 17 ratings are initial data and 0 days follow"},
		{date(1970, 1, 2), date(1970, 1, 11), "12 of 17 ratings are initial data and 0 days"},
	} {
		_, err := r.Daily(c.from, c.first)
		filetest.WantError(t, err, c.want, "choose other days (the authors': 1996-01-01 and 2000-01-01)")
	}
}

func TestDailyRatingsProtocol(t *testing.T) {
	for name, want := range map[string][4]int{"ml-latest-small": {8721, 2838, 69965, 10957}, "movielens-50k": {4368, 1379, 33272, 10959}} {
		t.Run(name, func(t *testing.T) {
			r := loadedRatings(t, name)
			stream := filetest.Must(r.Daily(date(1996, 1, 1), date(2000, 1, 1)))(t)
			if len(stream.Initial) != want[0] || len(stream.Steps) != want[1] || len(slices.Concat(stream.Steps...)) != want[2] || stream.Days[0] != want[3] {
				t.Errorf("%d initial ratings, then %d in %d steps, the first of day %d", len(stream.Initial), len(slices.Concat(stream.Steps...)), len(stream.Steps), stream.Days[0])
			}
			seen := make([]bool, r.NumRows())
			check := func(rows []int32, from, to int) {
				for _, row := range rows {
					if day := r.Day(int(row)); seen[row] || day < from || day > to {
						t.Fatalf("days %d to %d: rating %d of day %d, seen before: %v", from, to, row, day, seen[row])
					}
					seen[row] = true
				}
			}
			check(stream.Initial, 9496, 10956)
			counts := make(map[int]int)
			for row := range r.NumRows() {
				counts[r.Day(row)]++
			}
			for i, step := range stream.Steps {
				check(step, stream.Days[i], stream.Days[i])
				filetest.Want(t, len(step) == counts[stream.Days[i]]*8/10,
					"%d of day %d's %d ratings", len(step), stream.Days[i], counts[stream.Days[i]])
			}
		})
	}
}
