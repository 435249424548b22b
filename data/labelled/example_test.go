package labelled_test

import (
	"fmt"

	"gophe/data/files"
	"gophe/data/labelled"
)

func ExampleLoad() {
	table, err := labelled.Load("adult", files.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(table.NumRows(), "rows; row 0 is", table.Classes[table.Labels[0]])
	fmt.Println(table.Token(table.Incremental, 0))
	split, err := table.OnlineSplit(0.3, 100)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("initial", len(split.Initial.Scored), "then", len(split.Chunks), "chunks of", len(split.Chunks[0].Scored))
	// Output:
	// 45222 rows; row 0 is <=50K
	// education_Bachelors
	// initial 10852 then 317 chunks of 80
}

func ExampleTable_Growing() {
	table, err := labelled.Load("mushroom", files.Options{})
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
