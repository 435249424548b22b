package tabular_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
)

// A chunk smaller than the model's is padded. It must predict and learn the same as a model of its own size. The test has no noise,
// since the numbers of noise depend on the shape that is drawn.
func TestPaddingChangesNothing(t *testing.T) {
	for i, m := range methods {
		if nettest.Brief(t) && i > 0 {
			break
		}
		c := m.config(1, 2)
		c.Scheme, c.Loss = phe.Quadrature, phe.Expected
		d := toyData(1, 2)
		rows := upTo(50, 55)
		var predictions [2][]float32
		var states [2]learn.Snapshot
		for i, size := range []int{len(rows), 13} {
			l := pinned(t, c, d, size, 4)
			check(t, l.Fit(upTo(0, 41), 1)) // two batches, the second padded
			l.Settle()
			check(t, l.Update(rows, 2))
			predictions[i] = filetest.Must(l.Predict(rows, 0))(t)
			states[i] = snapshot(t, l)
		}
		// Padding adds zeros to sums, which may then group otherwise; two steps of Adam divide by small gradients.
		for i, v := range predictions[0] {
			if !(math.Abs(float64(v-predictions[1][i])) <= 1e-4) {
				t.Fatalf("%s: log probability %d is %g unpadded and %g padded", m.name, i, v, predictions[1][i])
			}
		}
		for p := range states[0].Parameters {
			for i, v := range states[0].Parameters[p] {
				if !(math.Abs(float64(v-states[1].Parameters[p][i])) <= 1e-4) {
					t.Fatalf("%s: parameter %d differs", m.name, p)
				}
			}
		}
	}
}

// Fewer rows of the same model get the same bits: the padded rows come after.
func TestPredictPrefix(t *testing.T) {
	c := methods[0].config(1, 2)
	l := pinned(t, c, toyData(1, 2), 13, 4)
	all := filetest.Must(l.Predict(upTo(0, 13), 2))(t)
	some := filetest.Must(l.Predict(upTo(0, 5), 2))(t)
	if !slices.Equal(some, all[:len(some)]) {
		t.Errorf("five rows predict %v, thirteen %v", some, all)
	}
	later := filetest.Must(l.Predict(upTo(0, 5), 3))(t)
	wider := learn.Snapshot{Parameters: snapshot(t, l).Parameters}
	for i, logStdDev := range wider.Parameters[1] {
		wider.Parameters[1][i] = logStdDev + 2
	}
	check(t, l.Restore(wider))
	other := filetest.Must(l.Predict(upTo(0, 5), 2))(t)
	if slices.Equal(some, later) || slices.Equal(some, other) {
		t.Error("another step, or another deviation, draws the same prediction")
	}
}

// Many rows are predicted in blocks: each row as alone, and no two blocks by the same noise.
func TestPredictInBlocks(t *testing.T) {
	const block = 512
	var many []int32
	for i := range int32(1200) {
		many = append(many, i%block%toyRows) // every block begins with the same rows
	}
	for _, method := range methods[:2] { // PHE and Ada
		l := pinned(t, method.config(1, 3), toyData(1, 3), 13, 1, 2)
		all := filetest.Must(l.Predict(many, 5))(t)
		row := func(run, i int) []float32 { return all[(run*len(many)+i)*3 : (run*len(many)+i+1)*3] }
		if method.estimate == phe.Posterior {
			if slices.Equal(row(0, 7), row(0, block+7)) || slices.Equal(row(0, 7), row(0, 2*block+7)) || slices.Equal(row(0, 7), row(0, toyRows+7)) {
				t.Error("two blocks, or two rows of a block, draw the same noise")
			}
			continue
		}
		few := filetest.Must(l.Predict(upTo(0, 13), 5))(t)
		for run := range 2 {
			for i, number := range many {
				if number >= 13 {
					continue
				}
				for k, want := range few[(run*13+int(number))*3 : (run*13+int(number)+1)*3] {
					if !(math.Abs(float64(row(run, i)[k]-want)) <= 1e-5) {
						t.Fatalf("run %d, row %d: %v among many, %v among few", run, i, row(run, i), want)
					}
				}
			}
		}
	}
}

// The first step of a fresh Adam moves a coordinate by its learning rate. Online this is the update's own rate, if there is one.
func TestUpdateLearningRate(t *testing.T) {
	for _, rate := range []float64{0, 0.001, 0.1} {
		c := methods[1].config(1, 2)
		c.UpdateLearningRate = rate
		l := pinned(t, c, toyData(1, 2), 13, 1)
		l.Settle()
		before := snapshot(t, l).Parameters
		check(t, l.Update(upTo(0, 13), 1))
		largest := 0.0
		for p, values := range snapshot(t, l).Parameters {
			for i, v := range values {
				largest = max(largest, math.Abs(float64(v-before[p][i])))
			}
		}
		if want := cmp.Or(rate, c.LearningRate); !(math.Abs(largest/want-1) <= 1e-2) {
			t.Errorf("rate %g: the largest move is %g", rate, largest)
		}
	}
}

// Replay trains everything on everything. All parameters move, the past is predicted better, and a snapshot in the middle continues
// in the same way.
func TestReplay(t *testing.T) {
	for i, method := range methods {
		if nettest.Brief(t) && i > 0 {
			break
		}
		l := pinned(t, method.config(1, 2), toyData(1, 2), 13, 1)
		check(t, l.Fit(upTo(0, 20), 1))
		l.Settle()
		before := snapshot(t, l)
		start := filetest.Must(l.Predict(upTo(0, toyRows), 0))(t)
		check(t, l.Replay(upTo(0, toyRows), 60))
		middle := snapshot(t, l)
		check(t, l.Replay(upTo(0, toyRows), 60))
		end := snapshot(t, l)
		for p, values := range end.Parameters {
			if slices.Equal(values, before.Parameters[p]) {
				t.Errorf("%s: parameter %d stayed", method.name, p)
			}
		}
		after := filetest.Must(l.Predict(upTo(0, toyRows), 0))(t)
		likelihood := func(p []float32) (sum float64) {
			for i, y := range toyData(1, 2).Labels {
				sum += float64(p[2*i+int(y)])
			}
			return sum / toyRows
		}
		if a, b := likelihood(start), likelihood(after); b < a+0.1 {
			t.Errorf("%s: log-likelihood %.3f before and %.3f after", method.name, a, b)
		}
		check(t, l.Restore(middle))
		check(t, l.Replay(upTo(0, toyRows), 60))
		if again := snapshot(t, l); !slices.EqualFunc(again.Parameters, end.Parameters, slices.Equal[[]float32]) {
			t.Errorf("%s: goes on otherwise from a snapshot", method.name)
		}
	}
}
