package task

import (
	"math"

	"github.com/pkg/errors"

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
		run, err := t.Along(p, frequencies{f}, false)
		if err != nil {
			return nil, err
		}
		methods = append(methods, entry(s, name, numbers, run))
	}
	if t.Table.Truth != nil {
		run, err := t.Along(p, truth(t.Table.Truth), true)
		if err != nil {
			return nil, err
		}
		methods = append(methods, entry(s, baseline.Truth, 0, run))
	}
	return methods, nil
}

// truth is the rival that knows the probability of the second class from which each label was drawn. Nothing forecasts better.
type truth []float64

// Predict returns log probabilities.
func (t truth) Predict(rows []int32) (logs []float32, err error) {
	for _, row := range rows {
		logs = append(logs, float32(math.Log1p(-t[row])), float32(math.Log(t[row])))
	}
	return logs, nil
}

// Learn learns nothing.
func (truth) Learn([]int32) error { return nil }

// entry is a row of the result file with the same run for every seed.
func entry(s spec.Spec, name string, numbers int, run result.Run) result.Method {
	m := result.Method{Name: name, Dataset: s.Dataset, Protocol: s.Protocol.ShownName(), Convention: s.Convention, Parameters: numbers}
	for _, seed := range s.Seeds {
		run.Seed = seed
		m.Put(run)
	}
	return m
}

// frequencies is a baseline as a rival, whose calls may fail.
type frequencies struct{ *baseline.Frequencies }

// Predict returns log probabilities.
func (f frequencies) Predict(rows []int32) ([]float32, error) {
	return f.Frequencies.Predict(rows), nil
}

// Learn counts labels.
func (f frequencies) Learn(rows []int32) error {
	f.Frequencies.Learn(rows)
	return nil
}

// Rival learns the rows of a table without a model of the program's.
type Rival interface {
	// Predict returns the log probability of every class of each row, in nats. It changes nothing.
	Predict(rows []int32) ([]float32, error)
	// Learn learns rows in their order.
	Learn(rows []int32) error
}

// Along leads a rival along a plan, as a trial leads a model: it predicts a step's rows, is scored, and only then learns them. A
// frozen rival learns the initial rows alone. An error names the step.
func (t *Classification) Along(p *protocol.Plan, r Rival, frozen bool) (result.Run, error) {
	run := result.Run{Status: result.Complete, Rows: []int{}}
	score := func(rows []int32) (protocol.Score, error) {
		predictions, err := r.Predict(rows)
		if err != nil {
			return protocol.Score{}, err
		}
		return t.Judge(spec.Config{}, rows)(predictions), nil
	}
	test := func(after int) error {
		for set, test := range p.Tests {
			s, err := score(test.Rows)
			if err != nil {
				return errors.WithMessagef(err, "test after %d steps", max(0, after))
			}
			run.Tests = append(run.Tests, TestScore(after, set, s))
		}
		return nil
	}
	if p.Untrained {
		if err := test(result.Untrained); err != nil {
			return run, err
		}
	}
	if err := r.Learn(p.Initial); err != nil {
		return run, errors.WithMessage(err, "initial rows")
	}
	if p.TestsAfter(0) {
		if err := test(0); err != nil {
			return run, err
		}
	}
	for step, rows := range p.Steps {
		if p.Scored {
			s, err := score(rows)
			if err != nil {
				return run, errors.WithMessagef(err, "step %d of %d", step+1, len(p.Steps))
			}
			WriteDown(&run, len(rows), s, p.Shares(step))
		}
		if !frozen {
			if err := r.Learn(rows); err != nil {
				return run, errors.WithMessagef(err, "step %d of %d", step+1, len(p.Steps))
			}
		}
		if p.TestsAfter(step + 1) {
			if err := test(step + 1); err != nil {
				return run, err
			}
		}
	}
	return run, nil
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
