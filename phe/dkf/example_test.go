package dkf_test

import (
	"fmt"

	"gophe/phe/backend"
	"gophe/phe/dkf"
)

// Two products, one sold by the dozen and one singly. The filter learns from the first weeks and forecasts the next sale.
func Example() {
	b, err := backend.Open(backend.Go)
	if err != nil {
		fmt.Println(err)
		return
	}
	const length = 3
	d := dkf.Data{Items: []string{"product_tea", "product_mug"}, Maxima: []float32{1}}
	for i := range 40 { // events: tea, mug, tea, mug, …
		d.Index = append(d.Index, int32(i%2))
		d.Numbers = append(d.Numbers, 1) // all at one price
		d.Counts = append(d.Counts, []float32{12, 1}[i%2])
		d.Minutes = append(d.Minutes, int32(60*i))
	}
	for i := range int32(36) { // windows of one product's consecutive events
		d.Windows = append(d.Windows, i, i+2, i+4)
	}

	c := dkf.Default()
	c.Filter = dkf.Filter{Prediction: dkf.Forecast, Likelihood: dkf.PackSizes, Objective: dkf.Predictive, Inputs: dkf.Logarithms,
		Transition: dkf.WithGap, Hidden: 4, Latent: 2}
	c.Encoder.NumBuckets, c.Encoder.NumWeights, c.Encoder.EmbeddingDim = 7, 7, 4
	c.Columns, c.Numbers, c.Length, c.BatchSize, c.LearningRate = 1, 1, length, 30, 0.05

	model, err := dkf.NewModel(b, c, d, 1, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	learner, _ := model.NewLearner([]int64{0})
	_ = learner.Initialise()
	initial := make([]int32, 30)
	for i := range initial {
		initial[i] = int32(i)
	}
	for epoch := range 60 {
		if err := learner.TrainEpoch(initial, epoch); err != nil {
			fmt.Println(err)
			return
		}
	}
	learner.EndInitialPhase()

	next := []int32{34, 35} // windows not seen yet, which end with tea and with a mug
	predictions, _ := learner.Predict(next, 0)
	width := len(predictions) / len(next)
	for i := range next {
		forecast := c.Distribution(predictions[i*width : (i+1)*width])
		fmt.Println(d.Items[i], forecast.Median())
	}
	_ = learner.Update(next, 5, 0) // and then the next block of data
	// Output:
	// product_tea 12
	// product_mug 1
}
