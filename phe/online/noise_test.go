package online_test

import (
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
	"gophe/phe/online"
	"gophe/phe/phetest"
)

// telltale pulls every coordinate of item 0 to where one normal of the step's noise points, whatever the batch's size: a
// fresh Adam's first step then tells the normals' signs.
type telltale struct{ sum }

const telltaleDim = 40

func (n telltale) DataTerm(p online.Parameters, b online.Batch, noise phe.Noise, _ bool) *Node {
	runs, rows := b.Size()
	first := Slice(p.Tables.E.Mean, AxisRange(0, 1))
	pull := ReduceAllSum(Mul(first, Squeeze(noise.Normal(1, 1, runs, telltaleDim), 0)))
	return BroadcastToDims(pull, runs, rows)
}

// No two steps of a stream's updates share noise, whatever room each day has.
func TestUpdatesShareNoNoise(t *testing.T) {
	c := online.Config{Encoder: phe.Config{Rows: phe.Vocabulary, Estimate: phe.Point, EmbeddingDim: telltaleDim, Capacity: capacity},
		Scheme: phe.Rows, TrainSamples: 1, TestSamples: 1, Loss: phe.Expected, KLWeight: 1, LearningRate: 0.1, BatchSize: 1024, Scope: phe.AllColumns}
	encoder, err := phe.NewEncoder(c.Encoder)
	check(t, err)
	m, err := online.NewExcerptModel(phetest.Backend(t), c, encoder, telltale{sum{encoder}}, rowItems, items, 1, items)
	check(t, err)
	l, err := m.NewLearner([]int64{3})
	check(t, err)
	check(t, l.Initialise())
	t.Cleanup(func() { l.Finalize(); m.Finalize() })
	start, err := l.Snapshot()
	check(t, err)
	seen := map[string]int{} // in which day
	for step := range 4 {
		for _, size := range []int{1, 70} { // in rooms of 64 and 256: two steps' worth of the most rows, and one's
			check(t, l.Restore(start))
			check(t, l.Update(numbersTo(size), 1, step))
			s, err := l.Snapshot()
			check(t, err)
			signs := ""
			for d := range telltaleDim {
				if s.Parameters[0][d] > start.Parameters[0][d] {
					signs += "+"
				} else {
					signs += "-"
				}
			}
			if day, ok := seen[signs]; ok && day != step { // two versions of one day may
				t.Errorf("day %d, of %d rows, draws the noise of day %d", step, size, day)
			}
			seen[signs] = step
		}
	}
}

func numbersTo(n int) (rows []int32) {
	for i := range int32(n) {
		rows = append(rows, i)
	}
	return
}
