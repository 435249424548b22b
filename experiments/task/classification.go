package task

import (
	"encoding/json"

	"github.com/pkg/errors"

	"gophe/data"
	"gophe/data/column"
	"gophe/data/files"
	"gophe/data/labelled"
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
	Table *labelled.Table
	Items tabular.Data
	file  *ownfile.Table // of a user; nil for a table of the program
}

// NewClassification returns the task of a table.
func NewClassification(t *labelled.Table) *Classification {
	return &Classification{Table: t, Items: Itemise(t)}
}

// newClassification loads a table, or a user's file, takes the features of a spec from it, and cuts its rows as the protocol says. The
// initial rows decide the unit of each number of a user's file.
func newClassification(s spec.Spec, o files.Options) (_ Task, p *protocol.Plan, err error) {
	var table *labelled.Table
	var file *ownfile.Table
	if s.Source == nil {
		table, err = data.OpenTable(s.Dataset, o)
	} else if file, err = s.Source.Read(s.Dataset, o); err != nil {
		err = errors.WithMessagef(err, "spec %s", s.Name)
	} else {
		table = file.Table
	}
	if err == nil && len(s.Features) > 0 {
		table, err = table.Select(s.Features)
		err = errors.WithMessagef(err, "spec %s, features", s.Name)
	}
	if err == nil {
		p, err = protocol.NewPlan(s.Protocol, table)
		err = errors.WithMessagef(err, "spec %s, protocol", s.Name)
	}
	if err != nil {
		return nil, nil, err
	}
	if file != nil {
		ownfile.Scale(p.Table, p.Initial)
	}
	t := NewClassification(p.Table)
	t.file = file
	return t, p, nil
}

// Without returns the task of the same rows without some columns. Its learners are told the numbers of the same rows, so that they are
// scored on the same rows. Only tables can lack columns.
func Without(t Task, columns []string) (Task, error) {
	whole, ok := t.(*Classification)
	if !ok {
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
	m, err := tabular.New(tabular.Config{Config: c.Config, Columns: Names(t.Table.Categorical), Numbers: len(t.Table.Numeric),
		Classes: len(t.Table.Classes)})
	if err != nil {
		return learn.Network{}, nil, err
	}
	all, err := m.Batch(t.Items)
	return m.Network, all, err
}

// Names returns the names of columns.
func Names(columns []column.Categorical) (names []string) {
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
}

// Judge scores log probabilities of the classes.
func (t *Classification) Judge(_ spec.Config, rows []int32, logProbabilities []float32) protocol.Score {
	labels, classes := column.InOrder(t.Table.Labels, rows), len(t.Table.Classes)
	return protocol.Score{
		Metrics: map[string]float64{
			measure.Accuracy:      measure.ClassAccuracy(logProbabilities, labels, classes),
			measure.LogLikelihood: measure.ClassLogLikelihood(logProbabilities, labels, classes),
		},
		Finite: measure.AllFinite(logProbabilities),
	}
}

// Own returns notes on how a user's file was read, and its columns for the result; nil for a data set of the program.
func Own(of Task) (notes []string, columns *result.Table) {
	t, ok := of.(*Classification)
	if !ok || t.file == nil {
		return nil, nil
	}
	schema, err := json.Marshal(t.file.Schema)
	if err != nil {
		panic(err) // plain data always encodes
	}
	d := &result.Table{Schema: schema, Classes: t.Table.Classes, Incremental: t.Table.Categorical[t.Table.Incremental].Name,
		Rows: t.Table.NumRows(), LeftOut: t.file.Left + t.file.Unlabelled + t.file.Bad,
		Categorical: Names(t.Table.Categorical), Numeric: []string{}}
	for _, c := range t.Table.Numeric {
		d.Numeric = append(d.Numeric, c.Name)
	}
	return t.file.Notes(), d
}

// Export returns the items, labels and numbers of all rows.
func (t *Classification) Export() Exported {
	rows, columns, numbers := t.Table.NumRows(), len(t.Table.Categorical), len(t.Table.Numeric)
	return Exported{t.Items.Items, map[string]Array{
		"column": {t.Items.ItemColumns, []int{len(t.Items.Items)}},
		"index":  {t.Items.Index, []int{rows, columns}},
		"values": {t.Items.Numbers, []int{rows, numbers}},
		"labels": {t.Items.Labels, []int{rows}},
	}, map[string]any{"columns": columns, "numbers": numbers, "classes": len(t.Table.Classes), "incremental": t.Table.Incremental}}
}
