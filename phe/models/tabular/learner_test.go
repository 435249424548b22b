package tabular_test

import (
	"bytes"
	"slices"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/models/tabular"
)

// Fewer rows of the same model get the same bits: the padded rows come after.
func TestPredictPrefix(t *testing.T) {
	c := methods[0].config(1, 2)
	l := pinned(t, c, toyData(1, 2), 13, 4)
	all := l.Predict(t, upTo(0, 13), 2)
	some := l.Predict(t, upTo(0, 5), 2)
	filetest.Want(t, some, all[:len(some)], "the predictions of five rows, and of thirteen")
}

// Replay trains everything on everything. All parameters move, the past is predicted better, and a snapshot in the middle continues
// in the same way.
func TestReplay(t *testing.T) {
	for i, method := range methods {
		if nettest.Brief(t) && i > 0 {
			break
		}
		l := pinned(t, method.config(1, 2), toyData(1, 2), 13, 1)
		filetest.Check(t, l.Fit(upTo(0, 20), 1))
		l.Settle()
		before := l.State(t)
		start := l.Predict(t, upTo(0, toyRows), 0)
		filetest.Check(t, l.Replay(upTo(0, toyRows), 60))
		middle := l.State(t)
		filetest.Check(t, l.Replay(upTo(0, toyRows), 60))
		end := l.State(t)
		for p, values := range end.Parameters {
			filetest.True(t, !slices.Equal(values, before.Parameters[p]), "%s: parameter %d stayed", method.name, p)
		}
		after := l.Predict(t, upTo(0, toyRows), 0)
		likelihood := func(p []float32) (sum float64) {
			for i, y := range toyData(1, 2).Labels {
				sum += float64(p[2*i+int(y)])
			}
			return sum / toyRows
		}
		a, b := likelihood(start), likelihood(after)
		filetest.True(t, b >= a+0.1, "%s: log-likelihood %.3f before and %.3f after", method.name, a, b)
		filetest.Check(t, l.Restore(middle))
		filetest.Check(t, l.Replay(upTo(0, toyRows), 60))
		filetest.Want(t, l.State(t).Parameters, end.Parameters, "%s: the end from a snapshot", method.name)
	}
}

// The file of a model of other columns, numbers or classes is refused, also where all its sizes are the same.
func TestFilesTellModelsApart(t *testing.T) {
	c := methods[0].config(0, 2)
	l := newLearner(t, c, learn.Options{})
	for _, change := range map[string]func(*tabular.Config){
		"columns": func(c *tabular.Config) { c.Columns = []string{"column0", "column2"} },
		"numbers": func(c *tabular.Config) { c.Numbers = 1 }, // none has an input of zeros
		"classes": func(c *tabular.Config) { c.Classes = 3 },
	} {
		other := c
		change(&other)
		var file bytes.Buffer
		filetest.Must(newLearner(t, other, learn.Options{}).WriteTo(&file))(t)
		filetest.WantError(t, filetest.Failure(l.ReadFrom(&file)), "the file's network is")
	}
}
