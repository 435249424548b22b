package data_test

import (
	"fmt"

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
	last := split.Chunks[len(split.Chunks)-1].Scored
	for _, batch := range data.Batches(last, 80) {
		fmt.Println(len(batch.Rows), "rows,", batch.Mask[43], batch.Mask[44])
	}
	// Output:
	// initial 10852 then 317 chunks of 80
	// 80 rows, 1 0
}
