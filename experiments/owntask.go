package experiments

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"

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

// locate reads what the source of a spec file names beside the data.
func (s *Spec) locate(path string, content []byte) error {
	own := *s.Source
	if err := own.Locate(filepath.Dir(path)); err != nil {
		return errors.Errorf("%s: %s", position(path, content, findPlaces(content).of(err)), err)
	}
	if err := own.Validate(); err != nil {
		return errors.Errorf("%s: %s", position(path, content, findPlaces(content).of(err)), err)
	}
	s.Source = &own
	return nil
}

// validateSource checks what a source says, and that the rest of the spec is about tables.
func (s Spec) validateSource() error {
	switch {
	case slices.Contains(Datasets(), s.Dataset):
		return errors.Errorf("dataset is %q, which the program knows; a source is a file of yours, so choose another name, such as \"shop\", or leave the source out", s.Dataset)
	case !regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`).MatchString(s.Dataset):
		return errors.Errorf("dataset is %q; name your file with lower-case letters, digits and hyphens, as tables and figures show it", s.Dataset)
	case s.Filter != nil || s.Recommender != nil || len(s.Counters) > 0 || s.Protocol.Name == TwoItems:
		return errors.Errorf("source is a table of rows with classes; a filter, a recommender, counters and protocol %q have data of their own: leave them out", TwoItems)
	}
	return s.Source.Validate()
}

// changed tells whether the file of a spec's source is another one than that of a result.
func changed(spec Spec, f *result.File) bool {
	sum, err := spec.Source.Checksum()
	return err == nil && sum != f.Manifest.DataSHA256
}

// inOrder takes the rows of a table as they come: the first ones are initial, and the others make steps. Every row is scored.
func inOrder(p Protocol, t *data.Table) (*data.Stream, error) {
	n := t.NumRows()
	initial := int(p.InitialFraction * float64(n))
	rows := make([]int32, n)
	for row := range rows {
		rows[row] = int32(row)
	}
	s := &data.Stream{Table: t, Initial: rows[:initial:initial]}
	for step := range slices.Chunk(rows[initial:], p.ChunkRows) {
		if p.MaxChunks > 0 && len(s.Steps) == p.MaxChunks {
			break
		}
		s.Steps = append(s.Steps, step)
	}
	if initial == 0 {
		return nil, errors.Errorf("initial_fraction %g leaves no initial row of the %d rows of %s; give more", p.InitialFraction, n, t.Name)
	}
	return s, nil
}
