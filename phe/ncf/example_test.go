package ncf_test

import (
	"fmt"

	"gophe/phe/backend"
	"gophe/phe/ncf"
)

// Ann likes comedies and Bob thrillers. The recommender learns that from ratings of five stars and of one, and predicts two
// that it has not seen; then Cleo comes, and it learns from her first ratings that she likes thrillers.
func Example() {
	b, err := backend.Open(backend.Go)
	if err != nil {
		fmt.Println(err)
		return
	}
	d := ncf.Data{Users: []string{"Ann", "Bob", "Cleo"}, Genres: []string{"comedy", "thriller"}}
	for film := range 8 { // comedies and thrillers in turn
		d.Films = append(d.Films, fmt.Sprint("film_", film))
		d.FilmGenres = append(d.FilmGenres, 1<<(film%2)) // a bit for each genre
	}
	likes := []int32{0, 1, 1} // the users' genres
	rate := func(user, film int32) {
		stars := float32(1)
		if film%2 == likes[user] {
			stars = 5
		}
		d.User, d.Film, d.Ratings = append(d.User, user), append(d.Film, film), append(d.Ratings, stars/5)
	}
	for film := range int32(6) {
		rate(0, film)
		rate(1, film)
	}
	rate(0, 6) // rating number 12: Ann and a new comedy,
	rate(1, 6) // Bob and the same
	for _, film := range []int32{0, 1, 2, 3, 7} {
		rate(2, film) // from number 14 on: Cleo, last a new thriller
	}

	c := ncf.Default()
	c.Encoder.NumBuckets, c.Encoder.NumWeights, c.Encoder.EmbeddingDim = 31, 29, 4
	c.Hidden, c.LearningRate, c.BatchSize, c.StdDev = 8, 0.03, 12, 0.1
	model, err := ncf.NewModel(b, c, d, 1, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	learner, _ := model.NewLearner([]int64{0})
	_ = learner.Initialise()
	initial := []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	for epoch := range 300 {
		if err := learner.TrainEpoch(initial, epoch); err != nil {
			fmt.Println(err)
			return
		}
	}
	learner.EndInitialPhase()

	forecast := func(rating int32, step int) {
		prediction, _ := learner.Predict([]int32{rating}, step)
		stars, genre := 5*c.Predictive(prediction).Mean(), d.Genres[d.Film[rating]%2]
		fmt.Printf("%s and a new %s: above three stars: %t\n", d.Users[d.User[rating]], genre, stars > 3)
	}
	forecast(12, 0)
	forecast(13, 0)
	_ = learner.Update([]int32{14, 15, 16, 17}, 20, 0) // Cleo's first day
	forecast(18, 1)
	// Output:
	// Ann and a new comedy: above three stars: true
	// Bob and a new comedy: above three stars: false
	// Cleo and a new thriller: above three stars: true
}
