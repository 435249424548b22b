package onehot

import (
	"reflect"

	"github.com/pkg/errors"

	"gophe/phe/onepass"
)

// Pass learns rows by a model of package onepass, whatever its preset.
type Pass struct {
	*onepass.Model
	Target func(row int32) float64
	Read   func(row int32) *onepass.Row // valid until the next call
	// Append appends a forecast to the predictions.
	Append func(predictions []float32, f onepass.Forecast) []float32
}

// AppendClasses appends the log probabilities of a forecast's classes. It is the Append of a classifier.
func AppendClasses(logs []float32, f onepass.Forecast) []float32 { return AppendLogs(logs, f.Classes) }

// Learn conditions the beliefs on rows in their order.
func (p *Pass) Learn(rows []int32) error {
	for _, row := range rows {
		p.Model.Predict(p.Read(row))
		p.Model.Update(p.Target(row), 1)
	}
	return nil
}

// Predict appends the predictions of rows.
func (p *Pass) Predict(dst []float32, rows []int32) []float32 {
	for _, row := range rows {
		dst = p.Append(dst, p.Model.Predict(p.Read(row)))
	}
	return dst
}

// bayesian is Bayesian logistic or softmax regression with the full covariance of all weights. It keeps the square of its weights in
// numbers, and a row costs as much.
type bayesian struct{ Pass }

// bayesianPrior is the variance of each weight before any row, equal to the variance of the numbers' weights in one pass.
const bayesianPrior = 10

// newBayesian returns a model that has seen no row.
func newBayesian(t *Table) (*bayesian, error) {
	c := onepass.Config{Numbers: t.Items + t.Numbers, Outputs: t.outputs(), Dim: 1, Buckets: 1, Hashes: 1, Assembly: onepass.Mean,
		Head: onepass.Bernoulli, Approximation: onepass.MacKay, Prior: onepass.Prior{Block: bayesianPrior},
		Tempering: 1, Least: 1e-6, Gamma: 1}
	if t.Classes > 2 {
		c.Head = onepass.Softmax
	}
	learner, err := onepass.New(c)
	var items []int32 // whose inputs are 1
	inputs := onepass.Row{Numbers: make([]float64, c.Numbers)}
	read := func(row int32) *onepass.Row {
		for _, item := range items {
			inputs.Numbers[item] = 0
		}
		items = t.items(row)
		for _, item := range items {
			inputs.Numbers[item] = 1
		}
		copy(inputs.Numbers[t.Items:], t.numbers(row))
		return &inputs
	}
	target := func(row int32) float64 { return float64(t.Labels[row]) }
	return &bayesian{Pass{learner, target, read, AppendClasses}}, err
}

// UnmarshalBinary replaces the beliefs. It changes nothing and returns an error if they are not of this table.
func (b *bayesian) UnmarshalBinary(content []byte) error {
	l := &onepass.Model{}
	if err := l.UnmarshalBinary(content); err != nil {
		return err
	}
	if !reflect.DeepEqual(l.Config(), b.Config()) {
		return errors.Errorf("beliefs about %d inputs; this classifier has %d", l.Config().Numbers, b.Config().Numbers)
	}
	b.Model = l
	return nil
}
