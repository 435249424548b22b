package ratings_test

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gophe/data/files"
	"gophe/data/ratings"
)

// The checkout lacks MovieLens. A file of the same form replaces it.
func ExampleLoad() {
	folder, err := os.MkdirTemp("", "ratings-*")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	defer os.Setenv(files.PathVariable, os.Getenv(files.PathVariable))
	os.Setenv(files.PathVariable, folder)
	for file, text := range map[string]string{
		"movies":  "movieId,title,genres\n50,\"Usual Suspects, The (1995)\",Crime|Mystery|Thriller\n",
		"ratings": "userId,movieId,rating,timestamp\n7,50,4.5,950000000\n7,50,4.0,940000000\n3,50,5.0,940000000\n2,50,0.5,950000001\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, "ml-latest-small-"+file+".csv"), []byte(text), 0o600); err != nil {
			fmt.Println(err)
			return
		}
	}
	ratings, err := ratings.Load("ml-latest-small", files.Options{AllowAltered: true}) // the real one needs no option
	if err != nil {
		fmt.Println(err)
		return
	}
	stream, err := ratings.Daily(time.Date(1996, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		fmt.Println(err)
		return
	}
	user, stars := ratings.UserIDs[ratings.Users[0]], ratings.HalfStars[0]
	fmt.Println(ratings.NumRows(), "ratings, the first of user", user, "with", stars, "half stars")
	fmt.Println(len(stream.Initial), "initially, then", len(stream.Steps), "day with", len(stream.Steps[0]))
	// Output:
	// 4 ratings, the first of user 7 with 8 half stars
	// 1 initially, then 1 day with 1
}
