package tabular_test

import (
	"bytes"
	"fmt"
	"slices"

	"gophe/phe"
	"gophe/phe/hash"
	"gophe/phe/learn"
	"gophe/phe/learn/backend"
	"gophe/phe/models/tabular"
)

// Shoes come back and hats do not. The classifier learns that from seven orders, then learns from two orders of sandals, which it
// has never seen, and is saved. A learner that reads the file predicts the same bits.
func Example() {
	const kept, returned, unknown = 0, 1, -1
	orders := []tabular.Record{
		{Items: []string{"Ann", "boots"}, Class: returned},
		{Items: []string{"Bob", "hat"}, Class: kept},
		{Items: []string{"Ann", "hat"}, Class: kept},
		{Items: []string{"Bob", "boots"}, Class: returned},
		{Items: []string{"Cleo", "loafers"}, Class: returned},
		{Items: []string{"Ann", "scarf"}, Class: kept},
		{Items: []string{"Bob", "loafers"}, Class: returned},
		{Items: []string{"Cleo", "sandals"}, Class: returned},
		{Items: []string{"Ann", "sandals"}, Class: returned},
		{Items: []string{"Dan", "sandals"}, Class: unknown},
	}
	config := tabular.Paper()
	config.Columns, config.Classes = []string{"customer", "product"}, 2
	config.Incremental = 1 // the column number of the products: beliefs about them change along the stream
	config.LearningRate = 0.05
	config.Encoder = phe.Config{Rows: phe.Hashed, Estimate: phe.Posterior, EmbeddingDim: 8, NumBuckets: 31, NumHashes: 3,
		Assembly: phe.PlainSum, Hash: hash.CarterWegman} // a sum without weights learns from few records
	model := must(tabular.New(config))
	b := must(backend.Open(backend.Go))
	learner := must(learn.New(model.Network, model.Config.Config, learn.Options{Backend: b}))
	defer learner.Close()

	if err := learner.Fit(must(model.Encode(orders[:7])), 100); err != nil {
		fmt.Println(err)
	}
	learner.Settle()
	last := must(model.Encode(orders[9:]))
	show := func(when string) {
		p := must(learner.Predict(last))
		fmt.Printf("%s: sandals come back with probability %.1f\n", when, model.Forecast(p.Of(0, 0))[returned])
	}
	show("before")
	if err := learner.Update(must(model.Encode(orders[7:9])), 50); err != nil {
		fmt.Println(err)
	}
	show("after")

	var file bytes.Buffer
	must(learner.WriteTo(&file))
	other := must(learn.New(model.Network, model.Config.Config, learn.Options{Backend: b}))
	defer other.Close()
	must(other.ReadFrom(&file))
	fmt.Println("same bits:", slices.Equal(must(other.Predict(last)).Values, must(learner.Predict(last)).Values))
	// Output:
	// before: sandals come back with probability 0.5
	// after: sandals come back with probability 0.8
	// same bits: true
}
