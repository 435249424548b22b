package learn_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
	"gophe/phe/hash"
	"gophe/phe/learn"
	"gophe/phe/learn/backend"
	"gophe/phe/learn/likelihood"
)

// visits is a network of one's own: a Poisson regression of a count on two categorical columns. It needs no more than this.
func visits(dim int) learn.Network {
	return learn.Network{
		Columns: 2, Likelihood: likelihood.Poisson(),
		Weights: []learn.Weight{{Name: "head", Dims: []int{2, dim, 1}, Limit: 1}, {Name: "bias", Dims: []int{1}, Limit: 1}},
		Outputs: func(p learn.Pass) learn.Outputs {
			bias := BroadcastToDims(InsertAxes(p.Weights[1], 1), p.Runs, p.Records, 1)
			return learn.Outputs{Parameters: p.Linear(p.Weights[0], bias), Targets: Reshape(p.Targets, -1)}
		},
	}
}

// A museum counts its visitors. The model learns from a week in two towns, forecasts a day, learns from a town that it has never
// seen, and is saved: a learner that reads the file forecasts the same bits.
func Example() {
	days := [][]string{
		{"Bern", "Mon"}, {"Bern", "Sat"}, {"Bern", "Sun"}, {"Basel", "Mon"}, {"Basel", "Sat"}, {"Basel", "Sun"},
		{"Chur", "Mon"}, {"Chur", "Sat"}, {"Chur", "Sun"}, {"Chur", "Mon"},
	}
	counts := []float32{4, 40, 40, 2, 20, 20, 10, 100, 100, 9}
	all := must(learn.NewBatch([]string{"town", "day"}, days))
	all.Targets = counts

	c := learn.Config{
		Encoder: phe.Config{Rows: phe.Hashed, Estimate: phe.Posterior, EmbeddingDim: 8, NumBuckets: 101, NumHashes: 2,
			Assembly: phe.PlainSum, Hash: hash.CarterWegman, InitialLogStdDev: -3, InitialMeanStdDev: 0.1},
		Scheme: phe.Local, TrainSamples: 4, TestSamples: 50, Loss: phe.Expected, KLWeight: 1, LearningRate: 0.02, BatchSize: 8,
		Scope: phe.IncrementalColumn, Incremental: 0, // a new town says nothing of the days of the week
	}
	b := must(backend.Open(backend.Go))
	learner := must(learn.New(visits(8), c, learn.Options{Backend: b}))
	defer learner.Close()
	if err := learner.Fit(all.Take([]int32{0, 1, 2, 3, 4, 5}), 300); err != nil {
		fmt.Println(err)
	}
	learner.Settle()
	show := func(when string) {
		p := must(learner.Predict(all.Take([]int32{1, 8})))
		fmt.Printf("%s: on Saturday in Bern %s, on Sunday in Chur %s\n", when, about(meanRate(p.Of(0, 0))), about(meanRate(p.Of(0, 1))))
	}
	show("before")
	if err := learner.Update(all.Take([]int32{6, 7, 8, 9}), 100); err != nil {
		fmt.Println(err)
	}
	show("after")

	var file bytes.Buffer
	must(learner.WriteTo(&file))
	other := must(learn.New(visits(8), c, learn.Options{Backend: b}))
	defer other.Close()
	must(other.ReadFrom(&file))
	same := slices.Equal(must(other.Predict(all)).Values, must(learner.Predict(all)).Values)
	fmt.Println("same bits:", same, "after", other.Counts().Updates, "update")
	// Output:
	// before: on Saturday in Bern 40, on Sunday in Chur 10
	// after: on Saturday in Bern 40, on Sunday in Chur 100
	// same bits: true after 1 update
}

// meanRate reads a forecast: the log rate under each sample.
func meanRate(logRates []float32) (mean float64) {
	for _, r := range logRates {
		mean += math.Exp(float64(r)) / float64(len(logRates))
	}
	return mean
}

// about rounds to one digit.
func about(mean float64) string {
	unit := math.Pow(10, math.Floor(math.Log10(mean)))
	return fmt.Sprint(math.Round(mean/unit) * unit)
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
