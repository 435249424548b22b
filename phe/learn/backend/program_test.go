package backend_test

import (
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"gophe/phe/disk/filetest"
	"gophe/phe/learn/backend"
	"gophe/phe/learn/learntest"
)

// A builder's panic comes back as an error that names the program.
func TestProgramErrorNamesProgram(t *testing.T) {
	p := filetest.Must(backend.NewProgram(learntest.Backend(t), "bad sum", func(a []*Node) []*Node { return []*Node{Add(a[0], a[1])} }))(t)
	_, err := p.Call(tensors.FromValue([]float32{1, 2, 3}), tensors.FromValue([]float32{1, 2}))
	filetest.WantError(t, err, "bad sum")
}
