package learn

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/pkg/errors"

	"gophe/phe"
	"gophe/phe/likelihood"
)

// Updater turns a batch into new beliefs (Sec. 3.3). Its Step is a pure function of nodes, so that all steps of an update run in
// one compiled loop.
type Updater interface {
	// Validate returns why the updater cannot serve a configuration and a network, and what could.
	Validate(c Config, n Network) error
	// Records is how many records a step takes; 0 is the configuration's BatchSize.
	Records() int
	// Arrays is how many arrays shaped as each parameter the updater remembers from step to step. Each update starts with zeros.
	Arrays() int
	// Step moves parameters, [runs·rows, …] and [runs, …] in the order of the checkpoint's, by one step. memory holds the arrays,
	// parameters after parameters. step, an int32 scalar, counts from 0 in each update.
	Step(step *Node, parameters, memory []*Node, o Objective) (newParameters, newMemory []*Node)
}

// Objective is what a step works on.
type Objective struct {
	// Loss is the negative ELBO of the step's records, in nats, summed over runs (Eq. 3).
	Loss func(parameters []*Node) *Node
	// AtMeans are the network's outputs for the means of the tables, [runs·records, outputs]. They draw no noise.
	AtMeans func(parameters []*Node) *Node
	// Targets are the records', [runs·records].
	Targets    func() *Node
	Likelihood likelihood.Law
	Runs       int
}

// Adam is the paper's updater: gradient steps on the negative ELBO, by an optimiser that starts fresh with every update.
type Adam struct{ LearningRate float64 }

// Validate accepts whatever can be trained.
func (a Adam) Validate(Config, Network) error {
	if !(a.LearningRate > 0) {
		return errors.Errorf("the learning rate of Adam is %g; it must be above 0 (the paper takes 0.01)", a.LearningRate)
	}
	return nil
}

// Records leaves the choice to the configuration.
func (Adam) Records() int { return 0 }

// Arrays are the first and second moments of the gradient.
func (Adam) Arrays() int { return 2 }

// Step descends the loss.
func (a Adam) Step(step *Node, parameters, memory []*Node, o Objective) (newParameters, newMemory []*Node) {
	gradients := Gradient(o.Loss(parameters), parameters...)
	return phe.Adam{LearningRate: a.LearningRate}.Step(parameters, gradients, memory, step)
}

// ClosedForm conditions the tables on one record after another, with no learning rate and no noise: the network's output is
// linearised at the means, and the likelihood is replaced by the Gaussian of its gradient and information there. For a network
// that is linear in the embeddings and a Gaussian likelihood, means and variances are then those of Bayes' rule, but for the
// covariances between entries, which a table does not keep. Package onepass is the same idea on the host, for any number of
// outputs, and a hundred times as fast.
type ClosedForm struct{}

// Validate asks for a posterior, for one output, and for an update of the tables alone.
func (ClosedForm) Validate(c Config, n Network) error {
	switch {
	case c.Encoder.Estimate != phe.Posterior:
		return errors.Errorf("the closed form updates variances, and estimate %q has none; use %q", c.Encoder.Estimate, phe.Posterior)
	case n.Likelihood().Outputs() != 1:
		return errors.Errorf("the closed form takes one output, and the likelihood has %d; use Adam, or package onepass", n.Likelihood().Outputs())
	case c.Scope != phe.AllColumns:
		return errors.Errorf("scope is %q; the closed form updates the tables through every column: use %q", c.Scope, phe.AllColumns)
	}
	return nil
}

// Records is one: each record meets the beliefs that the one before has left.
func (ClosedForm) Records() int { return 1 }

// Arrays are none.
func (ClosedForm) Arrays() int { return 0 }

// Step conditions on one record of each run. With J the output's gradient by a mean, v the variances, g and h the gradient and
// information of −log p by the output, and S = Σ J²·v over the entries of a run,
//
//	mean ← mean − v·J·g/(1 + h·S),  v ← v − (v·J)²·h/(1 + h·S).
func (ClosedForm) Step(_ *Node, parameters, _ []*Node, o Objective) (newParameters, newMemory []*Node) {
	outputs := o.AtMeans(parameters)
	gradient, information := o.Likelihood.Curvature(InsertAxes(StopGradient(outputs), 0), o.Targets())
	g, h := Reshape(gradient, o.Runs), Reshape(information, o.Runs)
	var means []*Node
	for i := 0; i < len(parameters); i += 2 {
		means = append(means, parameters[i])
	}
	slopes := Gradient(ReduceAllSum(outputs), means...)
	variances, spread := make([]*Node, len(means)), ZerosLike(h)
	byRun := func(x *Node) *Node { return Reshape(x, o.Runs, -1) }
	for k := range means {
		variances[k] = Exp(MulScalar(parameters[2*k+1], 2))
		spread = Add(spread, ReduceSum(byRun(Mul(Square(slopes[k]), variances[k])), -1))
	}
	shrink := Reciprocal(OnePlus(Mul(h, spread)))
	for k, mean := range means {
		v, pull := byRun(variances[k]), byRun(slopes[k])
		move := Mul(Mul(v, pull), InsertAxes(Mul(g, shrink), -1))
		keep := OneMinus(Mul(Mul(v, Square(pull)), InsertAxes(Mul(h, shrink), -1)))
		keep = MaxScalar(keep, leastKept)
		like := func(x *Node) *Node { return Reshape(x, mean.Shape().Dimensions...) }
		newParameters = append(newParameters, Sub(mean, like(move)), Add(parameters[2*k+1], MulScalar(Log(like(keep)), 0.5)))
	}
	return newParameters, nil
}

// leastKept of a variance remains after one record: roundings of float32 must not take all of it.
const leastKept = 1e-6
