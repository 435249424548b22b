package task

import (
	"encoding/json"

	"github.com/pkg/errors"

	"gophe/data/files"
	"gophe/experiments/ownfile"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/experiments/spec"
)

// Own is the classification of a file of a person's own.
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

// Notes returns lines that tell a person how the file was read.
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
