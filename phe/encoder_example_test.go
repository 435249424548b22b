package phe_test

import (
	"fmt"

	"gophe/phe"
)

// An encoder takes any item, seen or not: Adult's encoder of Table 4, two items, and one that nobody foresaw.
func ExampleEncoder_Items() {
	encoder, err := phe.NewEncoder(phe.Paper())
	check(err)
	rows, err := encoder.Items([]string{"education_Bachelors", "workclass_Private", "education_Wizardry"})
	check(err)
	for i := range 3 {
		fmt.Println("rows of E", rows.Buckets[3*i:3*i+3], "and of W", rows.Weights[i])
	}
	// Output:
	// rows of E [6 0 2] and of W 6
	// rows of E [1 2 0] and of W 9
	// rows of E [2 4 2] and of W 3
}

// The four methods of the paper are two choices (Sec. 4.1).
func ExampleNewEncoder() {
	for _, c := range []phe.Config{
		{Rows: phe.Hashed, Estimate: phe.Posterior, EmbeddingDim: 20, NumBuckets: 7, NumHashes: 3, NumWeights: 11,
			Assembly: phe.WeightedSum, Hash: "authors"}, // PHE
		{Rows: phe.Hashed, Estimate: phe.Point, EmbeddingDim: 20, NumBuckets: 7, NumHashes: 3, NumWeights: 11,
			Assembly: phe.WeightedSum, Hash: "authors"}, // Ada
		{Rows: phe.Vocabulary, Estimate: phe.Posterior, EmbeddingDim: 20, Capacity: 98}, // P-EE
		{Rows: phe.Vocabulary, Estimate: phe.Point, EmbeddingDim: 20, Capacity: 98},     // EE
	} {
		encoder, err := phe.NewEncoder(c)
		check(err)
		fmt.Println(c.Rows, c.Estimate, encoder.Config.NumParameters())
	}
	_, err := phe.NewEncoder(phe.Config{Rows: phe.Vocabulary, Estimate: phe.Point, EmbeddingDim: 20})
	fmt.Println(err)
	// Output:
	// hash posterior 346
	// hash point 173
	// vocabulary posterior 3920
	// vocabulary point 1960
	// encoder: capacity is 0; a vocabulary needs at least 1 row
}
