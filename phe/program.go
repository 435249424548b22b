package phe

import (
	"sync"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"
)

// Program is a graph compiled at its first call, which it times apart: compiling costs more than many thousand steps.
// It is safe for concurrent use.
type Program struct {
	exec    *Exec
	once    sync.Once
	err     error
	compile time.Duration
}

// NewProgram declares the program of a graph builder. name appears in errors.
func NewProgram(backend compute.Backend, name string, build func(args []*Node) []*Node) (*Program, error) {
	exec, err := NewExec(backend, build)
	if err != nil {
		return nil, errors.Wrapf(err, "building %s", name)
	}
	return &Program{exec: exec.WithName(name)}, nil
}

// Call runs the program. args stay the caller's.
func (p *Program) Call(args ...*tensors.Tensor) ([]*tensors.Tensor, error) {
	p.once.Do(func() {
		start := time.Now()
		var inputs []shapes.Shape
		for _, a := range args {
			inputs = append(inputs, a.Shape())
		}
		_, p.err = p.exec.Compile(inputs...)
		p.compile = time.Since(start)
	})
	if p.err != nil {
		return nil, errors.WithMessagef(p.err, "compiling %s", p.exec.Name())
	}
	untyped := make([]any, len(args))
	for i, a := range args {
		untyped[i] = a
	}
	return p.exec.Call(untyped...)
}

// CompileTime is how long compilation took; 0 before the first call.
func (p *Program) CompileTime() time.Duration { return p.compile }
