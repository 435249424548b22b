package tabular_test

import (
	"math"
	"slices"
	"testing"

	"gophe/phe"
	"gophe/phe/tabular"
)

// A chunk smaller than the model's is padded: it predicts and learns what a model of its own size does. Without noise,
// that is, since a noise's numbers depend on the shape that is drawn.
func TestPaddingChangesNothing(t *testing.T) {
	for _, m := range methods {
		c := m.config(1, 2)
		c.Scheme, c.Loss = phe.Quadrature, phe.Expected
		d := toyData(1, 2)
		rows := upTo(50, 55)
		var predictions [2][]float32
		var states [2]tabular.Snapshot
		for i, size := range []int{len(rows), 13} {
			l := newLearner(t, newModel(t, c, d, 1, size), 4)
			check(t, l.Initialise())
			check(t, l.TrainEpoch(upTo(0, 41), 0)) // two batches, the second padded
			l.EndInitialPhase()
			check(t, l.Update(rows, 2, 0))
			var err error
			predictions[i], err = l.Predict(rows, 0)
			check(t, err)
			states[i] = snapshot(t, l)
		}
		// Padding adds zeros to sums, which may then group otherwise; two steps of Adam divide by small gradients.
		for i, v := range predictions[0] {
			if math.Abs(float64(v-predictions[1][i])) > 1e-4 {
				t.Fatalf("%s: log probability %d is %g unpadded and %g padded", m.name, i, v, predictions[1][i])
			}
		}
		for p := range states[0].Parameters {
			for i, v := range states[0].Parameters[p] {
				if math.Abs(float64(v-states[1].Parameters[p][i])) > 1e-4 {
					t.Fatalf("%s: parameter %d differs", m.name, p)
				}
			}
		}
	}
}

// Fewer rows of the same model get the same bits: the padded rows come after.
func TestPredictPrefix(t *testing.T) {
	c := methods[0].config(1, 2)
	l := newLearner(t, newModel(t, c, toyData(1, 2), 1, 13), 4)
	check(t, l.Initialise())
	all, err := l.Predict(upTo(0, 13), 2)
	check(t, err)
	some, err := l.Predict(upTo(0, 5), 2)
	check(t, err)
	if !slices.Equal(some, all[:len(some)]) {
		t.Errorf("five rows predict %v, thirteen %v", some, all)
	}
	later, err := l.Predict(upTo(0, 5), 3)
	check(t, err)
	wider := tabular.Snapshot{Parameters: snapshot(t, l).Parameters}
	for i, logStdDev := range wider.Parameters[1] {
		wider.Parameters[1][i] = logStdDev + 2
	}
	check(t, l.Restore(wider))
	other, err := l.Predict(upTo(0, 5), 2)
	check(t, err)
	if slices.Equal(some, later) || slices.Equal(some, other) {
		t.Error("another step, or another deviation, draws the same prediction")
	}
}

func TestLearnerErrors(t *testing.T) {
	c := methods[0].config(1, 2)
	m := newModel(t, c, toyData(1, 2), 1, 13)
	if _, err := m.NewLearner([]int64{1, 2}); err == nil {
		t.Error("two seeds for one run")
	}
	l := newLearner(t, m, 1)
	check(t, l.Initialise())
	for name, rows := range map[string][]int32{"no rows": {}, "too many rows": upTo(0, 14)} {
		if _, err := l.Predict(rows, 0); err == nil {
			t.Errorf("%s to predict", name)
		}
		if l.Update(rows, 1, 0) == nil {
			t.Errorf("%s to learn", name)
		}
	}
	good := snapshot(t, l)
	for name, bad := range map[string]tabular.Snapshot{
		"empty":           {},
		"too few":         {Parameters: good.Parameters[1:]},
		"too short":       {Parameters: append([][]float32{good.Parameters[0][1:]}, good.Parameters[1:]...)},
		"too few moments": {Parameters: good.Parameters, Moments: good.Moments[1:]},
	} {
		if l.Restore(bad) == nil {
			t.Errorf("snapshot %s restored", name)
		}
	}
	if !slices.EqualFunc(good.Parameters, snapshot(t, l).Parameters, slices.Equal[[]float32]) {
		t.Error("an error changed the state")
	}
}
