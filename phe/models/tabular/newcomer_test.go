package tabular_test

import (
	"encoding/csv"
	"fmt"
	"log"
	"os"
	"slices"
	"strconv"

	"gophe/phe/learn"
	"gophe/phe/learn/backend"
	"gophe/phe/models/tabular"
	"gophe/phe/stream/score"
)

// A shop wants to know which orders will be returned. The program trains on the first 200 orders of its table, and then streams
// the rest: it predicts the next 20 orders, scores the predictions, and learns what became of the orders. New products come
// along the stream.
func Example_csv() {
	var orders []tabular.Record
	file := must(os.Open("testdata/orders.csv"))
	for _, row := range must(csv.NewReader(file).ReadAll())[1:] { // customer, product, price, returned
		price := must(strconv.ParseFloat(row[2], 64))
		class := slices.Index([]string{"no", "yes"}, row[3])
		orders = append(orders, tabular.Record{Items: row[:2], Numbers: []float64{price / 100}, Class: class})
	}

	model := must(tabular.New(tabular.ForTable([]string{"customer", "product"}, 1, 2)))
	learner := must(learn.New(model.Network, model.Config.Config, learn.Options{Backend: must(backend.Open(backend.Go))}))
	if err := learner.Fit(must(model.Encode(orders[:200])), 20); err != nil {
		log.Fatal(err)
	}

	var tally score.Tally
	for block := range slices.Chunk(orders[200:], 20) {
		batch := must(model.Encode(block))
		predictions := must(learner.Predict(batch))
		for i, order := range block {
			tally.AddClasses(model.Forecast(predictions.Of(0, i)), order.Class, 1)
		}
		if err := learner.Update(batch, 10); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("%d orders: accuracy %.2f, log-loss %.2f\n", tally.Rows, tally.Means().Accuracy, tally.Means().LogLoss)
	// Output:
	// 200 orders: accuracy 0.89, log-loss 0.36
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
