package task

import (
	"slices"

	"github.com/pkg/errors"

	"gophe/data/column"
	"gophe/experiments/result"
	"gophe/experiments/rivals/onehot"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/phe"
	"gophe/phe/belief"
	"gophe/phe/hash"
	"gophe/phe/learn"
	"gophe/phe/onepass"
)

// pass returns a learner of the table's labels, which predicts the log probability of every class.
func (t *Classification) pass(l *onepass.Model, read func(row int32) *onepass.Row) onehot.Pass {
	label := func(row int32) float64 { return float64(t.Items.Labels[row]) }
	return onehot.Pass{Model: l, Target: label, Read: read, Append: onehot.AppendClasses}
}

func (t *Classification) shape() spec.Shape {
	outputs := len(t.Table.Classes)
	if outputs == 2 {
		outputs = 1
	}
	return spec.Shape{Columns: len(t.Table.Categorical), Numbers: len(t.Table.Numeric), Outputs: outputs, Items: len(t.Items.Items)}
}

// onePass learns a table by package onepass.
type onePass struct {
	onehot.Pass
	table *Classification
	items []onepass.Row // of every item: a cell and its slots
	row   onepass.Row   // the row that is read
}

func newOnePass(t *Classification, m spec.Config, start spec.Start, from Beginning) (*onePass, error) {
	c, e := spec.OnePassConfig(m, start, t.shape()), m.Encoder
	c.Seed = from.Seed
	learner, err := onepass.New(c)
	if err != nil {
		return nil, err
	}
	l := &onePass{table: t, row: onepass.Row{Numbers: make([]float64, c.Numbers)}}
	l.Pass = t.pass(learner, l.lookUp)
	if l.items, err = t.hashed(e); err != nil {
		return nil, err
	}
	if alone := start == spec.FromNothing; !alone || e.Rows == phe.Vocabulary {
		beliefs := learner.Beliefs()
		if alone {
			standAlone(beliefs, learner.Config())
		} else {
			adopt(beliefs, learner.Config(), *from.Model, start)
		}
		err = learner.SetBeliefs(beliefs)
	}
	if err == nil && start == spec.FromInitial {
		learner.Resettle(func(yield func(*onepass.Row, float64) bool) {
			for _, row := range from.Initial {
				if !yield(l.lookUp(row), float64(t.Items.Labels[row])) {
					return
				}
			}
		})
	}
	return l, err
}

// hashed finds the table rows of every item, as the model on the device does.
func (t *Classification) hashed(e phe.Config) ([]onepass.Row, error) {
	encoder, err := phe.NewEncoder(e)
	if err != nil {
		return nil, err
	}
	rows, err := encoder.Items(t.Items.Items)
	if err != nil {
		return nil, err
	}
	k, items := e.RowsPerItem(), make([]onepass.Row, len(t.Items.Items))
	for i := range items {
		cell := onepass.Cell{Column: t.Items.ItemColumns[i], Share: 1}
		if len(rows.Weights) > 0 {
			cell.Weights = rows.Weights[i]
		}
		items[i].Add(cell, rows.Buckets[i*k:(i+1)*k]...)
	}
	return items, nil
}

// standAlone makes an item's row its share of the logits: θ is the identity, for certain.
func standAlone(f belief.Copy, c onepass.Config) {
	clear(f.Tables["E"].Mean)
	theta, n := f.Tables["theta"].Mean, c.Outputs
	clear(theta)
	for i := 0; i < len(theta); i += n * n {
		for o := range n {
			theta[i+o*n+o] = 1
		}
	}
}

// adopt takes over the initial phase's means, and from a posterior also its variances.
func adopt(f belief.Copy, c onepass.Config, b learn.Beliefs, start spec.Start) {
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
}

// lookUp returns a row of the table, until the next call.
func (l *onePass) lookUp(row int32) *onepass.Row {
	t, columns, numbers := l.table, l.Config().Columns, len(l.row.Numbers)
	l.row.Cells, l.row.Slots = l.row.Cells[:0], l.row.Slots[:0]
	for _, item := range t.Items.Index[int(row)*columns : (int(row)+1)*columns] {
		l.row.Cells, l.row.Slots = append(l.row.Cells, l.items[item].Cells...), append(l.row.Slots, l.items[item].Slots...)
	}
	for i := range numbers {
		l.row.Numbers[i] = float64(t.Items.Numbers[int(row)*numbers+i])
	}
	return &l.row
}

// RowLearner makes the learner of a method's rule.
func (t *Classification) RowLearner(c spec.Config, m spec.Method, from Beginning) (_ RowLearner, err error) {
	l := Judged{Task: t, Config: c}
	switch m.Rule {
	case spec.OnePass:
		l.Classifier, err = newOnePass(t, c, m.Start, from)
	case spec.Stream:
		l.Classifier, err = newStreamPass(t, c.Stream, from.Seed)
	case spec.PheStream:
		l.Classifier, err = newWholeStream(t.Table, c.Stream.Memory, from)
	default:
		var table *onehot.Table
		if table, err = t.oneHot(c.Encoder, from); err == nil {
			l.Classifier, err = onehot.New(string(m.Rule), table, c.UpdateLearningRate, from.Every)
		}
	}
	return l, err
}

// oneHot is the table as package onehot reads it, its numbers standardised by the initial rows. Hashed items are the inputs of their
// buckets, and the seed draws the hash function.
func (t *Classification) oneHot(e phe.Config, from Beginning) (*onehot.Table, error) {
	s := t.shape()
	table := &onehot.Table{Items: s.Items, Columns: s.Columns, Numbers: s.Numbers, Classes: len(t.Table.Classes), Index: t.Items.Index,
		X: onehot.Standardise(t.Items.Numbers, s.Numbers, from.Initial), Labels: t.Items.Labels}
	if e.Rows == phe.Vocabulary {
		return table, nil
	}
	family, err := hash.NewFamily(e.Hash, 1, e.NumBuckets, 0, from.Seed)
	if err != nil {
		return nil, err
	}
	buckets := make([]int32, 0, len(t.Items.Items))
	for _, item := range t.Items.Items {
		buckets = family.Buckets(buckets, e.Hash.Key(item))
	}
	table.Items, table.Index = e.NumBuckets, column.InOrder(buckets, t.Items.Index)
	return table, nil
}

// newStreamPass returns a learner of a table by the preset Stream of package onepass, which takes numbers for items.
func newStreamPass(t *Classification, own onepass.Shape, seed int64) (*onehot.Pass, error) {
	names := Names(t.Table.Categorical)
	for _, n := range t.Table.Numeric {
		names = append(names, n.Name)
	}
	learner, read, err := streamed(spec.StreamShape(own, t.shape()), names, seed, func(e *onepass.Encoder, row int32) {
		for i, c := range t.Table.Categorical {
			e.Item(i, c.Values[row])
		}
		for i, n := range t.Table.Numeric {
			e.Number(len(t.Table.Categorical)+i, n.Values[row])
		}
	})
	pass := t.pass(learner, read)
	return &pass, err
}

// streamed returns a learner of the preset Stream, and the function that reads a row for it. encode gives an encoder the values of a row.
func streamed(s onepass.Shape, columns []string, seed int64, encode func(e *onepass.Encoder, row int32)) (
	*onepass.Model, func(int32) *onepass.Row, error) {
	c := onepass.Stream(s)
	c.Seed = seed
	learner, err := onepass.New(c)
	if c.BeliefBits != s.BeliefBits {
		err = errors.Errorf("belief_bits is %d, and the %d columns interact by %q; leave belief_bits out", s.BeliefBits, s.Columns,
			onepass.FM)
	}
	if err != nil {
		return nil, nil, err
	}
	encoder, err := onepass.NewEncoder(c, columns)
	return learner, func(row int32) *onepass.Row {
		encode(encoder, row)
		return encoder.Row()
	}, err
}

// CountNumbers counts the numbers of the embedding module, and all.
func (t *Classification) CountNumbers(row *result.Method, m spec.Method, c spec.Config, p *protocol.Plan) {
	s := t.shape()
	switch {
	case m.Replay: // it keeps all rows, which are counted nowhere
	case m.Rule == spec.OnePass:
		row.Parameters, row.TotalParameters = onePassNumbers(spec.OnePassConfig(c, m.Start, s))
	case m.Rule == spec.Stream:
		row.Parameters, row.TotalParameters = spec.StreamNumbers(onepass.Stream(spec.StreamShape(c.Stream, s)))
	case m.Rule == spec.PheStream:
		row.Parameters = m.Memory / 4
		if l, err := newWholeStream(t.Table, m.Memory, Beginning{}); err == nil {
			row.TotalParameters = l.numbers()
		}
	case m.Rule != "":
		row.TotalParameters = t.oneHotNumbers(m, p, row.Frozen)
		row.Parameters = row.TotalParameters
	default:
		head := (s.Columns*c.Encoder.EmbeddingDim + s.Numbers + 1) * s.Outputs
		row.TotalParameters = c.Encoder.NumParameters() + head
	}
}

// oneHotNumbers counts the weights, the numbers that go with them, and the rows that are kept.
func (t *Classification) oneHotNumbers(m spec.Method, p *protocol.Plan, frozen bool) int {
	s := t.shape()
	inputs := s.Items
	if m.Rows == phe.Hashed {
		inputs = m.NumBuckets
	}
	weights := (inputs + s.Numbers + 1) * s.Outputs
	switch m.Rule {
	case spec.BayesianLogistic:
		return weights + weights*weights
	case spec.RefittedLogistic:
		if frozen {
			return weights
		}
		kept := len(p.Initial) + len(slices.Concat(p.Steps...))
		return weights + kept*(s.Columns+s.Numbers+1)
	}
	return 2 * weights
}

// onePassNumbers counts means and variances of E and W, and all numbers: θ where it is learned, the block's means and its covariance.
func onePassNumbers(c onepass.Config) (embedding, total int) {
	embedding = spec.BeliefNumbers(c, c.Buckets*c.Dim+c.WeightRows*c.Hashes)
	block := (c.Numbers + 1) * c.Outputs
	total = embedding + block + block*block
	if c.Prior.Theta > 0 {
		total += 2 * c.Columns * c.Outputs * c.Dim
	}
	return embedding, total
}
