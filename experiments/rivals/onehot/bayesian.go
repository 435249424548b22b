package onehot

import (
	"reflect"

	"github.com/pkg/errors"

	"gophe/phe/onepass"
)

// bayesian is Bayesian logistic or softmax regression with the full covariance of all weights, learned row by row by the update of
// package onepass. It keeps the square of its weights in numbers, and a row costs as much.
type bayesian struct {
	table   *Table
	learner *onepass.Model
	row     onepass.Row
}

// bayesianPrior is the variance of each weight before any row, equal to the variance of the numbers' weights in one pass.
const bayesianPrior = 10

// newBayesian returns a model that has seen no row.
func newBayesian(t *Table) (*bayesian, error) {
	c := onepass.Config{Numbers: t.Items + t.Numbers, Outputs: t.outputs(), Dim: 1, Buckets: 1, Hashes: 1, Assembly: onepass.Mean, Head: onepass.Bernoulli,
		Approximation: onepass.MacKay, Prior: onepass.Prior{Block: bayesianPrior}, Tempering: 1, Least: 1e-6, Gamma: 1}
	if t.Classes > 2 {
		c.Head = onepass.Softmax
	}
	learner, err := onepass.New(c)
	return &bayesian{t, learner, onepass.Row{Numbers: make([]float64, c.Numbers)}}, err
}

// with sets the inputs of a row, calls do, and clears them.
func (b *bayesian) with(row int32, do func()) {
	for _, item := range b.table.items(row) {
		b.row.Numbers[item] = 1
	}
	copy(b.row.Numbers[b.table.Items:], b.table.numbers(row))
	do()
	for _, item := range b.table.items(row) {
		b.row.Numbers[item] = 0
	}
}

// Learn learns rows in their order.
func (b *bayesian) Learn(rows []int32) error {
	for _, row := range rows {
		b.with(row, func() {
			b.learner.Predict(&b.row)
			b.learner.Update(float64(b.table.Labels[row]), 1)
		})
	}
	return nil
}

// Predict appends the log probability of every class of each row, [rows, classes] in nats.
func (b *bayesian) Predict(dst []float32, rows []int32) []float32 {
	for _, row := range rows {
		b.with(row, func() { dst = AppendLogs(dst, b.learner.Predict(&b.row).Classes) })
	}
	return dst
}

// MarshalBinary returns the beliefs.
func (b *bayesian) MarshalBinary() ([]byte, error) {
	return b.learner.MarshalBinary()
}

// UnmarshalBinary replaces the beliefs. It changes nothing and returns an error if they are not of this table.
func (b *bayesian) UnmarshalBinary(content []byte) error {
	l := &onepass.Model{}
	if err := l.UnmarshalBinary(content); err != nil {
		return err
	}
	if !reflect.DeepEqual(l.Config(), b.learner.Config()) {
		return errors.Errorf("beliefs about %d inputs; this classifier has %d", l.Config().Numbers, b.learner.Config().Numbers)
	}
	b.learner = l
	return nil
}
