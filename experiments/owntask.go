package experiments

import (
	"encoding/json"

	"github.com/pkg/errors"

	"gophe/data"
	"gophe/experiments/ownfile"
	"gophe/experiments/result"
)

// ownTask is the classification of a file of a person's own.
type ownTask struct {
	*classification
	own *ownfile.Table
}

// newOwnTask reads the file of a spec's source and cuts it as the protocol says. Numbers are divided by what the initial rows show.
func newOwnTask(spec Spec, o data.Options) (task, *plan, error) {
	own, err := spec.Source.Read(spec.Dataset, ownfile.Options{AllowAltered: o.AllowAltered})
	if err != nil {
		return nil, nil, errors.WithMessagef(err, "spec %s", spec.Name)
	}
	table := own.Table
	if len(spec.Features) > 0 {
		if table, err = table.Select(spec.Features); err != nil {
			return nil, nil, errors.WithMessagef(err, "spec %s, features", spec.Name)
		}
	}
	p, err := newPlan(spec.Protocol, table)
	if err != nil {
		return nil, nil, errors.WithMessagef(err, "spec %s, protocol", spec.Name)
	}
	ownfile.Scale(p.Table, p.Initial)
	return &ownTask{&classification{p.Table, itemise(p.Table)}, own}, p, nil
}

// say tells what the file was taken for.
func (t *ownTask) say(o Options) {
	if o.Say == nil {
		return
	}
	for _, note := range t.own.Notes() {
		o.Say(note)
	}
}

// describe returns what the file was taken for, for the result.
func (t *ownTask) describe() *result.Table {
	schema, err := json.Marshal(t.own.Schema)
	if err != nil {
		panic(err) // plain data always encodes
	}
	d := &result.Table{Schema: schema, Classes: t.table.Classes, Incremental: t.table.Categorical[t.table.Incremental].Name,
		Rows: t.table.NumRows(), LeftOut: t.own.Left + t.own.Unlabelled + t.own.Bad, Numeric: []string{}}
	for _, c := range t.table.Categorical {
		d.Categorical = append(d.Categorical, c.Name)
	}
	for _, c := range t.table.Numeric {
		d.Numeric = append(d.Numeric, c.Name)
	}
	return d
}
