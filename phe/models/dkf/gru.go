package dkf

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// linear is an affine map for each run: weights [runs, in, out] and bias [runs, out].
type linear struct{ weights, bias *Node }

// apply maps x, [runs, …, in], to [runs, …, out].
func (l linear) apply(x *Node) *Node {
	dims := x.Shape().Dimensions
	out := l.bias.Shape().Dim(-1)
	flat := Reshape(x, dims[0], -1, dims[len(dims)-1])
	y := Add(Einsum("rni,rio->rno", flat, l.weights), InsertAxes(l.bias, 1))
	return Reshape(y, append(append([]int{}, dims[:len(dims)-1]...), out)...)
}

// perceptron is a linear map, or two with tanh between them.
type perceptron []linear

func (p perceptron) apply(x *Node) *Node {
	for i, layer := range p {
		if i > 0 {
			x = Tanh(x)
		}
		x = layer.apply(x)
	}
	return x
}

// gru is a gated recurrent unit (Cho et al., 2014) in PyTorch's form, in which the reset gate acts after the recurrent map:
//
//	r = σ(W_r x + U_r h),  u = σ(W_u x + U_u h),  n = tanh(W_n x + r ⊙ U_n h),  h′ = (1−u) ⊙ n + u ⊙ h.
//
// Each map has a bias. input and recurrent hold the three maps side by side, in this order.
type gru struct{ input, recurrent linear }

// unroll runs the unit over x, [runs, length, rows, in], from a state of zeros. It returns all states, [runs, length, rows,
// hidden]. GoMLX has no gradient through a loop, so the steps are unrolled in the graph.
func (c gru) unroll(x *Node) *Node {
	dims := x.Shape().Dimensions
	hidden := c.recurrent.weights.Shape().Dimensions[1]
	fromInput := c.input.apply(x)
	var states []*Node
	var h *Node
	for i := range dims[1] {
		at := Squeeze(Slice(fromInput, AxisRange(), AxisElem(i)), 1)
		if h == nil {
			h = Zeros(x.Graph(), at.Shape().Clone())
			h = Slice(h, AxisRange(), AxisRange(), AxisRange(0, hidden))
		}
		h = c.cell(at, h)
		states = append(states, InsertAxes(h, 1))
	}
	return Concatenate(states, 1)
}

// cell takes one step. fromInput is W x, [runs, rows, 3·hidden], and h is the state before, [runs, rows, hidden].
func (c gru) cell(fromInput, h *Node) *Node {
	hidden := h.Shape().Dim(-1)
	fromState := c.recurrent.apply(h)
	part := func(x *Node, i int) *Node {
		return Slice(x, AxisRange(), AxisRange(), AxisRange(i*hidden, (i+1)*hidden))
	}
	reset := Sigmoid(Add(part(fromInput, 0), part(fromState, 0)))
	update := Sigmoid(Add(part(fromInput, 1), part(fromState, 1)))
	candidate := Tanh(Add(part(fromInput, 2), Mul(reset, part(fromState, 2))))
	return Add(candidate, Mul(update, Sub(h, candidate)))
}
