// Package nettest supports the project's own tests of networks: the backend that they run on, learners that a test leads, references in
// plain Go, and calls of small graphs.
package nettest

import (
	"cmp"
	"os"
	"sync"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"gophe/phe/disk/filetest"
	"gophe/phe/learn/backend"
)

var open = sync.OnceValues(func() (compute.Backend, error) {
	return backend.Open(cmp.Or(os.Getenv("GOPHE_TEST_BACKEND"), backend.Go))
})

// Backend returns the backend that tests run on: the one that GOPHE_TEST_BACKEND names, or the pure-Go one, which is always present. All
// tests of a process share it, since tensors belong to one instance.
func Backend(t testing.TB) compute.Backend {
	t.Helper()
	return filetest.Must(open())(t)
}

// Brief tells whether a test takes only a few of its cases. It does so on a backend that compiles, because each case costs seconds
// there, unless the long form is asked for.
func Brief(t testing.TB) bool {
	t.Helper()
	return Backend(t).Name() == "xla" && !filetest.Long()
}

// Near compares a float32 result with the float64 truth. It allows for a few roundings of numbers of size scale.
func Near(t testing.TB, what string, got float32, want, scale float64) {
	t.Helper()
	filetest.Near(t, float64(got), want, 1e-6*max(1, scale), "%s", what)
}

// Call builds a graph, runs it once and returns its float32 results as flat slices. args are values that tensors.FromAnyValue
// takes, at least one of them.
func Call(t testing.TB, b compute.Backend, build func(args []*graph.Node) []*graph.Node, args ...any) [][]float32 {
	t.Helper()
	exec := filetest.Must(graph.NewExec(b, build))(t)
	defer exec.Finalize()
	results := filetest.Must(exec.Call(args...))(t)
	flat := make([][]float32, len(results))
	for i, r := range results {
		flat[i] = filetest.Must(tensors.CopyFlatData[float32](r))(t)
	}
	return flat
}

// Rows returns the numbers of a batch's rows, from one up to another.
func Rows(from, to int) []int32 {
	rows := make([]int32, to-from)
	for i := range rows {
		rows[i] = int32(from + i)
	}
	return rows
}
