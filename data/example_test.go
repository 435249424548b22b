package data_test

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gophe/data"
)

func ExampleLoad() {
	table, err := data.Load("adult", data.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(table.NumRows(), "rows; row 0 is", table.Classes[table.Labels[0]])
	fmt.Println(table.Token(table.Incremental, 0))
	// Output:
	// 45222 rows; row 0 is <=50K
	// education_Bachelors
}

func ExampleTable_OnlineSplit() {
	table, err := data.Load("adult", data.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	split, err := table.OnlineSplit(0.3, 100)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("initial", len(split.Initial.Scored), "then", len(split.Chunks), "chunks of", len(split.Chunks[0].Scored))
	// Output:
	// initial 10852 then 317 chunks of 80
}

func ExampleTable_GroupSplit() {
	table, err := data.Load("bank", data.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	groups, err := table.GroupSplit(4, data.FileOrder)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, g := range groups {
		fmt.Println(g.Items, len(g.Train), len(g.Test))
	}
	// Output:
	// [unknown] 24640 12319
	// [failure] 3268 1633
	// [other] 1227 613
	// [success] 1008 503
}

func ExampleTable_Growing() {
	table, err := data.Load("mushroom", data.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if table, err = table.Select([]string{"odor"}); err != nil {
		fmt.Println(err)
		return
	}
	stream, err := table.Growing(20, 100)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(stream.Initial), "rows, then", len(stream.Steps), "steps")
	for _, change := range stream.Changes {
		fmt.Println("step", change.Step, "brings", change.What)
	}
	// Output:
	// 1746 rows, then 100 steps
	// step 19 brings item CREOSOTE
	// step 38 brings item FOUL
	// step 57 brings item FISHY
	// step 76 brings item PUNGENT
}

func ExampleLoadSales() {
	sales, err := data.LoadSales(data.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	stream, err := sales.Daily(sales.OverlappingWindows(10), 62)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sales.NumRows(), "sales; row 0 is of", sales.Token(sales.Incremental, 0))
	fmt.Println(len(stream.Initial), "windows, then", len(stream.Steps), "days, the first with", len(stream.Steps[0]))
	// Output:
	// 531285 sales; row 0 is of StockCode_10002
	// 44480 windows, then 261 days, the first with 1152
}

func ExampleGenerateRatings() {
	ratings, err := data.GenerateRatings(data.MovieLens32MShape().Scaled(0.001), 1)
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

// MovieLens is not part of the checkout; a file of the same form stands in for it.
func ExampleLoadRatings() {
	folder, err := os.MkdirTemp("", "ratings-*")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	defer os.Setenv(data.PathVariable, os.Getenv(data.PathVariable))
	os.Setenv(data.PathVariable, folder)
	for file, text := range map[string]string{
		"movies":  "movieId,title,genres\n50,\"Usual Suspects, The (1995)\",Crime|Mystery|Thriller\n",
		"ratings": "userId,movieId,rating,timestamp\n7,50,4.5,950000000\n7,50,4.0,940000000\n3,50,5.0,940000000\n2,50,0.5,950000001\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, "ml-latest-small-"+file+".csv"), []byte(text), 0o600); err != nil {
			fmt.Println(err)
			return
		}
	}
	ratings, err := data.LoadRatings("ml-latest-small", data.Options{AllowAltered: true}) // the real one needs no option
	if err != nil {
		fmt.Println(err)
		return
	}
	stream, err := ratings.Daily(time.Date(1996, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ratings.NumRows(), "ratings, the first of user", ratings.UserIDs[ratings.Users[0]], "with", ratings.HalfStars[0], "half stars")
	fmt.Println(len(stream.Initial), "initially, then", len(stream.Steps), "day with", len(stream.Steps[0]))
	// Output:
	// 4 ratings, the first of user 7 with 8 half stars
	// 1 initially, then 1 day with 1
}
