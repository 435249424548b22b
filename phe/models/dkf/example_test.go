package dkf_test

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"gophe/phe/learn"
	"gophe/phe/learn/backend"
	"gophe/phe/models/dkf"
)

// A shop sells tea by the dozen and mugs singly. The filter learns from ten windows of three sales each and forecasts the next sale
// of each product. Then it learns of a third product, and goes on from a file.
func Example() {
	model, b := must(shopModel()), must(backend.Open(backend.Go))
	learner := must(learn.New(model.Network, model.Config.Config, learn.Options{Backend: b}))
	defer learner.Close()
	tea, mugs := salesOf("tea", 4, 12), salesOf("mug", 4, 1)
	check(learner.Fit(must(model.Encode(slices.Concat(tea, mugs))), 150))
	learner.Settle()

	asked := must(model.Encode([][]*dkf.Event{nextSale(tea[4]), nextSale(mugs[4])}))
	predictions := must(learner.Predict(asked))
	for i, product := range []string{"tea", "mug"} {
		fmt.Printf("%s: %g\n", product, model.Forecast(predictions.Of(0, i)).Quantile(0.5))
	}

	// A product that nobody has met is learned as it comes, in five passes over its windows.
	check(learner.Update(must(model.Encode(salesOf("teapot", 9, 2))), 5))

	// A learner that reads the file, in this process or in another, predicts the same bits.
	var file bytes.Buffer
	must(learner.WriteTo(&file))
	another := must(learn.New(model.Network, model.Config.Config, learn.Options{Backend: b}))
	defer another.Close()
	must(another.ReadFrom(&file))
	fmt.Println("after the file the same bits:", slices.Equal(must(another.Predict(asked)).Values, must(learner.Predict(asked)).Values))
	// Output:
	// tea: 12
	// mug: 1
	// after the file the same bits: true
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// shopModel returns a small filter for windows of three sales, with the product and its price as inputs.
func shopModel() (*dkf.Model, error) {
	c := dkf.Paper()
	c.Filter = dkf.Filter{Prediction: dkf.Forecast, Likelihood: dkf.Histogram, Objective: dkf.Predictive, Inputs: dkf.Logarithms,
		Transition: dkf.WithGap, Hidden: 4, Latent: 2}
	c.Encoder.NumBuckets, c.Encoder.NumWeights, c.Encoder.EmbeddingDim = 7, 7, 4
	c.Columns, c.Numbers, c.Length = []string{"product"}, 1, 3
	c.LearningRate = 0.05
	return dkf.New(c)
}

// salesOf returns seven sales of a product, one a day, as five windows of three. Windows share sales.
func salesOf(product string, price float64, pieces int) (windows [][]*dkf.Event) {
	var events []*dkf.Event
	for day := range 7 {
		events = append(events, &dkf.Event{Items: []string{product}, Numbers: []float64{price}, Count: pieces,
			Time: time.Date(2026, time.March, 2+day, 10, 0, 0, 0, time.UTC)})
	}
	for day := range 5 {
		windows = append(windows, events[day:day+3])
	}
	return windows
}

// nextSale returns the window of the next sale, which follows the last two of a window. Nobody knows its count yet.
func nextSale(window []*dkf.Event) []*dkf.Event {
	sale := *window[2]
	sale.Count, sale.Time = -1, sale.Time.AddDate(0, 0, 1)
	return []*dkf.Event{window[1], window[2], &sale}
}
