package backend_test

import (
	"testing"
	"time"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"gophe/phe/disk/filetest"
	"gophe/phe/learn/backend"
)

// Large products that do not depend on each other end. GoMLX's pure-Go backend gives each a worker while they wait for workers
// themselves: by its defaults they wait for each other for ever, on two cores within a few calls.
func TestLargeProductsEnd(t *testing.T) {
	b := filetest.Must(backend.Open(backend.Go))(t)
	defer b.Finalize()
	exec, err := NewExec(b, func(x *Node) *Node {
		sum := ScalarZero(x.Graph(), x.DType())
		for i := range 8 {
			sum = Add(sum, ReduceAllSum(Einsum("ij,jk->ik", AddScalar(x, float64(i)), x)))
		}
		return sum
	})
	filetest.Check(t, err)
	defer exec.Finalize()
	const size = 256
	x := tensors.FromFlatDataAndDimensions(make([]float32, size*size), size, size)
	ended := make(chan error)
	go func() {
		for range 20 {
			if _, err := exec.Call(x); err != nil {
				ended <- err
				return
			}
		}
		ended <- nil
	}()
	select {
	case err := <-ended:
		filetest.Check(t, err)
	case <-time.After(2 * time.Minute):
		t.Fatal("the products wait for each other")
	}
}
