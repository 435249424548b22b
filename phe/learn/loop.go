package learn

import (
	"fmt"
	"time"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"

	"gophe/phe/learn/backend"
)

// loop runs a training step many times. On XLA, all steps run in one call of a compiled While loop, since XLA can differentiate
// inside a loop. On GoMLX's pure-Go backend each step is one call. Both give the same numbers.
type loop struct {
	name    string
	program *backend.Program
	fused   bool
}

// newLoop returns a loop that compiles step at its first run. step takes the int32 scalar number of the step, the state and the
// data, and returns the new state in the same shapes. numState is the number of state arrays. name appears in errors.
func newLoop(on compute.Backend, name string, numState int, step func(i *Node, state, data []*Node) []*Node) (*loop, error) {
	l := &loop{name: name, fused: on.Name() == "xla"}
	body := func(args []*Node) []*Node { return step(args[0], args[1:1+numState], args[1+numState:]) }
	if l.fused {
		body = func(args []*Node) []*Node {
			return whileSteps(args[0], args[1:1+numState], args[1+numState:], step)
		}
	}
	var err error
	l.program, err = backend.NewProgram(on, name, body)
	return l, err
}

// CompileTime returns the time spent on compilation; 0 before the first run.
func (l *loop) CompileTime() time.Duration { return l.program.CompileTime() }

// Finalize frees the compiled program. The loop must not run afterwards.
func (l *loop) Finalize() { l.program.Finalize() }

// Run takes steps 0 … numSteps−1 from state and returns the state after them. It takes at least one step. The caller keeps state
// and data.
func (l *loop) Run(numSteps int, state, data []*tensors.Tensor) ([]*tensors.Tensor, error) {
	if numSteps < 1 {
		return nil, errors.Errorf("%d steps of %s; take at least 1", numSteps, l.name)
	}
	if l.fused {
		return l.call(numSteps, state, data)
	}
	current := state
	for i := range numSteps {
		next, err := l.call(i, current, data)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			backend.Release(current)
		}
		current = next
	}
	return current, nil
}

func (l *loop) call(i int, state, data []*tensors.Tensor) ([]*tensors.Tensor, error) {
	args := append([]*tensors.Tensor{tensors.FromScalar(int32(i))}, state...)
	return l.program.Call(append(args, data...)...)
}

// whileSteps builds the loop inside one graph. The data goes round with the state unchanged, because the body of a GoMLX loop
// cannot use nodes from outside.
func whileSteps(numSteps *Node, state, data []*Node, step func(i *Node, state, data []*Node) []*Node) []*Node {
	g := numSteps.Graph()
	carried := append(append([]*Node{Const(g, int32(0)), numSteps}, state...), data...)
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
		return append(next, innerData...)
	})
	return While(condition, body, carried...)[2 : 2+len(state)]
}
