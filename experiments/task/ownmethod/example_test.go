package ownmethod_test

import (
	"context"
	"fmt"
	"math"
	"os"

	"gophe/experiments/measure"
	"gophe/experiments/run"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/task/ownmethod"
	"gophe/phe"
	"gophe/phe/learn/backend"
)

// logistic is a logistic regression of two classes, with a weight for each item.
type logistic map[string]float64

func (w logistic) Predict(items []string, numbers []float64) []float64 {
	logit := w["bias"]
	for _, item := range items {
		logit += w[item]
	}
	p := 1 / (1 + math.Exp(-logit))
	return []float64{1 - p, p}
}

func (w logistic) Learn(items []string, numbers []float64, class int) {
	step := 0.03 * (float64(class) - w.Predict(items, numbers)[1])
	w["bias"] += step
	for _, item := range items {
		w[item] += step
	}
}

// A method of one's own joins an experiment of the paper, cut short. Its row stands in the same result as the others.
func ExampleMethod() {
	s := must(spec.Load("adult-online"))
	s.Name, s.Seeds = "with-mine", []int64{0}
	s.Protocol = protocol.Spec{Name: protocol.Online, InitialFraction: 0.3, InitialEpochs: 1, ChunkRows: 100}
	s.Methods = []spec.Method{{Name: "One pass", Rows: phe.Hashed, Estimate: phe.Posterior, Rule: spec.OnePass}}

	b := must(backend.Open(backend.Go))
	defer b.Finalize()
	out := must(os.MkdirTemp("", "with-mine-*"))
	defer os.RemoveAll(out)
	f, err := run.Execute(context.Background(), s, run.Options{
		Backend: b, BackendName: backend.Go, Out: out,
		AllowAltered: true, // the tests have the first rows of Adult only
		Own:          []ownmethod.Method{{Name: "Logistic", New: func(ownmethod.Table, int64) ownmethod.Learner { return logistic{} }}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range measure.Rows(f) {
		fmt.Printf("%-19s %.1f %%\n", r.Label(), *r.Mean(measure.Accuracy))
	}
	fmt.Println(f.Manifest.Own)
	// Output:
	// One pass            80.0 %
	// One pass (frozen)   76.3 %
	// Majority            73.2 %
	// ItemMajority        74.0 %
	// Logistic            77.5 %
	// Logistic (frozen)   73.7 %
	// map[Logistic:ownmethod_test.logistic]
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
