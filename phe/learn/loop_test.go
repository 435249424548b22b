package learn_test

import (
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
)

// A step of gradient descent whose rate depends on the number of the step: it has state, data and a gradient inside.
func descend(i *Node, state, data []*Node) []*Node {
	x := state[0]
	loss := ReduceAllSum(Square(Sub(Square(x), data[0])))
	rate := Inverse(AddScalar(ConvertDType(i, x.DType()), 50))
	return []*Node{Sub(x, Mul(rate, Gradient(loss, x)[0])), AddScalar(state[1], 1)}
}

func vector(numbers ...float32) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(append([]float32{}, numbers...), len(numbers))
}

// Fused on XLA, step by step elsewhere: either equals the step called by hand.
func TestLoopEqualsSteps(t *testing.T) {
	const steps = 7
	b := nettest.Backend(t)
	loop := filetest.Must(learn.NewLoop(b, "descent", 2, false, descend))(t)
	start, target := []float32{1, 2, -3}, []float32{4, 2, 1}
	state := []*tensors.Tensor{vector(start...), tensors.FromScalar(int32(0))}
	data := []*tensors.Tensor{vector(target...)}
	first := filetest.Must(loop.Run(0, steps, false, state, data))(t)
	got := tensors.MustCopyFlatData[float32](first[0])
	filetest.Want(t, tensors.ToScalar[int32](first[1]), steps, "steps taken")
	want := start
	for i := range steps {
		want = nettest.Call(t, b, func(a []*Node) []*Node {
			return descend(a[0], []*Node{a[1], Const(a[1].Graph(), int32(0))}, a[2:])[:1]
		}, int32(i), want, target)[0]
	}
	for i := range want {
		nettest.Near(t, "x", got[i], float64(want[i]), 10) // XLA may fuse a multiplication and an addition into one rounding
	}

	// The caller's tensors are still there, unchanged, and another run gives the same bits, counted or not.
	kept := tensors.MustCopyFlatData[float32](state[0])
	filetest.True(t, kept[0] == 1 && kept[2] == -3, "Run changed the caller's state to %v", kept)
	filetest.Want(t, tensors.MustCopyFlatData[float32](data[0])[1], 2, "the caller's data after Run")
	for _, counted := range []bool{true, false} {
		again := filetest.Must(loop.Run(0, steps, counted, state, data))(t)
		filetest.Want(t, tensors.MustCopyFlatData[float32](again[0]), got, "x after the same steps, counted %t", counted)
	}
	filetest.True(t, loop.CompileTime() > 0, "no compile time")
}

// A builder's panic comes back as an error that names the program.
func TestErrorNamesProgram(t *testing.T) {
	loop := filetest.Must(learn.NewLoop(nettest.Backend(t), "bad sum", 1, false,
		func(_ *Node, state, data []*Node) []*Node { return []*Node{Add(state[0], data[0])} }))(t)
	_, err := loop.Run(0, 1, false, []*tensors.Tensor{vector(1, 2, 3)}, []*tensors.Tensor{vector(1, 2)})
	filetest.WantError(t, err, "bad sum")
}
