package dkf_test

import (
	"encoding/json"
	"os"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/models/dkf"
)

// The states of flax.linen.GRUCell in float64 for the same weights and inputs. Two runs are side by side, and the second one sees
// the rows in reverse order.
func TestGRUAgainstFlax(t *testing.T) {
	text := filetest.Must(os.ReadFile("testdata/gru.json"))(t)
	var golden struct {
		Weights, Recurrent [][]float32
		Bias               []float32
		RecurrentBias      []float32     `json:"recurrent_bias"`
		X                  [][][]float32 // [length, rows, inputs]
		States             [][][]float64 // [length, rows, hidden]
	}
	filetest.Check(t, json.Unmarshal(text, &golden))
	got := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
		twice := func(x *Node) *Node { return Stack([]*Node{x, x}, 0) }
		x := Stack([]*Node{a[4], Reverse(a[4], 1)}, 0)
		states := dkf.Unroll(twice(a[0]), twice(a[1]), twice(a[2]), twice(a[3]), x)
		states.AssertDims(2, 4, 2, 3)
		return []*Node{states}
	}, golden.Weights, golden.Bias, golden.Recurrent, golden.RecurrentBias, golden.X)[0]
	next := 0
	for run := range 2 {
		for i, rows := range golden.States {
			for row := range rows {
				for k, want := range rows[(row+run)%2] {
					// float32, four steps deep
					filetest.Near(t, float64(got[next]), want, 2e-6, "run %d, step %d, row %d, unit %d", run, i, row, k)
					next++
				}
			}
		}
	}
}
