package learn

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"
)

// program is a graph that is compiled at its first call with arguments of given shapes. It times compilation separately, because
// compiling takes longer than many thousand steps. It is safe for concurrent use.
type program struct {
	exec     *Exec
	mutex    sync.Mutex      // guards the rest
	compiled map[string]bool // by the shapes of the arguments
	compile  time.Duration
}

// watch sees the arguments of each call, in tests that count the bytes sent to the device.
var watch func(args []*tensors.Tensor)

// newProgram returns the program of a graph builder. name appears in errors.
func newProgram(on compute.Backend, name string, build func(args []*Node) []*Node) (*program, error) {
	exec, err := NewExec(on, build)
	if err != nil {
		return nil, errors.Wrapf(err, "building %s", name)
	}
	return &program{exec: exec.WithName(name), compiled: map[string]bool{}}, nil
}

// Call runs the program. The caller keeps args.
func (p *program) Call(args ...*tensors.Tensor) ([]*tensors.Tensor, error) {
	if err := p.ensureCompiled(args); err != nil {
		return nil, errors.WithMessagef(err, "compiling %s", p.exec.Name())
	}
	if watch != nil {
		watch(args)
	}
	untyped := make([]any, len(args))
	for i, a := range args {
		untyped[i] = a
	}
	return p.exec.Call(untyped...)
}

func (p *program) ensureCompiled(args []*tensors.Tensor) error {
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
func (p *program) CompileTime() time.Duration {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.compile
}

// release frees the device memory of tensors that are no longer needed, without waiting for the garbage collector.
func release(ts []*tensors.Tensor) {
	for _, t := range ts {
		if t != nil {
			_ = t.FinalizeAll() // an error is harmless: the garbage collector frees the tensor later
		}
	}
}

// loop runs a training step many times. On XLA, all steps run in one call of a compiled While loop, since XLA can differentiate
// inside a loop. On GoMLX's pure-Go backend each step is one call. Both give the same numbers.
type loop struct {
	*program
	fused     bool
	converges bool // the last array of the state is a course, and the loop ends when all runs have converged
}

// newLoop returns a loop that compiles step at its first run. step takes the int32 scalar number of the step, the state and the
// data, and returns the new state in the same shapes. numState is the number of state arrays. name appears in errors.
func newLoop(on compute.Backend, name string, numState int, converges bool, step func(i *Node, state, data []*Node) []*Node) (loop, error) {
	fused := on.Name() == "xla"
	p, err := newProgram(on, name, func(args []*Node) []*Node {
		if fused {
			from, to := stretch(args[0])
			return whileSteps(from, to, args[1:1+numState], args[1+numState:], converges, step)
		}
		return step(args[0], args[1:1+numState], args[1+numState:])
	})
	return loop{p, fused, converges}, err
}

// Run takes steps from … to−1, at least one, from state and returns the state after them. The caller keeps state and data. Counted steps
// begin at 0, and on XLA each number of them has a program of its own, whose loop has a known length. A GPU then gets all steps at once.
// Without a known length it waits after each step until the host knows that another follows.
func (l loop) Run(from, to int, counted bool, state, data []*tensors.Tensor) ([]*tensors.Tensor, error) {
	if l.fused {
		steps := tensors.FromFlatDataAndDimensions([]int32{int32(from), int32(to)}, 2)
		if counted && to > 1 { // a single step would be compiled without its loop, and round in other places
			steps = tensors.FromShape(shapes.Make(dtypes.Bool, to))
		}
		return l.Call(slices.Concat([]*tensors.Tensor{steps}, state, data)...)
	}
	current := state
	for i := from; i < to; i++ {
		next, err := l.Call(slices.Concat([]*tensors.Tensor{tensors.FromScalar(int32(i))}, current, data)...)
		if err != nil {
			return nil, err
		}
		if i > from {
			release(current)
		}
		current = next
		if l.converges {
			if _, all, err := epochsTaken(current[len(current)-1]); err != nil || all {
				return current, err
			}
		}
	}
	return current, nil
}

// stretch returns the first step and the one after the last, which are the two numbers of an array. An array of another type stands for
// steps from 0 on by its length, which XLA knows when it compiles.
func stretch(steps *Node) (from, to *Node) {
	if steps.DType() == dtypes.Bool {
		return Const(steps.Graph(), int32(0)), Const(steps.Graph(), int32(steps.Shape().Size()))
	}
	return Reshape(Slice(steps, AxisElem(0))), Reshape(Slice(steps, AxisElem(1)))
}

// whileSteps builds the loop inside one graph. The data goes round with the state unchanged, because the body of a GoMLX loop
// cannot use nodes from outside.
func whileSteps(from, to *Node, state, data []*Node, converges bool, step func(i *Node, state, data []*Node) []*Node) []*Node {
	g := to.Graph()
	carried := append(append([]*Node{from, to}, state...), data...)
	parameters := func(g *Graph) []*Node {
		inner := make([]*Node, len(carried))
		for k, c := range carried {
			inner[k] = Parameter(g, fmt.Sprintf("carried%d", k), c.Shape())
		}
		return inner
	}
	condition := NewClosure(g, func(g *Graph) []*Node {
		inner := parameters(g)
		return []*Node{LessThan(inner[0], inner[1])}
	})
	body := NewClosure(g, func(g *Graph) []*Node {
		inner := parameters(g)
		i, innerState, innerData := inner[0], inner[2:2+len(state)], inner[2+len(state):]
		next := append([]*Node{AddScalar(i, 1), inner[1]}, step(i, innerState, innerData)...)
		if converges { // the end is now: a loop's condition cannot ask all runs
			course := next[len(next)-1]
			ended, runs := ReduceAllSum(ConvertDType(done(course), dtypes.Float32)), course.Shape().Dimensions[0]
			next[1] = Where(LessThan(ended, Scalar(g, dtypes.Float32, runs)), inner[1], ScalarZero(g, dtypes.Int32))
		}
		return append(next, innerData...)
	})
	return While(condition, body, carried...)[2 : 2+len(state)]
}
