package learn

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/pkg/errors"

	"gophe/phe"
	"gophe/phe/learn/likelihood"
)

// Updater turns a batch into new beliefs (Sec. 3.3). Its Step is a pure function of nodes, so all steps of an update run in one
// compiled loop. [Adam] and [ClosedForm] return the two updaters of this package.
type Updater struct {
	// Step moves the parameters by one step. They are [runs·rows, …] and [runs, …], in the order of a checkpoint. memory holds the
	// arrays, one set of parameters after the other. step is an int32 scalar that counts from 0 in each update.
	Step    func(step *Node, parameters, memory []*Node, o Objective) (newParameters, newMemory []*Node)
	Arrays  int // number of arrays that the updater keeps for each parameter, in its shape; each update starts with zeros
	Records int // number of records in a step; 0 means the configuration's BatchSize
	// Validate returns an error if the updater cannot serve the configuration and the network. The error names an alternative. nil
	// accepts all.
	Validate func(c Config, n Network) error
}

// Objective is the goal of a step.
type Objective struct {
	// Loss is the negative ELBO of the step's records, in nats, summed over runs (Eq. 3).
	Loss func(parameters []*Node) *Node
	// AtMeans returns the network's outputs at the means of the tables, [runs·records, outputs]. It draws no noise.
	AtMeans func(parameters []*Node) *Node
	// Targets returns the targets of the records, [runs·records].
	Targets    func() *Node
	Likelihood likelihood.Distribution
	Runs       int
}

// Adam returns the paper's updater: gradient steps on the negative ELBO. The optimiser starts fresh in each update.
func Adam(learningRate float64) Updater {
	return Updater{Arrays: 2, // the first and second moments of the gradient
		Step: func(step *Node, parameters, memory []*Node, o Objective) (newParameters, newMemory []*Node) {
			return adam(learningRate, parameters, Gradient(o.Loss(parameters), parameters...), memory, step)
		},
		Validate: func(Config, Network) error {
			if !(learningRate > 0) {
				return errors.Errorf("the learning rate of Adam is %g; it must be above 0 (the paper takes 0.01)", learningRate)
			}
			return nil
		}}
}

// ClosedForm returns an updater that conditions the tables on one record after another. It has no learning rate and no noise. It
// linearises the network's output at the means, and replaces the likelihood by the Gaussian with the same gradient and information
// there.
//
// For a network that is linear in the embeddings and a Gaussian likelihood, this is Bayes' rule for the means and variances. A
// table keeps no covariances between entries. Package onepass does the same on the host for any number of outputs, about a hundred
// times as fast.
func ClosedForm() Updater {
	return Updater{Records: 1, Step: condition, // each record starts from the beliefs that the record before it has left
		Validate: func(c Config, n Network) error {
			switch {
			case c.Encoder.Estimate != phe.Posterior:
				return errors.Errorf("the closed form updates variances, and estimate %q has none; use %q", c.Encoder.Estimate, phe.Posterior)
			case n.Likelihood.Outputs != 1:
				return errors.Errorf("the closed form takes one output, and the likelihood has %d; use Adam, or package onepass", n.Likelihood.Outputs)
			case c.Scope != phe.AllColumns:
				return errors.Errorf("scope is %q; the closed form updates the tables through every column: use %q", c.Scope, phe.AllColumns)
			}
			return nil
		}}
}

// condition is a step of the closed form: it conditions on one record of each run. J is the gradient of the output by a mean, and v
// are the variances. g and h are the gradient and the information of −log p by the output. With S = Σ J²·v over the entries of a run,
//
//	mean ← mean − v·J·g/(1 + h·S),  v ← v − (v·J)²·h/(1 + h·S).
func condition(_ *Node, parameters, _ []*Node, o Objective) (newParameters, newMemory []*Node) {
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
		keep = MaxScalar(keep, minKept)
		like := func(x *Node) *Node { return Reshape(x, mean.Shape().Dimensions...) }
		newParameters = append(newParameters, Sub(mean, like(move)), Add(parameters[2*k+1], MulScalar(Log(like(keep)), 0.5)))
	}
	return newParameters, nil
}

// minKept is the share of a variance that remains after one record. Rounding in float32 must not take all of it.
const minKept = 1e-6
