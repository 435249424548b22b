package experiments

import (
	"encoding"
	"gophe/experiments/result"
	"gophe/phe/learn"
)

// hostTask is a task that can be learned on the host.
type hostTask interface {
	// rowLearner makes the learner of a method's rule.
	rowLearner(c config, m Method, from beginning) (rowLearner, error)
	// countNumbers counts the numbers that a method of the result keeps in memory: tables, and all numbers with the head's.
	countNumbers(row *result.Method, m Method, c config, p *plan)
}

// rowLearner learns rows or ratings one after the other, on the host: it needs no device and no compilation.
type rowLearner interface {
	// Predict appends what the task's judge reads of each row: of tables the log probability of every class in nats, of ratings
	// a mean and a standard deviation. It changes nothing.
	Predict(predictions []float32, rows []int32) []float32
	// Learn learns rows in their order.
	Learn(rows []int32) error
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// beginning is what a row learner starts from.
type beginning struct {
	seed    int64
	initial []int32        // rows of the initial phase
	model   *learn.Beliefs // that the initial phase learned; nil from nothing
	every   int            // steps from one fit to the next, of rules that are fitted
}

// refitEvery is how many steps of the stream pass between two fits of a regression.
const refitEvery = 25
