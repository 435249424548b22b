// Package learntest checks learners, as fstest checks file systems. Check a model or an updater of your own by [Contract.Check].
package learntest

import (
	"fmt"
	"slices"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
)

// Contract holds the promises that every learner keeps, for any network, tables, scheme, updater and scope of updates. Run it over
// a model or an updater of your own. The targets must be learnable.
type Contract struct {
	Network learn.Network
	Config  learn.Config
	Options learn.Options // without a backend and seeds
	All     *learn.Batch
	Initial []int32 // records of the initial phase
	Chunk   []int32 // records of one prediction and update
	// Unseen are records with an item that no other record of the contract has. The item must be learnable. Without records the clause is
	// skipped.
	Unseen []int32
	// Loss returns the loss of a record's forecast in nats, or an error if the numbers are not a forecast.
	Loss   func(forecast []float32, record int32) (float64, error)
	Guess  float64 // the loss of guessing
	Epochs int     // number of epochs of the initial phase; enough to learn
	Pinned bool    // All stays on the device

	// Beside is the largest difference of a forecast number of a run beside other runs from the number of a single run, after 2 epochs
	// and an update; 0 skips the clause.
	Beside float64

	strangers bool // items get rows of their own when they are learned, and not before

	t       *testing.T                // the whole contract's
	roots   map[int]nettest.Led       // by the number of seeds: the clauses' learners share their programs
	initial map[string]learn.Snapshot // after the initial phase, by seeds; nil in a clause whose learners train on their own
}

// Check runs every clause as a subtest.
func (c Contract) Check(t *testing.T) {
	c.t, c.roots, c.initial = t, map[int]nettest.Led{}, map[string]learn.Snapshot{}
	t.Run("forecasts", c.forecasts)
	t.Run("learning", c.learning)
	t.Run("unseen items", c.unseen)
	t.Run("reproducible", c.reproducible)
	t.Run("snapshot", c.continues(restore))
	t.Run("saved", c.continues(save))
	t.Run("update", c.update)
	t.Run("errors", c.errors)
	t.Run("predictions beside an update", c.concurrent)
	t.Run("side by side", c.sideBySide)
	t.Run("pinned or not", c.pinnedOrNot)
}

// fresh returns a learner that has seen no data. The test leads it by the numbers of records.
func (c Contract) fresh(t testing.TB, seeds ...int64) nettest.Led {
	t.Helper()
	root, ok := c.roots[len(seeds)]
	if !ok {
		o := c.Options
		o.Seeds = seeds
		root = nettest.New(c.t, c.Network, c.Config, o, c.All)
		c.roots[len(seeds)] = root
	}
	l := nettest.Led{Learner: filetest.Must(root.Fork(seeds))(t), All: c.All}
	t.Cleanup(l.Close)
	switch {
	case c.Pinned:
		return l.Pinned(t)
	case !c.strangers:
		filetest.Check(t, l.Meet(c.All)) // so that the rows of a vocabulary are known
	}
	return l
}

// trained returns a learner after its initial phase, which the clauses share.
func (c Contract) trained(t testing.TB, seeds ...int64) nettest.Led {
	t.Helper()
	l, key := c.fresh(t, seeds...), fmt.Sprint(seeds)
	if s, done := c.initial[key]; done {
		filetest.Check(t, l.Restore(s))
		return l
	}
	filetest.Check(t, l.Fit(c.Initial, c.Epochs))
	l.Settle()
	if c.initial != nil {
		c.initial[key], _ = state(t, l)
	}
	return l
}

// state returns a learner's snapshot, and all its numbers.
func state(t testing.TB, l nettest.Led) (learn.Snapshot, [][]float32) {
	t.Helper()
	s := l.State(t)
	return s, flat(s)
}

func flat(s learn.Snapshot) [][]float32 { return slices.Concat(s.Parameters, s.Moments) }

func (c Contract) predict(t testing.TB, l nettest.Led) learn.Predictions {
	t.Helper()
	return filetest.Must(l.Learner.Predict(c.All.Take(c.Chunk)))(t)
}

// loss returns the mean loss of the records under the forecasts of a single run.
func (c Contract) loss(t testing.TB, p learn.Predictions, records []int32) (mean float64) {
	t.Helper()
	for i, record := range records {
		mean += filetest.Must(c.Loss(p.Of(0, i), record))(t) / float64(len(records))
	}
	return
}
