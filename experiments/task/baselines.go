package task

import (
	"fmt"
	"math"
	"slices"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/floats"

	"gophe/experiments/result"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
)

// Baselines of classification take no time to count, and all seeds are alike.
func (t *Classification) Baselines(s spec.Spec, p *protocol.Plan) ([]result.Method, error) {
	classes, items := len(t.Table.Classes), t.Table.Categorical[t.Table.Incremental]
	numbers, distinct := items.Itemise()
	rivals := []named{
		{baseline.Majority, classes, &frequencies{task: t, all: make([]float64, classes)}},
		{baseline.ItemMajority, classes * (1 + len(distinct)), &frequencies{task: t, all: make([]float64, classes), items: numbers,
			byItem: make([]float64, classes*len(distinct))}},
	}
	if t.Table.Truth != nil {
		rivals = append(rivals, named{baseline.Truth, 0, truth{t}})
	}
	return runBaselines(s, p, rivals)
}

// named is a baseline with its name and the number of numbers that it keeps.
type named struct {
	name    string
	numbers int
	rival   rival
}

// runBaselines runs baselines along a plan, and returns their rows of the result file.
func runBaselines(s spec.Spec, p *protocol.Plan, rivals []named) ([]result.Method, error) {
	var methods []result.Method
	for _, r := range rivals {
		run, err := Along(p, r.rival, false)
		if err != nil {
			return nil, errors.WithMessagef(err, "baseline %s", r.name)
		}
		methods = append(methods, entry(s, r.name, r.numbers, run))
	}
	return methods, nil
}

// truth predicts the probability from which each label was drawn. No forecast is better.
type truth struct{ task *Classification }

// Score scores the true probabilities.
func (r truth) Score(rows []int32) (protocol.Score, error) {
	var logs []float32
	for _, row := range rows {
		p := r.task.Table.Truth[row]
		logs = append(logs, float32(math.Log1p(-p)), float32(math.Log(p)))
	}
	return r.task.Judge(spec.Config{}, rows, logs), nil
}

// Learn learns nothing.
func (truth) Learn([]int32) error { return nil }

// entry is a row of the result file with the same run for every seed.
func entry(s spec.Spec, name string, numbers int, run result.Run) result.Method {
	m := result.Method{Name: name, Dataset: s.Dataset, Protocol: s.Protocol.ShownName(), Convention: s.Convention(), Parameters: numbers}
	for _, seed := range s.Seeds {
		run.Seed = seed
		m.Put(run)
	}
	return m
}

// Along runs a rival along a plan, as package run runs a model: it predicts the rows of a step, is scored, and then learns the rows. A
// frozen rival learns the initial rows alone. An error names the step.
func Along(p *protocol.Plan, r rival, frozen bool) (run result.Run, err error) {
	run = result.Run{Status: result.Complete, Rows: []int{}}
	where := "" // in the plan
	defer func() { err = errors.WithMessage(err, where) }()
	test := func(after int) error {
		where = fmt.Sprintf("test after %d steps", max(0, after))
		for set, test := range p.Tests {
			s, err := r.Score(test.Rows)
			if err != nil {
				return err
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
	for done, rows := range append([][]int32{p.Initial}, p.Steps...) { // steps done
		if where = "initial rows"; done > 0 {
			where = fmt.Sprintf("step %d of %d", done, len(p.Steps))
		}
		if p.Scored && done > 0 {
			s, err := r.Score(rows)
			if err != nil {
				return run, err
			}
			WriteDown(&run, len(rows), s, p.Shares(done-1))
		}
		if !frozen || done == 0 {
			if err := r.Learn(rows); err != nil {
				return run, err
			}
		}
		if p.TestsAfter(done) {
			if err := test(done); err != nil {
				return run, err
			}
		}
	}
	return run, nil
}

// frequencies predicts how often each class was seen, with one row added for each class. By item, it counts for each item
// of one column, and starts from the overall frequencies as if one row of the item had them.
type frequencies struct {
	task   *Classification
	items  []int32 // the number of every row's item; nil to count all rows together
	all    []float64
	byItem []float64 // [items, classes]
}

// Learn counts the labels of rows.
func (f *frequencies) Learn(rows []int32) error {
	for _, row := range rows {
		label := f.task.Table.Labels[row]
		f.all[label]++
		if f.items != nil {
			f.byItem[int(f.items[row])*len(f.all)+int(label)]++
		}
	}
	return nil
}

// Score scores the shares of the labels so far.
func (f *frequencies) Score(rows []int32) (protocol.Score, error) {
	overall := slices.Clone(f.all)
	floats.AddConst(1, overall)
	total := floats.Sum(overall)
	var logProbabilities []float32
	for _, row := range rows {
		own := make([]float64, len(f.all))
		if f.items != nil {
			copy(own, f.byItem[int(f.items[row])*len(f.all):])
		}
		ownTotal := floats.Sum(own)
		for k := range f.all {
			p := (own[k] + overall[k]/total) / (ownTotal + 1)
			logProbabilities = append(logProbabilities, float32(math.Log(p)))
		}
	}
	return f.task.Judge(spec.Config{}, rows, logProbabilities), nil
}
