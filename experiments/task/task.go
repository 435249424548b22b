// Package task joins a data set, a protocol and a model: classification of tables, forecasts of sales, recommendation of films.
package task

import (
	"github.com/pkg/errors"

	"gophe/data"
	"gophe/data/files"
	"gophe/data/tables"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/phe/learn"
)

// Task is what models learn to do with a data set. Its examples are numbered: rows of a table, windows of sales, or ratings.
type Task interface {
	NumItems() int // number of distinct items of all columns
	Tokens() int   // number of items that an example embeds
	File() (sha256 string, verified bool)
	// Network returns the model of a configuration, and all examples as it reads them.
	Network(c spec.Config) (learn.Network, *learn.Batch, error)
	Incremental() int    // number of the column that keeps learning
	StaysOnDevice() bool // all examples fit there, and so do whole tables
	// Judge scores predictions of rows, as the model of c makes them.
	Judge(c spec.Config, rows []int32) protocol.Judge
	// RowLearner makes the learner of a method's rule.
	RowLearner(c spec.Config, m spec.Method, from Beginning) (RowLearner, error)
	// CountNumbers counts the numbers that a method of the result keeps in memory: tables, and all numbers with the head's.
	CountNumbers(row *result.Method, m spec.Method, c spec.Config, p *protocol.Plan)
	// Baselines returns the complete rows of the result file for the rules without a model.
	Baselines(s spec.Spec, p *protocol.Plan) ([]result.Method, error)
	// Export returns the data as other programs read it: see package timing.
	Export() exported
}

// Load loads a spec's data and cuts it as the protocol says.
func Load(spec spec.Spec, o files.Options) (Task, *protocol.Plan, error) {
	switch {
	case spec.Protocol.Name == protocol.TwoItems:
		return newTwoItems(spec.Protocol)
	case spec.Filter != nil || len(spec.Counters) > 0:
		return newForecasting(spec, o)
	case spec.Recommender != nil:
		return newRecommending(spec, o)
	case spec.Source != nil:
		return newOwnTask(spec, o)
	}
	table, err := data.OpenTable(spec.Dataset, o)
	if err != nil {
		return nil, nil, err
	}
	p, err := cut(spec, table)
	if err != nil {
		return nil, nil, err
	}
	return NewClassification(p.Table), p, nil
}

// cut takes the features of a spec from a table and cuts its rows as the protocol says.
func cut(s spec.Spec, t *tables.Table) (*protocol.Plan, error) {
	if len(s.Features) > 0 {
		selected, err := t.Select(s.Features)
		if err != nil {
			return nil, errors.WithMessagef(err, "spec %s, features", s.Name)
		}
		t = selected
	}
	p, err := protocol.NewPlan(s.Protocol, t)
	return p, errors.WithMessagef(err, "spec %s, protocol", s.Name)
}
