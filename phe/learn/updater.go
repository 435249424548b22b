package learn

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// Updater turns a batch into new beliefs (Sec. 3.3). Its Step is a pure function of nodes, so all steps of an update run in one
// compiled loop. [Adam] returns the paper's. Package onepass conditions on records in closed form, without a network.
type Updater struct {
	// Step moves the parameters by one step. They are [runs·rows, …] and [runs, …], in the order of a checkpoint. memory holds the
	// arrays, one set of parameters after the other. step is an int32 scalar that counts from 0 in each update. loss returns the
	// negative ELBO of the step's records, in nats, summed over runs (Eq. 3).
	Step   func(step *Node, parameters, memory []*Node, loss func(parameters []*Node) *Node) (newParameters, newMemory []*Node)
	Arrays int // number of arrays that the updater keeps for each parameter, in its shape; each update starts with zeros
}

// Adam returns the paper's updater: steps along the gradient of the negative ELBO (Kingma and Ba, 2015), with PyTorch's constants:
// β₁ = 0.9, β₂ = 0.999, ε = 1e-8. GoMLX's default ε is 1e-7. The memory holds the first moments of all parameters and then the second
// ones. The optimiser starts fresh in each update.
func Adam(learningRate float64) Updater {
	return adam(func(direction *Node) *Node { return MulScalar(direction, learningRate) })
}

// adam returns Adam with a learning rate of any form: scaled multiplies by it.
func adam(scaled func(direction *Node) *Node) Updater {
	const beta1, beta2, epsilon = 0.9, 0.999, 1e-8
	step := func(step *Node, parameters, moments []*Node, loss func([]*Node) *Node) (newParameters, newMoments []*Node) {
		gradients := Gradient(loss(parameters), parameters...)
		t := AddScalar(ConvertDType(step, parameters[0].DType()), 1)
		correction := func(beta float64) *Node { return OneMinus(Pow(Const(t.Graph(), float32(beta)), t)) }
		c1, c2 := correction(beta1), correction(beta2)
		n := len(parameters)
		first, second := make([]*Node, n), make([]*Node, n)
		newParameters = make([]*Node, n)
		for i, g := range gradients {
			first[i] = Add(MulScalar(moments[i], beta1), MulScalar(g, 1-beta1))
			second[i] = Add(MulScalar(moments[n+i], beta2), MulScalar(Square(g), 1-beta2))
			direction := Div(Div(first[i], c1), AddScalar(Sqrt(Div(second[i], c2)), epsilon))
			newParameters[i] = Sub(parameters[i], scaled(direction))
		}
		return newParameters, append(first, second...)
	}
	return Updater{step, 2}
}
