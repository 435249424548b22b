package phetest

import (
	"slices"
	"testing"

	"gophe/phe/learn"
)

// Contract is what every learner promises, whatever its network, tables, scheme, updater and scope of updates. Run it over a model
// or an updater of your own. The targets must be learnable.
type Contract struct {
	New     func(t testing.TB, seeds ...int64) *learn.Learner // that knows nothing yet
	All     *learn.Batch
	Initial []int32 // records of the initial phase
	Chunk   []int32 // records of one prediction and update
	// Unseen are records with an item that no other record of the contract has. It must be learnable too. None leaves the clause out.
	Unseen []int32
	// Loss is what a forecast of a record costs, in nats, or an error where it is no forecast at all.
	Loss   func(forecast []float32, record int32) (float64, error)
	Guess  float64 // the loss of guessing
	Epochs int     // of the initial phase; enough to learn
	Pinned bool    // All stays on the device

	Still     func(learn.Snapshot) [][]float32 // numbers of a single run that an update by Chunk must leave exactly as they are
	Moving    func(learn.Snapshot) [][]float32 // lists in each of which it must move a number
	strangers bool                             // items get rows of their own when they are learned, and not before
	// Beside is the largest difference of a forecast's number between a run alone and one beside others, after 2 epochs and
	// an update; 0 leaves the clause out.
	Beside float64
}

// Check runs every clause as a subtest.
func (c Contract) Check(t *testing.T) {
	t.Run("forecasts", c.forecasts)
	t.Run("learning", c.learning)
	t.Run("unseen items", c.unseen)
	t.Run("reproducible", c.reproducible)
	t.Run("snapshot", c.snapshot)
	t.Run("saved", c.saved)
	t.Run("update", c.update)
	t.Run("errors", c.errors)
	t.Run("predictions beside an update", c.concurrent)
	t.Run("side by side", c.sideBySide)
}

// fresh is a learner led by the numbers of records, which knows nothing yet.
func (c Contract) fresh(t testing.TB, seeds ...int64) Led {
	t.Helper()
	l := Led{c.New(t, seeds...), c.All}
	t.Cleanup(l.Close)
	switch {
	case c.Pinned:
		_, err := l.Pin(c.All)
		ok(t, err)
	case !c.strangers:
		ok(t, l.Meet(c.All)) // so that Still and Moving know the rows of a vocabulary
	}
	return l
}

// trained is a learner after its initial phase.
func (c Contract) trained(t testing.TB, seeds ...int64) Led {
	t.Helper()
	l := c.fresh(t, seeds...)
	ok(t, l.Fit(c.Initial, c.Epochs))
	l.Settle()
	return l
}

// state is a learner's, and all its numbers.
func state(t testing.TB, l Led) (learn.Snapshot, [][]float32) {
	t.Helper()
	s, err := l.Snapshot()
	ok(t, err)
	return s, flat(s)
}

func flat(s learn.Snapshot) [][]float32 { return slices.Concat(s.Parameters, s.Moments) }

func (c Contract) predict(t testing.TB, l Led) learn.Predictions {
	t.Helper()
	p, err := l.Learner.Predict(c.All.Take(c.Chunk))
	ok(t, err)
	return p
}

// loss is the mean of records' under a single run's forecasts.
func (c Contract) loss(t testing.TB, p learn.Predictions, records []int32) (mean float64) {
	t.Helper()
	for i, record := range records {
		loss, err := c.Loss(p.Of(0, i), record)
		ok(t, err)
		mean += loss / float64(len(records))
	}
	return
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%+v", err)
	}
}

func equal(a, b [][]float32) bool { return slices.EqualFunc(a, b, slices.Equal[[]float32]) }
