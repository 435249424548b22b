package phetest

import (
	"slices"
	"testing"
)

// Learner is what the contract asks of a classifier: the life of one or more runs along a stream, S being its state on
// the host. Predict gives log probabilities, run after run, row after row, class after class.
type Learner[S any] interface {
	Initialise() error
	TrainEpoch(rows []int32, epoch int) error
	EndInitialPhase()
	Predict(rows []int32, step int) ([]float32, error)
	Update(rows []int32, epochs, step int) error
	Snapshot() (S, error)
	Restore(S) error
}

// Contract is what every method promises, whatever its table and its scope of updates. Labels must be learnable.
type Contract[S any] struct {
	New     func(t testing.TB, seeds ...int64) Learner[S] // not initialised
	Initial []int32                                       // rows of the initial phase
	Chunk   []int32                                       // rows of one prediction and update
	Labels  []int32                                       // of all rows
	Classes int
	Epochs  int                 // of the initial phase; enough to learn
	Flat    func(S) [][]float32 // all numbers of the state
	Still   func(S) [][]float32 // numbers of a single run that an update by Chunk must leave exactly as they are
	Moving  func(S) [][]float32 // lists in each of which it must move a number
	// Beside is the largest difference of a log probability between a run alone and one beside others, after 2 epochs and
	// an update; 0 leaves the clause out.
	Beside float64
}

// Check runs every clause as a subtest.
func (c Contract[S]) Check(t *testing.T) {
	t.Run("probabilities", c.probabilities)
	t.Run("learning", c.learning)
	t.Run("reproducible", c.reproducible)
	t.Run("snapshot", c.snapshot)
	t.Run("update", c.update)
	t.Run("side by side", c.sideBySide)
}

// trained is a learner after its initial phase.
func (c Contract[S]) trained(t testing.TB, seeds ...int64) Learner[S] {
	t.Helper()
	l := c.New(t, seeds...)
	ok(t, l.Initialise())
	for epoch := range c.Epochs {
		ok(t, l.TrainEpoch(c.Initial, epoch))
	}
	l.EndInitialPhase()
	return l
}

// state is a learner's, and all its numbers.
func (c Contract[S]) state(t testing.TB, l Learner[S]) (S, [][]float32) {
	t.Helper()
	s, err := l.Snapshot()
	ok(t, err)
	return s, c.Flat(s)
}

func (c Contract[S]) predict(t testing.TB, l Learner[S], step int) []float32 {
	t.Helper()
	logProbabilities, err := l.Predict(c.Chunk, step)
	ok(t, err)
	return logProbabilities
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%+v", err)
	}
}

func equal(a, b [][]float32) bool { return slices.EqualFunc(a, b, slices.Equal[[]float32]) }
