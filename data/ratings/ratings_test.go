package ratings

import (
	"archive/zip"
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gophe/data/datatest"
	"gophe/data/files"
	"gophe/data/splits"
	"gophe/phe/disk/filetest"
)

// loadedRatings returns MovieLens' ratings. It skips the test without them, since the checkout lacks them.
func loadedRatings(t testing.TB, name string) *Ratings {
	t.Helper()
	if _, _, err := find(name); err != nil {
		t.Skipf("%s is not here, since its terms keep it out of the checkout; set %s to its folder to test with it", name,
			files.PathVariable)
	}
	return filetest.Must(Load(name, files.Options{}))(t)
}

const toyFilms = "movieId,title,genres\n7,\"Seven, the film\",Drama|War\n5,Five,Comedy\n9,Nine,(no genres listed)\n"

// toyFolder makes a folder with ratings under the name of ml-latest-small, and PHE_DATA names it.
func toyFolder(t *testing.T, ratings string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	t.Setenv(files.PathVariable, folder)
	datatest.Write(t, filepath.Join(folder, "ml-latest-small-ratings.csv"), ratings)
	datatest.Write(t, filepath.Join(folder, "ml-latest-small-movies.csv"), toyFilms)
	return folder
}

func zipped(t testing.TB, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err == nil {
			_, err = f.Write([]byte(files[i+1]))
		}
		filetest.Check(t, err)
	}
	filetest.Check(t, w.Close())
	return b.String()
}

// checkRatings checks order and numbering.
func checkRatings(t *testing.T, r *Ratings) {
	t.Helper()
	n := r.NumRows()
	filetest.Want(t, [4]int{len(r.Users), len(r.Movies), len(r.Seconds), len(r.Genres)}, [4]int{n, n, n, len(r.MovieIDs)}, "lengths")
	filetest.True(t, slices.IsSorted(r.Seconds), "ratings out of the order of time")
	users, films := int32(0), int32(0)
	for row := range n {
		if r.Users[row] > users || r.Movies[row] > films {
			t.Fatalf("rating %d is of user %d and film %d, after %d and %d", row, r.Users[row], r.Movies[row], users, films)
		}
		users, films = max(users, r.Users[row]+1), max(films, r.Movies[row]+1)
	}
	filetest.Want(t, [2]int32{users, films}, [2]int32{int32(len(r.UserIDs)), int32(len(r.MovieIDs))}, "users and films")
	filetest.True(t, !slices.Contains(r.Genres, 0), "a film without a genre")
}

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
	random := splits.NewRandomState()
	initial := splits.Shuffled(random, []int32{2, 3, 4, 5, 6, 7})[:4]
	third := splits.Shuffled(random, []int32{8, 9, 10, 11, 12})[:4]
	ninth := splits.Shuffled(random, []int32{14, 15, 16})[:2]
	filetest.Want(t, stream, &Stream{Ratings: r, Initial: initial, Steps: [][]int32{third, ninth}, Days: []int{3, 9}}, "stream")
	_ = append(stream.Steps[0], -1)
	filetest.True(t, slices.Equal(stream.Steps[1], ninth), "appending to a step alters the next")

	early := time.Date(1970, 1, 2, 1, 30, 0, 0, time.FixedZone("", -3600)) // of the same UTC days
	evening := filetest.Must(r.Daily(early, date(1970, 1, 4).Add(23*time.Hour)))(t)
	filetest.Want(t, evening.Initial, initial, "initial ratings from another hour on")
	filetest.Want(t, len(evening.Steps), 2, "steps from another hour on")
	for _, c := range []struct {
		from, first time.Time
		want        string
	}{
		{date(1970, 1, 4), date(1970, 1, 4),
			"from 1970-01-04, with steps from 1970-01-04: 0 of 17 ratings are initial data and 2 days follow"},
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
			sizes := [4]int{len(stream.Initial), len(stream.Steps), len(slices.Concat(stream.Steps...)), stream.Days[0]}
			filetest.Want(t, sizes, want, "initial ratings, steps, ratings in them and the first day")
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
				filetest.Want(t, len(step), counts[stream.Days[i]]*8/10, "ratings of day %d", stream.Days[i])
			}
		})
	}
}

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
		filetest.True(t, slices.Equal(r.Users, want), "seconds below %d: not in order", largest)
		for i, row := range want {
			if r.Seconds[i] != seconds[row] || r.Movies[i] != -row || r.HalfStars[i] != uint8(row) {
				t.Fatalf("row %d of the file is torn apart", row)
			}
		}
	}
}

func TestVerdicts(t *testing.T) {
	toyFolder(t, "userId,movieId,rating,timestamp\n1,7,4.0,20\n2,5,3.5,10\n1,9,5.0,30\n")
	r := filetest.Must(Load("ml-latest-small", files.Options{AllowAltered: true}))(t)
	table := r.Verdicts("ml-4")
	want := map[string][]string{"userId": {"2", "1", "1"}, "movieId": {"5", "7", "9"}, "genres": {"Comedy", "Drama|War",
		"(no genres listed)"}, "year": {"?", "?", "?"}}
	filetest.Want(t, table.Labels, []int32{0, 1, 1}, "labels")
	filetest.Want(t, table.Categorical[table.Incremental].Name, "movieId", "incremental column")
	filetest.Want(t, table.Verified, false, "verified")
	for _, c := range table.Categorical {
		filetest.Want(t, c.Values, want[c.Name], "%s", c.Name)
	}
}
