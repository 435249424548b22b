package task

import (
	"gophe/experiments/onehot"
	"gophe/experiments/protocol"
	"gophe/experiments/spec"
	"gophe/phe"
	"gophe/phe/belief"
	"gophe/phe/hash"
	"gophe/phe/learn"
	"gophe/phe/onepass"
)

func (t *Classification) shape() spec.Shape {
	outputs := len(t.Table.Classes)
	if outputs == 2 {
		outputs = 1
	}
	return spec.Shape{Columns: len(t.Table.Categorical), Numbers: len(t.Table.Numeric), Outputs: outputs, Items: len(t.Items.Items)}
}

// onePass learns a table by package onepass.
type onePass struct {
	rowPass
	table *Classification
	cells []onepass.Cell // of every item
	row   onepass.Row    // the row that is read
}

func newOnePass(t *Classification, e phe.Config, start spec.Start, from Beginning) (*onePass, error) {
	c := spec.OnePassConfig(e, start, t.shape())
	c.Seed = from.Seed
	learner, err := onepass.New(c)
	if err != nil {
		return nil, err
	}
	l := &onePass{table: t, row: onepass.Row{Cells: make([]onepass.Cell, c.Columns), Numbers: make([]float64, c.Numbers)}}
	l.rowPass = rowPass{learner, t.Items.Labels, l.lookUp}
	if l.cells, err = t.cells(e); err != nil {
		return nil, err
	}
	for row := range t.Items.Labels {
		if err := learner.Check(l.read(int32(row))); err != nil {
			return nil, err
		}
	}
	switch {
	case start != spec.FromNothing:
		err = l.adopt(*from.Model, start)
	case e.Rows == phe.Vocabulary:
		err = l.standAlone()
	}
	if err == nil && start == spec.FromInitial {
		learner.Resettle(func(yield func(*onepass.Row, float64) bool) {
			for _, row := range from.Initial {
				if !yield(l.read(row), float64(t.Items.Labels[row])) {
					return
				}
			}
		})
	}
	return l, err
}

// cells finds the table rows of every item, as the model on the device does.
func (t *Classification) cells(e phe.Config) ([]onepass.Cell, error) {
	encoder, err := phe.NewEncoder(e)
	if err != nil {
		return nil, err
	}
	rows, err := encoder.Items(t.Items.Items)
	if err != nil {
		return nil, err
	}
	k, cells := e.RowsPerItem(), make([]onepass.Cell, len(t.Items.Items))
	for i := range cells {
		cells[i] = onepass.Cell{Column: int(t.Items.ItemColumns[i]), Share: 1, Buckets: rows.Buckets[i*k : (i+1)*k]}
		if len(rows.Weights) > 0 {
			cells[i].Weights = rows.Weights[i]
		}
	}
	return cells, nil
}

// standAlone makes an item's row its share of the logits: θ is the identity, for certain.
func (l *onePass) standAlone() error {
	f := l.learner.Beliefs()
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
func (l *onePass) adopt(b learn.Beliefs, start spec.Start) error {
	f := l.learner.Beliefs()
	c := l.learner.Config()
	take := func(name string, from belief.Table) {
		copy(f.Tables[name].Mean, from.Mean)
		if start == spec.FromPosterior {
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

// lookUp returns a row of the table, until the next call.
func (l *onePass) lookUp(row int32) *onepass.Row {
	t, columns, numbers := l.table, len(l.row.Cells), len(l.row.Numbers)
	for c := range columns {
		l.row.Cells[c] = l.cells[t.Items.Index[int(row)*columns+c]]
	}
	for i := range numbers {
		l.row.Numbers[i] = float64(t.Items.Numbers[int(row)*numbers+i])
	}
	return &l.row
}

// RowLearner makes the learner of a method's rule.
func (t *Classification) RowLearner(c spec.Config, m spec.Method, from Beginning) (RowLearner, error) {
	l, err := t.predictor(c, m, from)
	return Judged{l, func(rows []int32) protocol.Judge { return t.Judge(c, rows) }}, err
}

// predictor makes the learner of a method's rule without its judge.
func (t *Classification) predictor(c spec.Config, m spec.Method, from Beginning) (predictor, error) {
	switch m.Rule {
	case spec.OnePass:
		return newOnePass(t, c.Encoder, m.Start, from)
	case spec.Stream:
		return newStreamPass(t, c.Stream.Memory, from.Seed)
	}
	table, err := t.oneHot(c.Encoder, from)
	if err != nil {
		return nil, err
	}
	return onehot.New(string(m.Rule), table, c.UpdateLearningRate, from.Every)
}

// oneHot is the table as package onehot reads it, its numbers standardised by the initial rows. Hashed items are the inputs of their
// buckets, and the seed draws the hash function.
func (t *Classification) oneHot(e phe.Config, from Beginning) (*onehot.Table, error) {
	s := t.shape()
	x := make([]float64, len(t.Items.Numbers))
	for i, v := range t.Items.Numbers {
		x[i] = float64(v)
	}
	table := &onehot.Table{Items: s.Items, Columns: s.Columns, Numbers: s.Numbers, Classes: len(t.Table.Classes), Index: t.Items.Index,
		X: onehot.Standardise(x, s.Numbers, from.Initial), Labels: t.Items.Labels}
	if e.Rows == phe.Vocabulary {
		return table, nil
	}
	family, err := hash.NewFamily(e.Hash, 1, e.NumBuckets, 0, from.Seed)
	if err != nil {
		return nil, err
	}
	table.Items, table.Index = e.NumBuckets, make([]int32, len(t.Items.Index))
	buckets := make([]int32, 0, len(t.Items.Items))
	for _, item := range t.Items.Items {
		buckets = family.Buckets(buckets, e.Hash.Key(item))
	}
	for i, item := range t.Items.Index {
		table.Index[i] = buckets[item]
	}
	return table, nil
}
