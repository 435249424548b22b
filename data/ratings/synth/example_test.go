package synth_test

import (
	"fmt"

	"gophe/data/ratings/synth"
)

func ExampleGenerate() {
	ratings, err := synth.Generate(synth.MovieLens32M().Scaled(0.001), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ratings.Name)
	fmt.Println(ratings.NumRows(), "ratings by", len(ratings.UserIDs), "users of", len(ratings.MovieIDs), "films")
	// Output:
	// generated-32000-201-6554-seed1
	// 32000 ratings by 201 users of 6554 films
}
