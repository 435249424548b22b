package run

import (
	"fmt"
	"slices"
	"strings"

	"gophe/experiments/task"
	"gophe/phe"
	"gophe/phe/hash"
)

// sayPrice tells a user what the hash functions of a model cost in the scored rows of the file, column by column. Models may share them.
func (r *run) sayPrice(m *model, said map[string]bool) error {
	own, ok := m.task.(*task.Classification)
	e := m.config.Encoder
	if !ok || r.spec.Source == nil || m.onHost() || e.Rows != phe.Hashed {
		return nil
	}
	key := fmt.Sprint(columnsKey(m.first), e.Hash, e.NumHashes, e.NumBuckets, e.NumWeights, e.HashSeed)
	if said[key] {
		return nil
	}
	said[key] = true
	network, all, err := own.Network(m.config)
	if err != nil {
		return err
	}
	family, err := hash.NewFamily(e.Hash, e.NumHashes, e.NumBuckets, e.NumWeights, e.HashSeed)
	if err != nil {
		return err
	}
	scored := slices.Concat(r.plan.Steps...)
	if !r.plan.Scored {
		scored = nil
		for _, test := range r.plan.Tests {
			scored = append(scored, test.Rows...)
		}
	}
	names, costs := map[uint64]string{}, false
	for _, item := range all.Items {
		names[e.Hash.Key(item)] = item
	}
	for _, p := range family.Prices(all.Known(scored, network.Columns, e.Hash)) {
		if p.Drawn.Right == p.Apart.Right {
			continue
		}
		costs = true
		var merged []string
		for _, item := range p.Merged[0] {
			merged = append(merged, names[item.Key])
		}
		r.options.Say(fmt.Sprintf("%s: the hash functions do not tell %s apart; by column %s alone a model forecasts at most %.1f %% of the scored rows, "+
			"and %.1f %% if each item had rows of its own", m.name, strings.Join(merged, ", "), own.Table.Categorical[p.Column].Name,
			100*p.Drawn.Right/p.Weight, 100*p.Apart.Right/p.Weight))
	}
	if !costs {
		r.options.Say(m.name + ": the hash functions cost no column of items a forecast in the scored rows")
	}
	return nil
}
