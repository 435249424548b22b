package score

import (
	"math"
	"reflect"
	"testing"
)

// TestConfusion compares with scores computed by hand: three classes, weights, one class that is only predicted and one that only
// comes.
func TestConfusion(t *testing.T) {
	c := NewConfusion(4)
	for _, row := range []struct {
		p               []float64
		class           int
		logLoss, weight float64
	}{
		{[]float64{0.6, 0.2, 0.1, 0.1}, 0, 0.5, 3},
		{[]float64{0.1, 0.7, 0.1, 0.1}, 0, 2.5, 0.5},
		{[]float64{0.4, 0.4, 0.1, 0.1}, 2, 1, 1}, // even odds go to the first
		{[]float64{0.4, 0.1, 0.1, 0.4}, 2, 3, 1},
		{[]float64{0.3, 0.5, 0.1, 0.1}, 2, 4, 0.5},
	} {
		c.Add(row.p, row.class, row.logLoss, row.weight)
	}
	nan := math.NaN()
	want := []Class{
		{3.5, 3. / 5, 3 / 3.5, (3*0.5 + 0.5*2.5) / 3.5},
		{0, 0, nan, nan},
		{2.5, nan, 0, 6 / 2.5},
		{0, nan, nan, nan},
	}
	for _, list := range [][]Class{c.Classes(), throughJSON(t, c).Classes()} {
		for k, got := range list {
			w := want[k]
			if !near(got.Weight, w.Weight) || !near(got.Precision, w.Precision) || !near(got.Recall, w.Recall) || !near(got.LogLoss, w.LogLoss) {
				t.Errorf("class %d: %+v, want %+v", k, got, w)
			}
		}
	}
	if again := throughJSON(t, c); !reflect.DeepEqual(again, c) {
		t.Errorf("through JSON %+v, was %+v", again, c)
	}
}
