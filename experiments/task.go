package experiments

import (
	"github.com/gomlx/compute"
	"github.com/pkg/errors"

	"gophe/data"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/phe/dkf"
	"gophe/phe/ncf"
	"gophe/phe/onepass"
	"gophe/phe/online"
	"gophe/phe/tabular"
)

// config is a method's model: what every model has, and what a deep Kalman filter, a recommender or one pass over ratings has of
// its own, which is zero for the others.
type config struct {
	online.Config
	Filter      dkf.Filter
	Recommender ncf.Recommender
	Stream      onepass.Shape // of one pass over ratings
}

// validate returns the first thing wrong with the model and what would be right.
func (c config) validate() error {
	switch {
	case c.Filter != (dkf.Filter{}):
		return dkf.Config{Config: c.Config, Filter: c.Filter}.Validate()
	case c.Recommender != (ncf.Recommender{}):
		return ncf.Config{Config: c.Config, Recommender: c.Recommender}.Validate()
	}
	return tabular.Config{Config: c.Config}.Validate()
}

// task is what models learn to do with a data set. Its examples are numbered: rows of a table, windows of sales, or ratings.
type task interface {
	numItems() int // number of distinct items of all columns
	tokens() int   // number of items that an example embeds
	file() (sha256 string, verified bool)
	model(b compute.Backend, c config, seeds, updateRows int) (*online.Model, error)
	// judge scores predictions of rows, as the model of c makes them.
	judge(c config, rows []int32) protocol.Judge
	// rivals are the trivial rivals' rows of the result file, complete.
	rivals(s Spec, p *plan) ([]result.Method, error)
	// export returns the data as other programs read it: see [Workload.Export].
	export() exported
}

// newTask loads a spec's data and cuts it as the protocol says.
func newTask(spec Spec, o data.Options) (task, *plan, error) {
	switch {
	case spec.Filter != nil:
		return newForecasting(spec, o)
	case spec.Recommender != nil:
		return newRecommending(spec, o)
	}
	if spec.Source != nil {
		return newOwnTask(spec, o)
	}
	table, err := data.Load(spec.Dataset, o)
	if err != nil {
		return nil, nil, err
	}
	if len(spec.Features) > 0 {
		if table, err = table.Select(spec.Features); err != nil {
			return nil, nil, errors.WithMessagef(err, "spec %s, features", spec.Name)
		}
	}
	p, err := newPlan(spec.Protocol, table)
	if err != nil {
		return nil, nil, errors.WithMessagef(err, "spec %s, protocol", spec.Name)
	}
	return &classification{p.Table, itemise(p.Table)}, p, nil
}
