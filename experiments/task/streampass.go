package task

import (
	"gophe/experiments/spec"
	"gophe/phe/onepass"
)

// newStreamPass returns a learner of a table by the preset Stream of package onepass, which takes numbers for items.
func newStreamPass(t *Classification, memory int, seed int64) (*rowPass, error) {
	c := onepass.Stream(spec.StreamShape(memory, t.shape()))
	c.Seed = seed
	learner, err := onepass.New(c)
	if err != nil {
		return nil, err
	}
	names := Names(t.Table.Categorical)
	for _, n := range t.Table.Numeric {
		names = append(names, n.Name)
	}
	encoder, err := onepass.NewEncoder(c, names)
	return &rowPass{learner, t.Items.Labels, func(row int32) *onepass.Row {
		for i, c := range t.Table.Categorical {
			encoder.Item(i, c.Values[row])
		}
		for i, n := range t.Table.Numeric {
			encoder.Number(len(t.Table.Categorical)+i, n.Values[row])
		}
		return encoder.Row()
	}}, err
}
