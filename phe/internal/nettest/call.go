package nettest

import (
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// Call builds a graph, runs it once and returns its float32 results as flat slices. args are values that tensors.FromAnyValue
// takes, at least one of them.
func Call(t testing.TB, b compute.Backend, build func(args []*graph.Node) []*graph.Node, args ...any) [][]float32 {
	t.Helper()
	exec, err := graph.NewExec(b, build)
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	results, err := exec.Call(args...)
	if err != nil {
		t.Fatal(err)
	}
	flat := make([][]float32, len(results))
	for i, r := range results {
		if flat[i], err = tensors.CopyFlatData[float32](r); err != nil {
			t.Fatal(err)
		}
	}
	return flat
}
