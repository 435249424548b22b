package task

import (
	"encoding"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/phe/learn"
)

// Host is a task that can be learned on the host.
type Host interface {
	// rowLearner makes the learner of a method's rule.
	RowLearner(c spec.Config, m spec.Method, from Beginning) (RowLearner, error)
	// countNumbers counts the numbers that a method of the result keeps in memory: tables, and all numbers with the head's.
	CountNumbers(row *result.Method, m spec.Method, c spec.Config, p *protocol.Plan)
}

// RowLearner learns rows or ratings one after the other, on the host: it needs no device and no compilation.
type RowLearner interface {
	// Predict appends the predictions of rows as the task's judge reads them: for a table the log probability of every class in
	// nats, for ratings a mean and a standard deviation. It changes nothing.
	Predict(predictions []float32, rows []int32) []float32
	// Learn learns rows in their order.
	Learn(rows []int32) error
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// Beginning is the state from which a row learner starts.
type Beginning struct {
	Seed    int64
	Initial []int32        // rows of the initial phase
	Model   *learn.Beliefs // that the initial phase learned; nil from nothing
	Every   int            // steps from one fit to the next, of rules that are fitted
}
