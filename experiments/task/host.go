package task

import (
	"encoding"

	"gophe/experiments/protocol"
	"gophe/phe/learn"
)

// Rival learns the examples of a task on the host: it needs no device and no compilation.
type Rival interface {
	// Score scores predictions of rows. It learns nothing.
	Score(rows []int32) (protocol.Score, error)
	// Learn learns rows in their order.
	Learn(rows []int32) error
}

// RowLearner is a rival that a job can save, and continue in another process.
type RowLearner interface {
	Rival
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// predictor is a row learner whose predictions a judge of its task scores.
type predictor interface {
	// Predict appends the predictions of rows as the task's judge reads them: for a table the log probability of every class in
	// nats, for ratings a mean and a standard deviation. It changes nothing.
	Predict(predictions []float32, rows []int32) []float32
	Learn(rows []int32) error
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// Judged is a row learner whose predictions are scored by Judge.
type Judged struct {
	predictor
	Judge func(rows []int32) protocol.Judge
}

// Score scores predictions of rows.
func (j Judged) Score(rows []int32) (protocol.Score, error) {
	return j.Judge(rows)(j.Predict(nil, rows)), nil
}

// Beginning is the state from which a row learner starts.
type Beginning struct {
	Seed    int64
	Initial []int32        // rows of the initial phase
	Model   *learn.Beliefs // that the initial phase learned; nil from nothing
	Every   int            // steps from one fit to the next, of rules that are fitted
}
