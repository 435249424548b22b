package task

import (
	"slices"
	"testing"

	"gophe/data/ratings"
	"gophe/experiments/spec"
	"gophe/phe/models/ncf"
)

// The model reads the ratings as they are, items by the authors' tokens.
func TestRatingData(t *testing.T) {
	r := &ratings.Ratings{UserIDs: []int32{17, 4}, MovieIDs: []int32{4, 17, 99}, Users: []int32{0, 1, 0, 1}, Movies: []int32{2, 0, 1, 2},
		HalfStars: []uint8{1, 10, 7, 4}, Genres: []uint32{1, 1<<19 | 2, 0}}
	d := ratingData(r)
	if !slices.Equal(d.Users, []string{"17", "4"}) || !slices.Equal(d.Items, []string{"-4", "-17", "-99"}) {
		t.Errorf("users %q, films %q", d.Users, d.Items)
	}
	if !slices.Equal(d.Ratings, []float32{0.1, 1, 0.7, 0.4}) || !slices.Equal(d.User, []int32{0, 1, 0, 1}) || !slices.Equal(d.Item, []int32{2, 0, 1, 2}) {
		t.Errorf("ratings %v of films %v by users %v", d.Ratings, d.Item, d.User)
	}
	genres := spec.Config{Recommender: spec.Recommender{Genres: ncf.Embedded}}.RecommenderModel().Labels
	if len(genres) != 20 || genres[0] != "genre_Action" || genres[19] != "genre_(no genres listed)" || !slices.Equal(d.ItemLabels, []uint32{1, 1<<19 | 2, 0}) {
		t.Errorf("genres %q, of films %b", genres, d.ItemLabels)
	}
}

// Users are counted once, also in the initial phase. Users whose ratings are all held out do not count.
func TestUsersSeen(t *testing.T) {
	r := &ratings.Ratings{UserIDs: make([]int32, 6), MovieIDs: make([]int32, 1), Users: []int32{0, 1, 0, 2, 3, 3, 1, 4, 5}, Movies: make([]int32, 9), HalfStars: make([]uint8, 9)}
	s := &ratings.Stream{Ratings: r, Initial: []int32{2, 1}, Steps: [][]int32{{0}, {5, 4, 3}, {6}, {8, 2}}} // row 7, of user 4, is held out
	if _, got := noveltyOf(s); !slices.Equal(got, []int{2, 4, 4, 5}) {
		t.Errorf("%v", got)
	}
}
