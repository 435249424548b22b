package ncf_test

import (
	"bytes"
	"fmt"
	"log"
	"slices"

	"gophe/phe/learn"
	"gophe/phe/learn/backend"
	"gophe/phe/models/ncf"
)

// Ann likes comedies and Bob likes thrillers. The recommender learns that from eight ratings, and predicts how they would rate an
// item that nobody has rated. Then Cleo comes, and her first two ratings say that she likes thrillers. The learner is saved, and
// one that loads the file predicts the same.
func Example() {
	c := ncf.Paper()
	c.Labels = []string{"comedy", "thriller"}
	c.Encoder.NumBuckets, c.Encoder.NumWeights, c.Encoder.EmbeddingDim = 31, 29, 4
	c.Hidden, c.LearningRate, c.BatchSize, c.StdDev = 8, 0.03, 8, 0.1
	model := must(ncf.New(c))
	b := must(backend.Open(backend.Go))
	learner := must(learn.New(model.Network, model.Config.Config, learn.Options{Backend: b}))
	defer learner.Close()

	comedy, thriller := []string{"comedy"}, []string{"thriller"}
	history := must(model.Encode([]ncf.Rating{ // five stars are 1, and one star is 0.2
		{User: "Ann", Item: "Clue", Labels: comedy, Value: 1},
		{User: "Ann", Item: "Seven", Labels: thriller, Value: 0.2},
		{User: "Ann", Item: "Big", Labels: comedy, Value: 1},
		{User: "Ann", Item: "Speed", Labels: thriller, Value: 0.2},
		{User: "Bob", Item: "Clue", Labels: comedy, Value: 0.2},
		{User: "Bob", Item: "Seven", Labels: thriller, Value: 1},
		{User: "Bob", Item: "Big", Labels: comedy, Value: 0.2},
		{User: "Bob", Item: "Speed", Labels: thriller, Value: 1},
	}))
	ok(learner.Fit(history, 300))
	learner.Settle() // the learner updates from now on

	questions := []ncf.Rating{
		{User: "Ann", Item: "Airplane", Labels: comedy},
		{User: "Bob", Item: "Airplane", Labels: comedy},
		{User: "Cleo", Item: "Clue", Labels: comedy},
		{User: "Cleo", Item: "Heat", Labels: thriller},
	}
	asked := must(model.Encode(questions))
	for i, p := 0, must(learner.Predict(asked)); i < 2; i++ {
		liked := model.Forecast(p.Of(0, i)).Mean() > 0.6
		fmt.Printf("%s likes %s: %t\n", questions[i].User, questions[i].Item, liked)
	}

	ok(learner.Update(must(model.Encode([]ncf.Rating{
		{User: "Cleo", Item: "Seven", Labels: thriller, Value: 1},
		{User: "Cleo", Item: "Big", Labels: comedy, Value: 0.2},
	})), 20))
	after := must(learner.Predict(asked))
	for i := 2; i < 4; i++ {
		liked := model.Forecast(after.Of(0, i)).Mean() > 0.6
		fmt.Printf("%s likes %s: %t\n", questions[i].User, questions[i].Item, liked)
	}

	var file bytes.Buffer
	must(learner.WriteTo(&file))
	loaded := must(learn.New(model.Network, model.Config.Config, learn.Options{Backend: b}))
	defer loaded.Close()
	must(loaded.ReadFrom(&file))
	fmt.Println("loaded, it predicts the same:", slices.Equal(must(loaded.Predict(asked)).Values, after.Values))
	// Output:
	// Ann likes Airplane: true
	// Bob likes Airplane: false
	// Cleo likes Clue: false
	// Cleo likes Heat: true
	// loaded, it predicts the same: true
}

func ok(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func must[T any](x T, err error) T {
	ok(err)
	return x
}
