package task

import (
	"testing"

	"gophe/data/ratings"
	"gophe/experiments/spec"
	"gophe/phe/disk/filetest"
	"gophe/phe/models/ncf"
)

// The model reads the ratings as they are, items by the authors' tokens.
func TestRatingData(t *testing.T) {
	r := &ratings.Ratings{UserIDs: []int32{17, 4}, MovieIDs: []int32{4, 17, 99}, Users: []int32{0, 1, 0, 1}, Movies: []int32{2, 0, 1, 2},
		HalfStars: []uint8{1, 10, 7, 4}, Genres: []uint32{1, 1<<19 | 2, 0}}
	d := ratingData(r)
	filetest.Want(t, d.Users, []string{"17", "4"}, "users")
	filetest.Want(t, d.Items, []string{"-4", "-17", "-99"}, "films")
	filetest.Want(t, d.Ratings, []float32{0.1, 1, 0.7, 0.4}, "ratings")
	filetest.Want(t, d.User, []int32{0, 1, 0, 1}, "who rated")
	filetest.Want(t, d.Item, []int32{2, 0, 1, 2}, "what was rated")
	genres := spec.Config{Recommender: spec.Recommender{Genres: ncf.Embedded}}.RecommenderModel().Labels
	filetest.Want(t, len(genres), 20, "genres")
	filetest.Want(t, genres[0]+", "+genres[19], "genre_Action, genre_(no genres listed)", "the first and the last genre")
	filetest.Want(t, d.ItemLabels, []uint32{1, 1<<19 | 2, 0}, "genres of films")
}
