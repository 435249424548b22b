// Package nettest supports the project's own tests of networks: references in plain Go, and calls of small graphs.
package nettest

import (
	"math"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// Near compares a float32 result with the float64 truth. It allows for a few roundings of numbers of size scale.
func Near(t testing.TB, what string, got float32, want, scale float64) {
	t.Helper()
	if !(math.Abs(float64(got)-want) <= 1e-6*max(1, scale)) {
		t.Errorf("%s is %g, want %g", what, got, want)
	}
}

// Between lists the records from … to−1.
func Between(from, to int32) (records []int32) {
	for r := from; r < to; r++ {
		records = append(records, r)
	}
	return
}

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
