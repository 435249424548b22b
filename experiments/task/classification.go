package task

import (
	"encoding/json"

	"github.com/pkg/errors"

	"gophe/data/column"
	"gophe/data/files"
	"gophe/data/tables"
	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/spec/ownfile"
	"gophe/experiments/spec/protocol"
	"gophe/phe/learn"
	"gophe/phe/models/tabular"
)

// Classification is the task of Sec. 4.2: each row of a table has a label.
type Classification struct {
	Table *tables.Table
	Items tabular.Data
}

// NewClassification returns the task of a table.
func NewClassification(t *tables.Table) *Classification { return &Classification{t, Itemise(t)} }

// Without returns the task of the same rows without some columns. Its learners are told the numbers of the same rows, so that they are
// scored on the same rows. Only tables can lack columns.
func Without(t Task, columns []string) (Task, error) {
	var whole *Classification
	switch t := t.(type) {
	case *Classification:
		whole = t
	case *Own:
		whole = t.Classification
	default:
		return nil, errors.New("only a table can lack columns; leave the setting out")
	}
	table, err := whole.Table.Without(columns)
	if err != nil {
		return nil, err
	}
	return NewClassification(table), nil
}

// About describes the table.
func (t *Classification) About() About {
	return About{NumItems: len(t.Items.Items), Tokens: len(t.Table.Categorical), Incremental: t.Table.Incremental, OnDevice: true,
		SHA256: t.Table.SHA256, Verified: t.Table.Verified}
}

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

// Own is the classification of a user's file.
type Own struct {
	*Classification
	own *ownfile.Table
}

// newOwnTask reads the file of a spec's source and cuts it as the protocol says. The initial rows decide the unit of each number.
func newOwnTask(spec spec.Spec, o files.Options) (Task, *protocol.Plan, error) {
	own, err := spec.Source.Read(spec.Dataset, o)
	if err != nil {
		return nil, nil, errors.WithMessagef(err, "spec %s", spec.Name)
	}
	p, err := cut(spec, own.Table)
	if err != nil {
		return nil, nil, err
	}
	ownfile.Scale(p.Table, p.Initial)
	return &Own{NewClassification(p.Table), own}, p, nil
}

// Notes returns lines about how the file was read.
func (t *Own) Notes() []string { return t.own.Notes() }

// Describe returns the columns as they were read, for the result.
func (t *Own) Describe() *result.Table {
	schema, err := json.Marshal(t.own.Schema)
	if err != nil {
		panic(err) // plain data always encodes
	}
	d := &result.Table{Schema: schema, Classes: t.Table.Classes, Incremental: t.Table.Categorical[t.Table.Incremental].Name,
		Rows: t.Table.NumRows(), LeftOut: t.own.Left + t.own.Unlabelled + t.own.Bad, Numeric: []string{}}
	for _, c := range t.Table.Categorical {
		d.Categorical = append(d.Categorical, c.Name)
	}
	for _, c := range t.Table.Numeric {
		d.Numeric = append(d.Numeric, c.Name)
	}
	return d
}
