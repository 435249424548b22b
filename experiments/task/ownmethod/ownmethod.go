// Package ownmethod lets a method of your own join an experiment, without a change of the program. The method is a Go type with two
// methods, Predict and Learn. It gets the same rows as the methods of the spec, in the same order: the initial rows, and then each
// step, which it forecasts before it learns it. The same code scores it, and its rows are part of the same result.
//
// Give it to run.Execute as Options.Own, or in a notebook to cell.Run. The data must be a table with classes; forecasts of
// sales and of ratings are refused.
package ownmethod

import (
	"context"
	"fmt"

	"github.com/pkg/errors"

	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/task"
)

// Learner is a method of your own while it learns.
type Learner interface {
	// Predict returns the probabilities of a row's classes, in the order of Table.Classes, with sum 1. It must not change the learner.
	Predict(items []string, numbers []float64) []float64
	// Learn learns a row and its class, a number from 0. It may keep the slices.
	Learn(items []string, numbers []float64, class int)
}

// Table describes the rows before the first one comes.
type Table struct {
	// Items names the columns of items. An item has the name of its column in front, as PHE hashes it: education_Bachelors.
	Items       []string
	Numbers     []string // names of the columns of numbers
	Classes     []string
	Incremental int // number of the column whose items keep coming, in Items
}

// Method is a method of your own.
type Method struct {
	Name string // in the result, which must not have another method of this name
	// New returns a learner that has learned nothing. All that it draws at random must come from the seed.
	New func(t Table, seed int64) Learner
}

// Run runs a method along a plan, for each seed of a spec: once learning each step, and once frozen after the initial rows, as all
// methods of a spec run. The task must be of the plan's table. It returns both rows of the result and the Go type of the learner. say
// hears about the progress.
func (m Method) Run(ctx context.Context, t task.Task, s spec.Spec, p *protocol.Plan, say func(doing string)) (
	rows []result.Method, goType string, err error) {
	data := task.Itemise(p.Table)
	for _, frozen := range []bool{false, true} {
		row := result.Method{Name: m.Name, Frozen: frozen, Dataset: s.Dataset, Protocol: s.Protocol.ShownName(), Convention: s.Convention()}
		for _, seed := range s.Seeds {
			r := &rival{ctx: ctx, task: t, table: p.Table, data: data, name: row.Label(), seed: seed, say: say}
			err := r.create(m.New)
			var run result.Run
			if err == nil {
				run, err = task.Along(p, r, frozen)
			}
			if err != nil {
				return nil, "", errors.WithMessagef(err, "method %s, seed %d", row.Label(), seed)
			}
			run.Seed, run.Seconds, run.InitialSteps, run.UpdateSteps = seed, r.seconds, len(p.Initial), r.learned-len(p.Initial)
			row.Put(run)
			goType = fmt.Sprintf("%T", r.learner)
		}
		rows = append(rows, row)
	}
	return rows, goType, nil
}
