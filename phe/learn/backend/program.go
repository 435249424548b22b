package backend

import (
	"fmt"
	"sync"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"
)

// Program is a graph that is compiled at its first call with arguments of given shapes. It times compilation separately, because
// compiling takes longer than many thousand steps. It is safe for concurrent use.
type Program struct {
	exec     *Exec
	mutex    sync.Mutex      // guards the rest
	compiled map[string]bool // by the shapes of the arguments
	compile  time.Duration
}

// NewProgram returns the program of a graph builder. name appears in errors.
func NewProgram(backend compute.Backend, name string, build func(args []*Node) []*Node) (*Program, error) {
	exec, err := NewExec(backend, build)
	if err != nil {
		return nil, errors.Wrapf(err, "building %s", name)
	}
	return &Program{exec: exec.WithName(name), compiled: map[string]bool{}}, nil
}

// Call runs the program. The caller keeps args.
func (p *Program) Call(args ...*tensors.Tensor) ([]*tensors.Tensor, error) {
	if err := p.ensureCompiled(args); err != nil {
		return nil, errors.WithMessagef(err, "compiling %s", p.exec.Name())
	}
	untyped := make([]any, len(args))
	for i, a := range args {
		untyped[i] = a
	}
	return p.exec.Call(untyped...)
}

func (p *Program) ensureCompiled(args []*tensors.Tensor) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	var inputs []shapes.Shape
	for _, a := range args {
		inputs = append(inputs, a.Shape())
	}
	key := fmt.Sprint(inputs)
	if p.compiled[key] {
		return nil
	}
	start := time.Now()
	_, err := p.exec.Compile(inputs...)
	p.compile += time.Since(start)
	p.compiled[key] = err == nil
	return err
}

// CompileTime returns the time spent on compilation; 0 before the first call.
func (p *Program) CompileTime() time.Duration {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.compile
}

// Finalize frees the compiled program. It must not be called afterwards.
func (p *Program) Finalize() { p.exec.Finalize() }

// Release frees the device memory of tensors that are no longer needed, without waiting for the garbage collector.
func Release(ts []*tensors.Tensor) {
	for _, t := range ts {
		// An error is harmless here: the garbage collector frees the tensor later.
		_ = t.FinalizeAll()
	}
}
