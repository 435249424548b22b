package experiments

import (
	"math"

	"gophe/experiments/onehot"
	"gophe/phe"
	"gophe/phe/belief"
	"gophe/phe/learn"
	"gophe/phe/onepass"
)

func (t *classification) shape() shape {
	outputs := len(t.table.Classes)
	if outputs == 2 {
		outputs = 1
	}
	return shape{len(t.table.Categorical), len(t.table.Numeric), outputs, len(t.items.Items)}
}

// onePass learns a table by package onepass.
type onePass struct {
	learner *onepass.Learner
	table   *classification
	cells   []onepass.Cell // of every item
	row     onepass.Row    // the row that is read
}

func newOnePass(t *classification, e phe.Config, start Start, from beginning) (*onePass, error) {
	c := onePassConfig(e, start, t.shape())
	c.Seed = from.seed
	learner, err := onepass.New(c)
	if err != nil {
		return nil, err
	}
	l := &onePass{learner: learner, table: t, row: onepass.Row{Cells: make([]onepass.Cell, c.Columns), Numbers: make([]float64, c.Numbers)}}
	if l.cells, err = t.cells(e); err != nil {
		return nil, err
	}
	for row := range t.items.Labels {
		if err := learner.Check(l.read(int32(row))); err != nil {
			return nil, err
		}
	}
	switch {
	case start != FromNothing:
		err = l.adopt(*from.model, start)
	case e.Rows == phe.Vocabulary:
		err = l.standAlone()
	}
	if err == nil && start == FromInitial {
		learner.Resettle(func(yield func(*onepass.Row, float64) bool) {
			for _, row := range from.initial {
				if !yield(l.read(row), float64(t.items.Labels[row])) {
					return
				}
			}
		})
	}
	return l, err
}

// cells finds the table rows of every item, as the model on the device does.
func (t *classification) cells(e phe.Config) ([]onepass.Cell, error) {
	encoder, err := phe.NewEncoder(e)
	if err != nil {
		return nil, err
	}
	rows, err := encoder.Items(t.items.Items)
	if err != nil {
		return nil, err
	}
	k, cells := e.RowsPerItem(), make([]onepass.Cell, len(t.items.Items))
	for i := range cells {
		cells[i] = onepass.Cell{Column: int(t.items.ItemColumns[i]), Share: 1, Buckets: rows.Buckets[i*k : (i+1)*k]}
		if len(rows.Weights) > 0 {
			cells[i].Weights = rows.Weights[i]
		}
	}
	return cells, nil
}

// standAlone makes an item's row its share of the logits: θ is the identity, for certain.
func (l *onePass) standAlone() error {
	f, err := l.learner.Beliefs()
	if err != nil {
		return err
	}
	clear(f.Tables["E"].Mean)
	theta, n := f.Tables["theta"].Mean, l.learner.Config().Outputs
	clear(theta)
	for i := 0; i < len(theta); i += n * n {
		for o := range n {
			theta[i+o*n+o] = 1
		}
	}
	return l.learner.SetBeliefs(f)
}

// adopt takes over the initial phase's means, and from a posterior also its variances.
func (l *onePass) adopt(b learn.Beliefs, start Start) error {
	f, err := l.learner.Beliefs()
	if err != nil {
		return err
	}
	c := l.learner.Config()
	take := func(name string, from belief.Table) {
		copy(f.Tables[name].Mean, from.Mean)
		if start == FromPosterior {
			copy(f.Tables[name].Variance, from.Variance)
		}
	}
	take("E", b.E)
	if c.WeightRows > 0 {
		take("W", b.W)
	}
	theta := f.Tables["theta"].Mean // [columns, outputs, dim]; the model's is [columns, dim, outputs]
	for column := range c.Columns {
		for d := range c.Dim {
			for o := range c.Outputs {
				theta[(column*c.Outputs+o)*c.Dim+d] = float64(b.Theta[0][(column*c.Dim+d)*c.Outputs+o])
			}
		}
	}
	block := f.Lists["block"] // the bias last
	for i := range c.Numbers * c.Outputs {
		block[i] = float64(b.Theta[1][i])
	}
	for o := range c.Outputs {
		block[c.Numbers*c.Outputs+o] = float64(b.Theta[2][o])
	}
	return l.learner.SetBeliefs(f)
}

// read returns a row of the table, until the next call.
func (l *onePass) read(row int32) *onepass.Row {
	t, columns, numbers := l.table, len(l.row.Cells), len(l.row.Numbers)
	for c := range columns {
		l.row.Cells[c] = l.cells[t.items.Index[int(row)*columns+c]]
	}
	for i := range numbers {
		l.row.Numbers[i] = float64(t.items.Numbers[int(row)*numbers+i])
	}
	return &l.row
}

// Learn conditions the beliefs on rows in their order.
func (l *onePass) Learn(rows []int32) error {
	for _, row := range rows {
		l.learner.Learn(l.read(row), float64(l.table.items.Labels[row]))
	}
	return nil
}

// Predict appends the log probability of every class of each row.
func (l *onePass) Predict(logProbabilities []float32, rows []int32) []float32 {
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
func (l *onePass) MarshalBinary() ([]byte, error) {
	return l.learner.MarshalBinary()
}

// UnmarshalBinary replaces the beliefs.
func (l *onePass) UnmarshalBinary(content []byte) error {
	return l.learner.UnmarshalBinary(content)
}

// rowLearner makes the learner of a method's rule.
func (t *classification) rowLearner(c config, m Method, from beginning) (rowLearner, error) {
	switch m.Rule {
	case AdPredictor:
		return onehot.NewAdPredictor(t.oneHot(from.initial)), nil
	case BayesianLogistic:
		return onehot.NewBayesian(t.oneHot(from.initial))
	case RefittedLogistic:
		return onehot.NewRefitted(t.oneHot(from.initial), from.every), nil
	}
	return newOnePass(t, c.Encoder, m.Start, from)
}

// oneHot is the table as package onehot reads it, its numbers standardised by the initial rows.
func (t *classification) oneHot(initial []int32) *onehot.Table {
	s := t.shape()
	x := make([]float64, len(t.items.Numbers))
	for i, v := range t.items.Numbers {
		x[i] = float64(v)
	}
	return &onehot.Table{Items: s.items, Columns: s.columns, Numbers: s.numbers, Classes: len(t.table.Classes), Index: t.items.Index,
		X: onehot.Standardise(x, s.numbers, initial), Labels: t.items.Labels}
}
