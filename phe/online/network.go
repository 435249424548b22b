package online

import (
	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
)

// Network is what a model puts on top of the tables: plain parameters θ, and what it makes of rows of the data. It builds
// graphs for a number of runs side by side.
type Network interface {
	// Weights are the shapes of θ, in the order in which [Parameters] hands them back.
	Weights() []Weight
	// DataTerm is what rows say for the parameters, [runs, rows] in nats: the log-likelihood under samples of the
	// posterior, reduced, less what latent variables of the row's own cost. With masked, no gradient flows through the
	// embeddings of columns other than the incremental one.
	DataTerm(p Parameters, b Batch, noise phe.Noise, masked bool) *Node
	// Predict describes the predictive distribution of rows, [runs·rows, …], in the network's own way.
	Predict(p Parameters, b Batch, noise phe.Noise) *Node
}

// Weight is one array of θ: a run draws it uniformly from ±Limit, as PyTorch's layers start with 1/√fan-in.
type Weight struct {
	Dims  []int
	Limit float64
}

// Parameters are the model's as nodes.
type Parameters struct {
	Tables  phe.Tables // of all runs, stacked run by run
	Weights []*Node    // θ, each [runs, …]
}

// Batch is rows of the data: their numbers, [runs, rows] int32, and what [NewModel] was given to keep on the device.
type Batch struct {
	Rows *Node
	Data []*Node
}

// OwnItems points index, [runs·n, columns] int32, whose rows lie run after run and name one of so many items, to each run's
// own copy of the items, as [phe.Slots.Stack] lays them out.
func (b Batch) OwnItems(index *Node, items int) *Node {
	runs, _ := b.Size()
	if runs == 1 {
		return index
	}
	run := Div(Iota(index.Graph(), index.Shape(), 0), Const(index.Graph(), int32(index.Shape().Dimensions[0]/runs)))
	return Add(index, MulScalar(run, items))
}

// Size is the number of runs, and of rows that each has.
func (b Batch) Size() (runs, rows int) {
	dims := b.Rows.Shape().Dimensions
	return dims[0], dims[1]
}
