package synth

import (
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"gophe/data/datatest"
	"gophe/data/files"
	"gophe/data/ratings"
	"gophe/phe/disk/filetest"
)

// generatedSmall returns generated ratings of ml-latest-small's size.
func generatedSmall(t testing.TB) *ratings.Ratings {
	t.Helper()
	return filetest.Must(Generate(MovieLens32M().Scaled(100836./32000204), 1))(t)
}

// countsPer returns the number of a column's rows with each of n numbers.
func countsPer(column []int32, n int) []float64 {
	counts := make([]float64, n)
	for _, v := range column {
		counts[v]++
	}
	return counts
}

// quantile returns the value above a fraction p of the values.
func quantile(values []float64, p float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(p*float64(len(sorted))), len(sorted)-1)]
}

// share returns the fraction of the values that has a property.
func share(values []float64, has func(float64) bool) float64 {
	n := 0
	for _, v := range values {
		if has(v) {
			n++
		}
	}
	return float64(n) / float64(len(values))
}

// starsOf returns all ratings, and the means of users and films with at least 20 ratings.
func starsOf(r *ratings.Ratings) (all, users, films []float64) {
	means := func(column []int32, n int) (means []float64) {
		sums := make([]float64, n)
		for i, v := range column {
			sums[v] += float64(r.HalfStars[i]) / 2
		}
		for v, count := range countsPer(column, n) {
			if count >= 20 {
				means = append(means, sums[v]/count)
			}
		}
		return means
	}
	for _, h := range r.HalfStars {
		all = append(all, float64(h)/2)
	}
	return all, means(r.Users, len(r.UserIDs)), means(r.Movies, len(r.MovieIDs))
}

// yearsOf returns the fraction of the ratings in the years from first to last.
func yearsOf(r *ratings.Ratings, first, last int) float64 {
	n := 0
	for _, s := range r.Seconds {
		if year := time.Unix(int64(s), 0).UTC().Year(); first <= year && year <= last {
			n++
		}
	}
	return float64(n) / float64(r.NumRows())
}

// spansOf returns the days between each user's first rating and last.
func spansOf(r *ratings.Ratings) []float64 {
	first, last := make([]int32, len(r.UserIDs)), make([]int32, len(r.UserIDs))
	for i, user := range r.Users {
		if first[user] == 0 {
			first[user] = r.Seconds[i]
		}
		last[user] = r.Seconds[i]
	}
	spans := make([]float64, len(first))
	for i := range spans {
		spans[i] = float64(last[i]-first[i]) / secondsPerDay
	}
	return spans
}

// soonOf returns the fraction of the ratings that were given within some days of the first rating by the same user or of the same film.
func soonOf(r *ratings.Ratings, column []int32, days float64) float64 {
	first, n := make(map[int32]int32), 0
	for i, v := range column {
		if _, known := first[v]; !known {
			first[v] = r.Seconds[i]
		}
		if float64(r.Seconds[i]-first[v]) < days*secondsPerDay {
			n++
		}
	}
	return float64(n) / float64(r.NumRows())
}

// perDayOf returns the number of ratings on each day that has ratings.
func perDayOf(r *ratings.Ratings) []float64 {
	days := make(map[int]float64)
	for i := range r.Seconds {
		days[r.Day(i)]++
	}
	var counts []float64
	for _, n := range days {
		counts = append(counts, n)
	}
	return counts
}

// topOf returns the fraction of the ratings that the most rated fraction of the films has.
func topOf(r *ratings.Ratings, part float64) float64 {
	counts := countsPer(r.Movies, len(r.MovieIDs))
	slices.Sort(counts)
	slices.Reverse(counts)
	sum := 0.0
	for _, n := range counts[:int(part*float64(len(counts)))] {
		sum += n
	}
	return sum / float64(r.NumRows())
}

// gapsOf returns the seconds between a user's ratings, without gaps above 2 hours.
func gapsOf(r *ratings.Ratings) []float64 {
	last := make([]int32, len(r.UserIDs))
	var gaps []float64
	for i, user := range r.Users {
		if gap := r.Seconds[i] - last[user]; gap <= 7200 {
			gaps = append(gaps, float64(gap))
		}
		last[user] = r.Seconds[i]
	}
	return gaps
}

// halvesOf returns the fraction of the ratings from first to last that has half a star.
func halvesOf(r *ratings.Ratings, from, to string) float64 {
	first, _ := time.Parse(time.DateOnly, from)
	last, _ := time.Parse(time.DateOnly, to)
	n, all := 0., 0.
	for i, h := range r.HalfStars {
		if at := int64(r.Seconds[i]); first.Unix() <= at && at < last.Unix() {
			all++
			n += float64(h % 2)
		}
	}
	return n / all
}

// spanAbove returns a function that returns the share of users who rate for more than some days.
func spanAbove(days float64) func(r *ratings.Ratings) float64 {
	return func(r *ratings.Ratings) float64 { return share(spansOf(r), func(d float64) bool { return d > days }) }
}

// ratingMeasures is what makes a rating stream look like MovieLens', measured on ml-latest-small, whose period ends five
// years earlier. The tolerance is for a generated stream of the same size: users are 600 only, and few give a third
// of all ratings.
var ratingMeasures = []struct {
	name             string
	small, tolerance float64
	of               func(r *ratings.Ratings) float64
}{
	{"ratings a user, least", 20, 0, func(r *ratings.Ratings) float64 { return slices.Min(countsPer(r.Users, len(r.UserIDs))) }},
	{"ratings a user, median", 71, 8, func(r *ratings.Ratings) float64 { return quantile(countsPer(r.Users, len(r.UserIDs)), 0.5) }},
	{"ratings a user, mean", 165.3, 8, func(r *ratings.Ratings) float64 { return float64(r.NumRows()) / float64(len(r.UserIDs)) }},
	{"ratings a user, 9 in 10 below", 403, 80, func(r *ratings.Ratings) float64 {
		return quantile(countsPer(r.Users, len(r.UserIDs)), 0.9)
	}},
	{"users who rate for more than a day", 0.407, 0.06, spanAbove(1)},
	{"users who rate for more than a month", 0.267, 0.06, spanAbove(30)},
	{"users who rate for more than a year", 0.141, 0.04, spanAbove(365)},
	{"ratings in a user's first 24 hours", 0.607, 0.08, func(r *ratings.Ratings) float64 { return soonOf(r, r.Users, 1) }},
	{"seconds between ratings, median", 9, 1, func(r *ratings.Ratings) float64 { return quantile(gapsOf(r), 0.5) }},
	{"seconds between ratings, 9 in 10 below", 69, 10, func(r *ratings.Ratings) float64 { return quantile(gapsOf(r), 0.9) }},
	{"ratings of 1996 to 2000", 0.208, 0.09, func(r *ratings.Ratings) float64 { return yearsOf(r, 1996, 2000) }},
	{"ratings of 2001 to 2008", 0.357, 0.09, func(r *ratings.Ratings) float64 { return yearsOf(r, 2001, 2008) }},
	{"ratings of 2009 to 2014", 0.1578, 0.09, func(r *ratings.Ratings) float64 { return yearsOf(r, 2009, 2014) }},
	{"ratings a day with any, median", 3, 3, func(r *ratings.Ratings) float64 { return quantile(perDayOf(r), 0.5) }},
	{"days with ratings", 4110, 1500, func(r *ratings.Ratings) float64 { return float64(len(perDayOf(r))) }},
	{"films", 9724, 400, func(r *ratings.Ratings) float64 { return float64(len(r.MovieIDs)) }},
	{"films of fewer than 10 ratings", 0.767, 0.05, func(r *ratings.Ratings) float64 {
		return share(countsPer(r.Movies, len(r.MovieIDs)), func(n float64) bool { return n < 10 })
	}},
	{"films of 1 rating", 0.354, 0.08, func(r *ratings.Ratings) float64 {
		return share(countsPer(r.Movies, len(r.MovieIDs)), func(n float64) bool { return n == 1 })
	}},
	{"ratings of the most rated 1 % of films", 0.157, 0.03, func(r *ratings.Ratings) float64 { return topOf(r, 0.01) }},
	{"ratings of the most rated 10 % of films", 0.600, 0.04, func(r *ratings.Ratings) float64 { return topOf(r, 0.1) }},
	{"users of the most rated film", 0.539, 0.1, func(r *ratings.Ratings) float64 {
		return slices.Max(countsPer(r.Movies, len(r.MovieIDs))) / float64(len(r.UserIDs))
	}},
	{"ratings in a film's first 3 years", 0.406, 0.1, func(r *ratings.Ratings) float64 { return soonOf(r, r.Movies, 3*365) }},
	{"stars, mean", 3.502, 0.08, func(r *ratings.Ratings) float64 {
		all, _, _ := starsOf(r)
		return stat.Mean(all, nil)
	}},
	{"stars, standard deviation", 1.043, 0.04, func(r *ratings.Ratings) float64 {
		all, _, _ := starsOf(r)
		return stat.PopStdDev(all, nil)
	}},
	{"users' mean stars, standard deviation", 0.480, 0.04, func(r *ratings.Ratings) float64 {
		_, users, _ := starsOf(r)
		return stat.PopStdDev(users, nil)
	}},
	{"films' mean stars, standard deviation", 0.439, 0.04, func(r *ratings.Ratings) float64 {
		_, _, films := starsOf(r)
		return stat.PopStdDev(films, nil)
	}},
	{"half-stars before 2003-02-18", 0, 0, func(r *ratings.Ratings) float64 { return halvesOf(r, "1995-01-01", "2003-02-18") }},
	{"half-stars since", 0.423, 0.06, func(r *ratings.Ratings) float64 { return halvesOf(r, "2003-02-18", "2024-01-01") }},
}

func TestGeneratedLooksLikeMovieLens(t *testing.T) {
	ratings := generatedSmall(t)
	for _, m := range ratingMeasures {
		got := m.of(ratings)
		t.Logf("%-40s %8.4g here, %8.4g in ml-latest-small", m.name, got, m.small)
		filetest.True(t, math.Abs(got-m.small) <= m.tolerance, "%s: %.4g, want %g ± %g", m.name, got, m.small, m.tolerance)
	}
}

// TestMeasuresOfMovieLens measures ml-latest-small itself.
func TestMeasuresOfMovieLens(t *testing.T) {
	ratings, err := ratings.Load("ml-latest-small", files.Options{})
	if err != nil {
		t.Skip("MovieLens' terms keep it out of the checkout: ", err)
	}
	for _, m := range ratingMeasures {
		filetest.Near(t, m.of(ratings), m.small, 0.0015*m.small, "%s", m.name)
	}
}

// TestGeneratedRatings checks the promises of Ratings.
func TestGeneratedRatings(t *testing.T) {
	shape := Shape{Ratings: 60_000, Users: 500, Films: 4_000}
	r := filetest.Must(Generate(shape, 7))(t)
	filetest.Want(t, Shape{r.NumRows(), len(r.UserIDs), len(r.MovieIDs)}, shape, "shape")
	last := r.Day(r.NumRows() - 1)
	filetest.True(t, slices.IsSorted(r.Seconds), "not in the order of time")
	filetest.True(t, r.Day(0) == firstDay && last <= lastDay, "outside the period: days %d to %d", r.Day(0), last)
	pairs := make(map[[2]int32]bool)
	var users, movies int32
	for i := range r.Users {
		if pairs[[2]int32{r.Users[i], r.Movies[i]}] || r.Users[i] > users || r.Movies[i] > movies {
			t.Fatalf("row %d: user %d, film %d: rated twice, or not numbered by the first rating", i, r.Users[i], r.Movies[i])
		}
		pairs[[2]int32{r.Users[i], r.Movies[i]}] = true
		users, movies = max(users, r.Users[i]+1), max(movies, r.Movies[i]+1)
	}
	least, most := slices.Min(r.HalfStars), slices.Max(r.HalfStars)
	filetest.True(t, least >= 1 && most == 10, "half-stars from %d to %d", least, most)
	for name, ids := range map[string][]int32{"user": r.UserIDs, "movie": r.MovieIDs} {
		filetest.True(t, slices.Min(ids) >= 1 && len(datatest.Counts(ids)) == len(ids),
			"%s ids are not distinct numbers above 0", name)
	}
	filetest.Want(t, len(r.Genres), len(r.MovieIDs), "films with genres")
	known := slices.Min(r.Genres) > 0 && slices.Max(r.Genres) < 1<<len(ratings.Genres())
	filetest.True(t, known, "a film has no genre, or one that has no name")
	filetest.Want(t, r.Name, "generated-60000-500-4000-seed7", "name")
	filetest.True(t, r.Verified && r.Path == "", "verified %v, path %q", r.Verified, r.Path)
}

// TestGeneratedGolden checks that the content is a function of shape and seed, on every machine and with every version. A change of the
// generator changes the data behind its names, and must say so.
func TestGeneratedGolden(t *testing.T) {
	shape := Shape{Ratings: 20_000, Users: 150, Films: 2_000}
	const want = "1bd06850c39568b29fd95f30cb1e5db06ea3d17c920deda9eb8dab925d1d1a7b"
	for _, c := range []struct {
		seed uint64
		same bool
	}{{1, true}, {1, true}, {2, false}} {
		r := filetest.Must(Generate(shape, c.seed))(t)
		filetest.True(t, (r.SHA256 == want) == c.same, "seed %d: SHA-256 %s, that of seed 1: %s", c.seed, r.SHA256, want)
	}
}

func TestShape(t *testing.T) {
	full := MovieLens32M()
	filetest.Check(t, full.validate())
	filetest.Want(t, full.Scaled(1), full, "scaled by 1")
	filetest.Want(t, full.Scaled(0.01), (Shape{320_002, 2_009, 15_364}), "scaled by 0.01")
	for _, c := range []struct {
		shape Shape
		want  string
	}{
		{full.Scaled(0), "0 users, want at least 1"},
		{full.Scaled(-1), "users, want at least 1"},
		{Shape{100_000, 10, 199}, "199 films, want 200 to"},
		{Shape{1 << 31, 10, 200}, "at most 2147483647"},
		{Shape{19_999, 1_000, 1_000}, "want fewer users or 20000 ratings"},
		{Shape{20_000, 1_000, 10_001}, "fewer films or 20002 ratings"},
		{Shape{20_000, 10, 1_000}, "too many for 10 users"},
	} {
		filetest.WantError(t, filetest.Failure(Generate(c.shape, 1)), c.want)
	}
}

// TestGenerateMemory generates 3.2 million ratings. They take 97 MB on the way, of which 42 MB remain, and a process takes 20 MB.
func TestGenerateMemory(t *testing.T) {
	datatest.LimitPeak(t, 150, func() { filetest.Must(Generate(MovieLens32M().Scaled(0.1), 1))(t) })
}
