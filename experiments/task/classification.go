package task

import (
	"github.com/pkg/errors"

	"gophe/data/column"
	"gophe/data/tables"
	"gophe/experiments/measure"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/phe"
	"gophe/phe/learn"
	"gophe/phe/onepass"
	"gophe/phe/tabular"
)

// Classification is the task of Sec. 4.2: each row of a table has a label.
type Classification struct {
	Table *tables.Table
	Items tabular.Data
}

// NewClassification returns the task of a table.
func NewClassification(t *tables.Table) *Classification { return &Classification{t, Itemise(t)} }

// Without returns the task of the same rows without some columns. Its learners are told the numbers of the same rows, so that they are
// scored on the same rows.
func (t *Classification) Without(columns []string) (*Classification, error) {
	table, err := t.Table.Without(columns)
	if err != nil {
		return nil, err
	}
	return NewClassification(table), nil
}

// Without returns a task that lacks some columns of its rows. Only tables can lack columns.
func Without(t Task, columns []string) (Task, error) {
	table, ok := t.(interface {
		Without(columns []string) (*Classification, error)
	})
	if !ok {
		return nil, errors.New("only a table can lack columns; leave the setting out")
	}
	return table.Without(columns)
}

// NumItems returns the number of distinct items of the table.
func (t *Classification) NumItems() int { return len(t.Items.Items) }

// Tokens returns the number of items in a row.
func (t *Classification) Tokens() int { return len(t.Table.Categorical) }

// File returns the checksum of the data's file, and whether it is the known one.
func (t *Classification) File() (sha256 string, verified bool) {
	return t.Table.SHA256, t.Table.Verified
}

// Incremental returns the number of the column that keeps learning.
func (t *Classification) Incremental() int { return t.Table.Incremental }

// StaysOnDevice is true: all examples and the whole tables fit on a device.
func (t *Classification) StaysOnDevice() bool { return true }

// Network returns the classifier of a configuration, with the rows as it reads them.
func (t *Classification) Network(c spec.Config) (learn.Network, *learn.Batch, error) {
	m, err := tabular.New(tabular.Config{Config: c.Config, Columns: Names(t.Table.Categorical), Numbers: len(t.Table.Numeric), Classes: len(t.Table.Classes)})
	if err != nil {
		return learn.Network{}, nil, err
	}
	all, err := m.Batch(t.Items)
	return m.Network(), all, err
}

// Names returns the names of columns.
func Names(columns []column.Categorical) (names []string) {
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
}

// Judge scores log probabilities of the classes.
func (t *Classification) Judge(_ spec.Config, rows []int32) protocol.Judge {
	labels, classes := t.labels(rows), len(t.Table.Classes)
	return func(logProbabilities []float32) protocol.Score {
		return protocol.Score{
			Metrics: map[string]float64{
				measure.Accuracy:      measure.ClassAccuracy(logProbabilities, labels, classes),
				measure.LogLikelihood: measure.ClassLogLikelihood(logProbabilities, labels, classes),
			},
			Finite: measure.AllFinite(logProbabilities),
		}
	}
}

// score scores log probabilities of the classes of rows.
func (t *Classification) score(rows []int32, logProbabilities []float32) protocol.Score {
	return t.Judge(spec.Config{}, rows)(logProbabilities)
}

// labels of rows.
func (t *Classification) labels(rows []int32) []int32 {
	labels := make([]int32, len(rows))
	for i, row := range rows {
		labels[i] = t.Table.Labels[row]
	}
	return labels
}

// CountNumbers counts the numbers of the embedding module, and all.
func (t *Classification) CountNumbers(row *result.Method, m spec.Method, c spec.Config, p *protocol.Plan) {
	s := t.shape()
	switch {
	case m.Replay: // it keeps all rows, which are counted nowhere
	case m.Rule == spec.OnePass:
		row.Parameters, row.TotalParameters = onePassNumbers(spec.OnePassConfig(c.Encoder, m.Start, s))
	case m.Rule == spec.Stream:
		row.Parameters, row.TotalParameters = spec.StreamNumbers(onepass.Stream(spec.StreamShape(m.Memory, s)))
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
		kept := len(p.Initial)
		for _, step := range p.Steps {
			kept += len(step)
		}
		return weights + kept*(s.Columns+s.Numbers+1)
	}
	return 2 * weights
}
