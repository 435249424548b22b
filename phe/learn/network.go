package learn

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
	"gophe/phe/likelihood"
)

// Network is what a model computes from embeddings: the parameters of a likelihood. It builds graphs, holds no state, and knows
// nothing of batches' padding, of losses or of sampling schemes. Packages tabular, dkf and ncf have one each.
type Network interface {
	// NumColumns is how many items an event has.
	NumColumns() int
	// Weights are the arrays of θ, in the order of [Pass].Weights.
	Weights() []Weight
	// Inputs are what the network reads of an event beside its items and its target.
	Inputs() []InputSpec
	// Outputs builds the graph of a pass.
	Outputs(p Pass) Outputs
	// Likelihood is the law of a target, given outputs.
	Likelihood() likelihood.Law
}

// Weight is an array of θ: a seed draws it uniformly from ±Limit, as PyTorch's layers start with 1/√fan-in.
type Weight struct {
	Name  string
	Dims  []int
	Limit float64
}

// InputSpec describes an [Input].
type InputSpec struct {
	Name  string
	DType dtypes.DType // Float32, Int32 or Uint32
	Dims  []int        // of one event; none is a single value
}

// size returns the values of an event.
func (s InputSpec) size() int {
	return product(s.Dims)
}

func (x Input) dtype() dtypes.DType {
	switch {
	case len(x.Integers) > 0:
		return dtypes.Int32
	case len(x.Bits) > 0:
		return dtypes.Uint32
	}
	return dtypes.Float32
}

// Outputs are what a network says of records.
type Outputs struct {
	// Parameters are those of the likelihood, [samples, runs·events·records, outputs], where Events of each record are
	// judged. Records lie within events, events within runs.
	Parameters *Node
	Events     int   // judged of each record; 0 is 1
	Targets    *Node // [runs·events·records] float32, the judged events'; not read by predictions
	Averaged   bool  // the objective is the mean over events, not their sum
	// Cost, [runs, records] in nats or nil, is what latent variables of the record's own add to the loss, such as the KL of the
	// deep Kalman filter.
	Cost *Node
}

// NoiseUses is the first use of a pass's noise that is free for a network; those below are the encoder's.
const NoiseUses = 20

// Pass is what a network sees of records in one pass: of a training step, or of a prediction. Several seeds ("runs") train side by
// side in one program, and every array has an axis of them.
type Pass struct {
	Weights  []*Node          // θ, each [runs, …]
	Index    *Node            // [runs, records, columns] int32, or [runs, records, length, columns]: the records' items, for Embed
	Inputs   map[string]*Node // [runs, records, …] or [runs, records, length, …], by name
	Targets  *Node            // [runs, records] or [runs, records, length] float32
	Samples  int              // of the posterior, that Embed draws
	Training bool
	Noise    phe.Noise

	runs, records int
	config        Config
	encoder       *phe.Encoder
	tables        phe.Tables
	slots         phe.Slots // of the items, stacked for the runs
	columns       *Node     // [runs·items] int32
	items         int       // number of items, of one run
	masked        bool      // only the incremental column learns
}

// Size returns the number of runs, and of records of each.
func (p Pass) Size() (runs, records int) { return p.runs, p.records }

// NumItems returns the number of items of the pass. The last ones are the batch's common items.
func (p Pass) NumItems() int { return p.items }

// Redrawn returns the pass with another number of samples and the noise of another step, for a network that embeds twice.
func (p Pass) Redrawn(samples int, step uint32) Pass {
	p.Samples = samples
	p.Noise = p.Noise.At(Const(p.Index.Graph(), step))
	return p
}

// OwnItems points index, [runs·n, columns] int32, whose rows lie run after run and hold numbers of items, to each run's own copy of
// the items, as Embed reads them. [Pass].Index points there already.
func (p Pass) OwnItems(index *Node) *Node {
	if p.runs == 1 {
		return index
	}
	run := Div(Iota(index.Graph(), index.Shape(), 0), Const(index.Graph(), int32(index.Shape().Dimensions[0]/p.runs)))
	return Add(index, MulScalar(run, p.items))
}

// Embed draws embeddings, [samples, n, columns, dim] float32, of the items that index, [n, columns] int32, points to. A point
// estimate has one sample. Where only the incremental column learns, no gradient flows through the other columns.
func (p Pass) Embed(index *Node) *Node {
	embeddings := p.encoder.Embed(p.tables, p.slots, index, p.config.Scheme, p.Samples, p.Noise)
	if p.masked {
		embeddings = phe.OnlyColumn(embeddings, p.config.Incremental)
	}
	return embeddings
}

// Linear returns head·embeddings + base, [samples, runs·records, outputs], of records of one event. head is
// [runs, columns, dim, outputs], base [runs, records, outputs]. A single output is integrated as the scheme says, without
// embeddings; [phe.Moments] and [phe.Quadrature] are for networks that call nothing else.
func (p Pass) Linear(head, base *Node) *Node {
	dims := head.Shape().Dimensions
	columns, dim, outputs := dims[1], dims[2], dims[3]
	index := Reshape(p.Index, p.runs*p.records, columns)
	encoder := p.encoder.Config()
	if outputs == 1 && (p.config.Scheme.NeedsLinearAssembly() || encoder.Estimate == phe.Point && encoder.Assembly.IsLinear()) {
		var trained *Node
		if p.masked {
			trained = InsertAxes(Equal(p.columns, Const(p.columns.Graph(), int32(p.config.Incremental))), -1)
		}
		linear := p.encoder.Linear(p.tables, p.slots, p.columns, Squeeze(head, -1), trained)
		return InsertAxes(linear.Logits(index, Reshape(base, -1), p.config.Scheme, p.Samples, p.Noise), -1)
	}
	embeddings := p.Embed(index)
	samples := embeddings.Shape().Dimensions[0]
	byRun := Reshape(embeddings, samples, p.runs, p.records, columns, dim)
	linear := Add(Einsum("srncd,rcdo->srno", byRun, head), InsertAxes(base, 0))
	return Reshape(linear, samples, p.runs*p.records, outputs)
}
