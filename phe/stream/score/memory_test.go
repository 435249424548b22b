package score

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"gophe/phe/disk/filetest"
)

// everything is all that is kept of a stream of two classes.
type everything struct {
	Board       Board
	Confusion   *Confusion
	Curve       Curve
	Calibration Calibration
}

func (e *everything) add(p []float64, class int, seen int64) {
	o := OfClasses(p, class)
	e.Board.Add(o, seen, 1)
	e.Confusion.Add(p, class, o.LogLoss, 1)
	e.Curve.Add(p[1], class, 1)
	e.Calibration.AddProbability(p[1], class == 1, 1)
	e.Calibration.AddTransform(p[1], p[0], 1)
}

// TestFixedMemory: once there are 500 blocks, a thousand rows allocate nothing.
func TestFixedMemory(t *testing.T) {
	e := everything{Confusion: NewConfusion(2)}
	r := rand.New(rand.NewPCG(4, 1))
	p := []float64{0.2, 0.8}
	add := func() { // AllocsPerRun calls it once before it counts
		for range 2 * maxBlocks {
			e.add(p, r.IntN(2), r.Int64N(20))
		}
	}
	if n := testing.AllocsPerRun(10, add); n != 0 {
		t.Errorf("%g allocations in %d rows", n, 2*maxBlocks)
	}
}

// TestAnythingThroughJSON: forecasts with any numbers never cause a panic, and JSON holds the score.
func TestAnythingThroughJSON(t *testing.T) {
	odd := []float64{0, 1, 0.5, -1, 2, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, 1e200, 5e-324}
	e := everything{Confusion: NewConfusion(2)}
	var numbers Board
	for _, a := range odd {
		for _, b := range odd {
			e.add([]float64{a, b}, 0, 0)
			e.add([]float64{a, b}, 1, 11)
			numbers.Add(OfNumber(a, b, a, b), 1, 3)
			numbers.Add(OfCount(-math.Abs(a), b, a, b, a), 3, 0.5)
			numbers.Add(OfClasses([]float64{a, b, a}, 1), 3, 0.5)
		}
	}
	throughJSON(t, e)
	filetest.Must(json.Marshal(e.Confusion.Classes()))(t)
	throughJSON(t, numbers)
	if rows := numbers.All.Rows; rows != int64(3*len(odd)*len(odd)) {
		t.Errorf("%d rows", rows)
	}
}
