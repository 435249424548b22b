package experiments

import (
	"gophe/experiments/baseline"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
)

// rivals of classification take no time to count, and all seeds are alike.
func (t *classification) rivals(s Spec, p *plan) ([]result.Method, error) {
	columns := len(t.table.Categorical)
	items := make([]int32, t.table.NumRows())
	for row := range items {
		items[row] = t.items.Index[row*columns+t.table.Incremental]
	}
	var methods []result.Method
	for _, name := range []string{baseline.Majority, baseline.ItemMajority} {
		numbers, counted := len(t.table.Classes), []int32(nil)
		if name == baseline.ItemMajority {
			numbers *= 1 + t.distinctItems(t.table.Incremental)
			counted = items
		}
		f := baseline.NewFrequencies(len(t.table.Classes), t.table.Labels, counted)
		methods = append(methods, rival(s, name, numbers, t.count(f, p)))
	}
	return methods, nil
}

// rival is a row of the result file with the same run for every seed.
func rival(s Spec, name string, numbers int, run result.Run) result.Method {
	m := result.Method{Name: name, Dataset: s.Dataset, Protocol: s.Protocol.shown(), Convention: s.Convention, Parameters: numbers}
	for _, seed := range s.Seeds {
		run.Seed = seed
		m.Put(run)
	}
	return m
}

// count leads class frequencies along the plan.
func (t *classification) count(f *baseline.Frequencies, p *plan) result.Run {
	run := result.Run{Status: result.Complete, Rows: []int{}}
	score := func(rows []int32) protocol.Score { return t.judge(config{}, rows)(f.Predict(rows)) }
	test := func(after int) {
		for set, test := range p.Tests {
			run.Tests = append(run.Tests, testScore(after, set, score(test.Rows)))
		}
	}
	if p.untrained {
		test(result.Untrained)
	}
	f.Learn(p.Initial)
	if p.testsAfter(0) {
		test(0)
	}
	for step, rows := range p.Steps {
		if p.scored {
			writeDown(&run, len(rows), score(rows))
		}
		f.Learn(rows)
		if p.testsAfter(step + 1) {
			test(step + 1)
		}
	}
	return run
}

// distinctItems of a column.
func (t *classification) distinctItems(column int) int {
	n := 0
	for _, c := range t.items.ItemColumns {
		if int(c) == column {
			n++
		}
	}
	return n
}
