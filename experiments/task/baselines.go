package task

import (
	"gophe/experiments/baseline"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/experiments/spec"
)

// Baselines of classification take no time to count, and all seeds are alike.
func (t *Classification) Baselines(s spec.Spec, p *protocol.Plan) ([]result.Method, error) {
	columns := len(t.Table.Categorical)
	items := make([]int32, t.Table.NumRows())
	for row := range items {
		items[row] = t.Items.Index[row*columns+t.Table.Incremental]
	}
	var methods []result.Method
	for _, name := range []string{baseline.Majority, baseline.ItemMajority} {
		numbers, counted := len(t.Table.Classes), []int32(nil)
		if name == baseline.ItemMajority {
			numbers *= 1 + t.distinctItems(t.Table.Incremental)
			counted = items
		}
		f := baseline.NewFrequencies(len(t.Table.Classes), t.Table.Labels, counted)
		methods = append(methods, entry(s, name, numbers, t.count(f, p)))
	}
	return methods, nil
}

// entry is a row of the result file with the same run for every seed.
func entry(s spec.Spec, name string, numbers int, run result.Run) result.Method {
	m := result.Method{Name: name, Dataset: s.Dataset, Protocol: s.Protocol.ShownName(), Convention: s.Convention, Parameters: numbers}
	for _, seed := range s.Seeds {
		run.Seed = seed
		m.Put(run)
	}
	return m
}

// count leads class frequencies along the plan.
func (t *Classification) count(f *baseline.Frequencies, p *protocol.Plan) result.Run {
	run := result.Run{Status: result.Complete, Rows: []int{}}
	score := func(rows []int32) protocol.Score { return t.Judge(spec.Config{}, rows)(f.Predict(rows)) }
	test := func(after int) {
		for set, test := range p.Tests {
			run.Tests = append(run.Tests, TestScore(after, set, score(test.Rows)))
		}
	}
	if p.Untrained {
		test(result.Untrained)
	}
	f.Learn(p.Initial)
	if p.TestsAfter(0) {
		test(0)
	}
	for step, rows := range p.Steps {
		if p.Scored {
			WriteDown(&run, len(rows), score(rows))
		}
		f.Learn(rows)
		if p.TestsAfter(step + 1) {
			test(step + 1)
		}
	}
	return run
}

// distinctItems of a column.
func (t *Classification) distinctItems(column int) int {
	n := 0
	for _, c := range t.Items.ItemColumns {
		if int(c) == column {
			n++
		}
	}
	return n
}
