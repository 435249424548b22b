package score_test

import (
	"encoding/json"
	"fmt"

	"gophe/phe/stream/score"
)

// A model forecasts rain with a probability of 80 % in six rows. It rains in five of them. The items of later rows are better
// known.
func Example() {
	var board score.Board
	for row, rain := range []int{0, 1, 1, 1, 1, 1} {
		outcome := score.OfClasses([]float64{0.2, 0.8}, rain)
		board.Add(outcome, int64(3*row), 1)
	}
	fmt.Printf("all rows: log-loss %.3f, Brier %.3f, accuracy %.3f\n", board.All.LogLoss(), board.All.Brier(), board.All.Accuracy())
	late := board.Blocks.Late()
	fmt.Printf("after the first tenth: %d rows, log-loss %.3f\n", late.Rows, late.LogLoss())
	for i, part := range board.Blocks.Parts(2) {
		fmt.Printf("half %d: accuracy %.3f\n", i+1, part.Accuracy())
	}
	for tier, name := range score.NoveltyNames() {
		fmt.Printf("rarest item seen %s times: %d rows\n", name, board.Novelty[tier].Rows)
	}
	// Output:
	// all rows: log-loss 0.454, Brier 0.140, accuracy 0.833
	// after the first tenth: 5 rows, log-loss 0.223
	// half 1: accuracy 0.667
	// half 2: accuracy 1.000
	// rarest item seen 0 times: 1 rows
	// rarest item seen 1–2 times: 0 rows
	// rarest item seen 3–10 times: 3 rows
	// rarest item seen > 10 times: 2 rows
}

// The class "bird" never comes and is never predicted.
func ExampleConfusion() {
	names := []string{"cat", "dog", "bird"}
	confusion := score.NewConfusion(len(names))
	for _, row := range []struct {
		p     []float64
		class int
	}{{[]float64{0.7, 0.2, 0.1}, 0}, {[]float64{0.6, 0.3, 0.1}, 1}, {[]float64{0.1, 0.8, 0.1}, 1}} {
		confusion.Add(row.p, row.class, score.OfClasses(row.p, row.class).LogLoss, 1)
	}
	for k, class := range confusion.Classes() {
		line, err := json.Marshal(class)
		fmt.Printf("%s: precision %.2f, recall %.2f, log-loss %.2f\n", names[k], class.Precision, class.Recall, class.LogLoss)
		if k == 2 {
			fmt.Println(string(line), err)
		}
	}
	// Output:
	// cat: precision 0.50, recall 1.00, log-loss 0.36
	// dog: precision 1.00, recall 0.50, log-loss 0.71
	// bird: precision NaN, recall NaN, log-loss NaN
	// {"weight":0,"precision":null,"recall":null,"log_loss":null} <nil>
}
