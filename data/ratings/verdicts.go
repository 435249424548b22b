package ratings

import (
	"strconv"
	"strings"

	"gophe/data/column"
	"gophe/data/labelled"
)

// goodHalfStars is the rating from which a film is good.
const goodHalfStars = 8

// Verdicts returns the ratings as a table in the order of time, whose items keep coming: does a user give a film 4 stars or more?
// The columns are userId, movieId, which is incremental, genres as one text, and the film's year, or "?".
func (r *Ratings) Verdicts(name string) *labelled.Table {
	genres, years := make([]string, len(r.MovieIDs)), make([]string, len(r.MovieIDs))
	for film := range genres {
		genres[film], years[film] = genreText(r.Genres[film]), "?"
		if len(r.Years) > 0 && r.Years[film] > 0 {
			years[film] = strconv.Itoa(int(r.Years[film]))
		}
	}
	labels := make([]int32, r.NumRows())
	t := &labelled.Table{Name: name, Classes: []string{"below 4 stars", "4 stars or more"}, Labels: labels, Incremental: 1,
		SHA256: r.SHA256, Verified: r.Verified, Path: r.Path}
	for row, halfStars := range r.HalfStars {
		if halfStars >= goodHalfStars {
			t.Labels[row] = 1
		}
	}
	t.Categorical = []column.Categorical{
		{Name: "userId", Values: column.InOrder(names(r.UserIDs), r.Users)},
		{Name: "movieId", Values: column.InOrder(names(r.MovieIDs), r.Movies)},
		{Name: "genres", Values: column.InOrder(genres, r.Movies)},
		{Name: "year", Values: column.InOrder(years, r.Movies)},
	}
	return t
}

// names returns IDs as items.
func names(ids []int32) []string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = strconv.Itoa(int(id))
	}
	return texts
}

// genreText joins a film's genres by "|", in the order of Genres.
func genreText(bits uint32) string {
	var own []string
	for g, name := range Genres() {
		if bits&(1<<g) != 0 {
			own = append(own, name)
		}
	}
	return strings.Join(own, "|")
}
