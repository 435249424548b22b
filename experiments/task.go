package experiments

import (
	"github.com/pkg/errors"

	"gophe/data"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/phe/learn"
)

// task is what models learn to do with a data set. Its examples are numbered: rows of a table, windows of sales, or ratings.
type task interface {
	numItems() int // number of distinct items of all columns
	tokens() int   // number of items that an example embeds
	file() (sha256 string, verified bool)
	// network returns the model of a configuration, and all examples as it reads them.
	network(c config) (learn.Network, *learn.Batch, error)
	incremental() int    // column that keeps learning
	staysOnDevice() bool // all examples fit there, and so do whole tables
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
