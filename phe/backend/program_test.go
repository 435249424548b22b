package backend_test

import (
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"gophe/phe/backend"
	"gophe/phe/filetest"
	"gophe/phe/phetest"
)

// A builder's panic comes back as an error that names the program.
func TestProgramErrorNamesProgram(t *testing.T) {
	p := filetest.Must(backend.NewProgram(phetest.Backend(t), "bad sum", func(a []*Node) []*Node { return []*Node{Add(a[0], a[1])} }))(t)
	_, err := p.Call(tensors.FromValue([]float32{1, 2, 3}), tensors.FromValue([]float32{1, 2}))
	if err == nil || !strings.Contains(err.Error(), "bad sum") {
		t.Fatalf("adding shapes 3 and 2 gives error %v, want one that names the program", err)
	}
}
