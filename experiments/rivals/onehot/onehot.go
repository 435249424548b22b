// Package onehot holds the linear classifiers that practitioners use where this program uses embeddings: an input for every
// distinct item of every column, which grows with the items, and one for every number. They learn on the host, row by row or from
// all the past. They show the cost of an embedding's fixed size.
package onehot

import (
	"encoding"
	"iter"
	"math"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Classifier learns the rows of a table in their order. Its state is its beliefs or weights.
type Classifier interface {
	Learn(rows []int32) error
	// Predict appends the log probability of every class of each row, [rows, classes] in nats.
	Predict(dst []float32, rows []int32) []float32
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// New returns a classifier that has seen no row. The rule is adpredictor, bayesian-logistic, refitted-logistic, adagrad or ftrl. rate is
// the learning rate of the last two. The refitted classifier is fitted at the first call of Learn, and again whenever every calls have
// passed.
func New(rule string, t *Table, rate float64, every int) (Classifier, error) {
	switch rule {
	case "adpredictor":
		return newAdPredictor(t), nil
	case "bayesian-logistic":
		return newBayesian(t)
	case "refitted-logistic":
		return NewRefitted(t, every), nil
	case "adagrad", "ftrl":
		return newDescent(t, rule == "adagrad", rate), nil
	}
	return nil, errors.Errorf("no classifier of one-hot items has the rule %q", rule)
}

// Table holds the rows that classifiers learn.
type Table struct {
	Items   int       // number of distinct items of all columns
	Columns int       // items in each row
	Numbers int       // numbers in each row
	Classes int       // at least 2
	Index   []int32   // [rows, columns], items
	X       []float64 // [rows, numbers]
	Labels  []int32   // [rows], classes
}

// numInputs is the number of inputs of a classifier: items, numbers and the bias.
func (t *Table) numInputs() int { return t.Items + t.Numbers + 1 }

// outputs is the number of logits: one for two classes.
func (t *Table) outputs() int {
	if t.Classes == 2 {
		return 1
	}
	return t.Classes
}

// items returns the inputs of a row that are 1 because of its items.
func (t *Table) items(row int32) []int32 {
	return t.Index[int(row)*t.Columns : (int(row)+1)*t.Columns]
}

// numbers returns the numbers of a row. Number i is input Items + i, and the bias is the last input.
func (t *Table) numbers(row int32) []float64 {
	return t.X[int(row)*t.Numbers : (int(row)+1)*t.Numbers]
}

// inputs yields the inputs of a row that are not 0.
func (t *Table) inputs(row int32) iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for _, item := range t.items(row) {
			if !yield(int(item), 1) {
				return
			}
		}
		for i, x := range t.numbers(row) {
			if !yield(t.Items+i, x) {
				return
			}
		}
		yield(t.numInputs()-1, 1)
	}
}

// Standardise returns numbers [rows, n] less their mean over some rows, by their standard deviation over those rows. A number that is
// constant there is only centred.
func Standardise(x []float32, n int, rows []int32) []float64 {
	scaled := make([]float64, len(x))
	column := make([]float64, len(rows))
	for i := range n {
		for k, row := range rows {
			column[k] = float64(x[int(row)*n+i])
		}
		mean, sd := stat.PopMeanStdDev(column, nil)
		if sd == 0 {
			sd = 1
		}
		for at := i; at < len(x); at += n {
			scaled[at] = (float64(x[at]) - mean) / sd
		}
	}
	return scaled
}

// probabilities fills in the probability of each class from the logits, which it keeps.
func probabilities(p, logits []float64) {
	if len(logits) == 1 {
		p[1] = 1 / (1 + math.Exp(-logits[0]))
		p[0] = 1 / (1 + math.Exp(logits[0]))
		return
	}
	most, sum := floats.Max(logits), 0.0
	for o, v := range logits {
		p[o] = math.Exp(v - most)
		sum += p[o]
	}
	floats.Scale(1/sum, p)
}

// residuals fills in the gradient of a row's log loss with respect to each logit: the probability, less 1 for the row's own class.
func residuals(residual, p []float64, label int32) {
	for o := range residual {
		class := o
		if len(residual) == 1 {
			class = 1
		}
		residual[o] = p[class]
		if class == int(label) {
			residual[o]--
		}
	}
}

// minProbability keeps logarithms finite: where the rounded probability of a class is 1, another class has 0.
const minProbability = 1e-16

// AppendLogs appends the logarithms of probabilities.
func AppendLogs(dst []float32, p []float64) []float32 {
	for _, v := range p {
		dst = append(dst, float32(math.Log(max(v, minProbability))))
	}
	return dst
}
