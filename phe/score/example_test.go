package score_test

import (
	"encoding/json"
	"fmt"

	"gophe/phe/score"
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

// A Board goes through JSON and continues with the same score.
func ExampleBoard() {
	var board, resumed score.Board
	board.Add(score.OfNumber(10, 8, 12, 13), 0, 1)
	saved, err := json.Marshal(board)
	if err == nil {
		err = json.Unmarshal(saved, &resumed)
	}
	if err != nil {
		fmt.Println(err)
	}
	resumed.Add(score.OfNumber(10, 8, 12, 11), 1, 1)
	fmt.Printf("MAE %.1f, RMSE %.2f, 90 %% interval holds %.0f %%\n", resumed.All.MAE(), resumed.All.RMSE(), 100*resumed.All.Coverage())
	// Output: MAE 2.0, RMSE 2.24, 90 % interval holds 50 %
}

// The log probability of a count may not be known. The other scores then still are.
func ExampleOfCount() {
	var tally score.Tally
	tally.Add(score.OfCount(-1.5, 2, 0, 5, 3), 1)
	tally.Add(score.OfCount(-0.5, 2, 0, 5, 2), 1)
	fmt.Printf("log-loss %.2f, MAE %.2f, coverage %.2f\n", tally.LogLoss(), tally.MAE(), tally.Coverage())
	// Output: log-loss 1.00, MAE 0.50, coverage 1.00
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

// One of the four pairs of a dry and a wet day is in the wrong order: the dry day with 0.7 and the wet day with 0.6.
func ExampleCurve() {
	var curve score.Curve
	curve.Add(0.2, 0, 1)
	curve.Add(0.7, 0, 1)
	curve.Add(0.6, 1, 1)
	curve.Add(0.9, 1, 1)
	fmt.Println(curve.AUC())
	// Output: 0.75
}

// A forecast of 75 % comes true in two of four rows.
func ExampleCalibration() {
	var calibration score.Calibration
	for _, came := range []bool{true, false, true, false} {
		calibration.AddProbability(0.75, came, 1)
	}
	fmt.Println(calibration.Error())
	// Output: 0.25
}

// A count's forecast says 0 with 25 %, 1 with 50 % and 2 with 25 %. The transform of 1 runs from 0.25 to 0.75: over half of the
// bins.
func ExampleCalibration_AddTransform() {
	var calibration score.Calibration
	calibration.AddTransform(0.25, 0.75, 20)
	fmt.Printf("%.0f\n", calibration.Weight)
	// Output: [0 0 0 0 0 2 2 2 2 2 2 2 2 2 2 0 0 0 0 0]
}
