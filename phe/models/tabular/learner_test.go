package tabular_test

import (
	"gophe/phe/internal/nettest"
	"slices"
	"testing"
)

// Fewer rows of the same model get the same bits: the padded rows come after.
func TestPredictPrefix(t *testing.T) {
	c := methods[0].config(1, 2)
	l := pinned(t, c, toyData(1, 2), 13, 4)
	all := l.Predict(t, upTo(0, 13), 2)
	some := l.Predict(t, upTo(0, 5), 2)
	if !slices.Equal(some, all[:len(some)]) {
		t.Errorf("five rows predict %v, thirteen %v", some, all)
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
		before := l.State(t)
		start := l.Predict(t, upTo(0, toyRows), 0)
		check(t, l.Replay(upTo(0, toyRows), 60))
		middle := l.State(t)
		check(t, l.Replay(upTo(0, toyRows), 60))
		end := l.State(t)
		for p, values := range end.Parameters {
			if slices.Equal(values, before.Parameters[p]) {
				t.Errorf("%s: parameter %d stayed", method.name, p)
			}
		}
		after := l.Predict(t, upTo(0, toyRows), 0)
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
		if again := l.State(t); !slices.EqualFunc(again.Parameters, end.Parameters, slices.Equal[[]float32]) {
			t.Errorf("%s: goes on otherwise from a snapshot", method.name)
		}
	}
}
