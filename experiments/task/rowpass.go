package task

import (
	"math"

	"gophe/phe/onepass"
)

// rowPass learns the rows of a table by a learner of package onepass, whatever its preset.
type rowPass struct {
	learner *onepass.Model
	labels  []int32
	read    func(row int32) *onepass.Row // valid until the next call
}

// Learn conditions the beliefs on rows in their order.
func (l *rowPass) Learn(rows []int32) error {
	for _, row := range rows {
		l.learner.Learn(l.read(row), float64(l.labels[row]))
	}
	return nil
}

// Predict appends the log probability of every class of each row.
func (l *rowPass) Predict(logProbabilities []float32, rows []int32) []float32 {
	for _, row := range rows {
		for _, p := range l.learner.Predict(l.read(row)).Classes {
			logProbabilities = append(logProbabilities, float32(math.Log(max(p, leastProbability))))
		}
	}
	return logProbabilities
}

// leastProbability is about the rounding of a probability of 1, below which the other class's is 0 and has no logarithm.
const leastProbability = 1e-16

// MarshalBinary returns the beliefs.
func (l *rowPass) MarshalBinary() ([]byte, error) { return l.learner.MarshalBinary() }

// UnmarshalBinary replaces the beliefs.
func (l *rowPass) UnmarshalBinary(content []byte) error { return l.learner.UnmarshalBinary(content) }
