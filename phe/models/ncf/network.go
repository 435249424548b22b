package ncf

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe/learn"
	"gophe/phe/learn/likelihood"
)

// labels is the input of a rating's labels, one bit for each label.
const labels = "labels"

// network returns the two layers over the embeddings of a user and an item. Its weights start as PyTorch's layers do.
func (m *Model) network() learn.Network {
	n := learn.Network{Columns: 2, Weights: m.weights(), Outputs: m.outputs, Likelihood: likelihood.Gaussian(m.StdDev),
		Identity: map[string]any{"model": "ncf", "recommender": m.Recommender, "labels": m.Config.Labels}}
	if m.LabelInput != NoLabels {
		n.Inputs = []learn.InputSpec{{Name: labels, DType: dtypes.Uint32}}
	}
	return n
}

// labelWidth returns the number of inputs that encode an item's labels.
func (m *Model) labelWidth() int {
	switch m.LabelInput {
	case MultiHot:
		return len(m.Config.Labels)
	case Embedded:
		return m.Encoder.EmbeddingDim
	}
	return 0
}

// weights describes the weights of the two layers.
func (m *Model) weights() []learn.Weight {
	dim := m.Encoder.EmbeddingDim
	first, second := 1/math.Sqrt(float64(3*dim+m.labelWidth())), 1/math.Sqrt(float64(m.Hidden))
	weights := []learn.Weight{
		{Name: "of user and item", Dims: []int{2 * dim, m.Hidden}, Limit: first},
		{Name: "of their product", Dims: []int{dim, m.Hidden}, Limit: first},
		{Name: "bias", Dims: []int{m.Hidden}, Limit: first},
		{Name: "output", Dims: []int{m.Hidden}, Limit: second},
		{Name: "output's bias", Dims: []int{1}, Limit: second},
	}
	if width := m.labelWidth(); width > 0 {
		weights = append(weights, learn.Weight{Name: "of labels", Dims: []int{width, m.Hidden}, Limit: first})
	}
	return weights
}

// outputs returns the mean of each rating under each sample. A point estimate has one sample.
func (m *Model) outputs(p learn.Pass) learn.Outputs {
	runs, rows := p.Runs, p.Records
	dim := m.Encoder.EmbeddingDim
	both := p.Embed(Reshape(p.Index, runs*rows, 2)) // [samples, runs·rows, 2, dim]
	samples := both.Shape().Dimensions[0]
	user := Squeeze(Slice(both, AxisRange(), AxisRange(), AxisElem(0)), 2)
	item := Squeeze(Slice(both, AxisRange(), AxisRange(), AxisElem(1)), 2)
	pair, product := Reshape(both, samples, runs, rows, 2*dim), Reshape(Mul(user, item), samples, runs, rows, dim)
	w := p.Weights
	hidden := Add(Einsum("srni,rih->srnh", pair, w[0]), Einsum("srni,rih->srnh", product, w[1]))
	hidden = Add(hidden, InsertAxes(w[2], 0, 1))
	switch m.LabelInput {
	case MultiHot:
		hidden = Add(hidden, InsertAxes(Einsum("rng,rgh->rnh", m.multiHot(p), w[5]), 0))
	case Embedded:
		hidden = Add(hidden, Einsum("srni,rih->srnh", m.meanLabel(p), w[5]))
	}
	output := Einsum("srnh,rh->srn", Tanh(hidden), w[3])
	output = Add(output, InsertAxes(w[4], 0))
	return learn.Outputs{Parameters: Reshape(output, samples, runs*rows, 1), Targets: Reshape(p.Targets, -1)}
}

// multiHot unpacks the ratings' sets of labels, one bit for each label, to [runs, rows, labels].
func (m *Model) multiHot(p learn.Pass) *Node {
	runs, rows := p.Runs, p.Records
	sets, n, width := p.Inputs[labels], runs*rows, len(m.Config.Labels)
	bit := Iota(sets.Graph(), shapes.Make(dtypes.Uint32, n, width), 1)
	shifted := BitwiseShiftRightLogical(BroadcastToDims(Reshape(sets, n, 1), n, width), bit)
	return Reshape(ConvertDType(BitwiseAnd(shifted, OnesLike(shifted)), dtypes.Float32), runs, rows, width)
}

// meanLabel returns the mean embedding of each item's labels, [samples, runs, rows, dim]. It is 0 for an item without labels.
func (m *Model) meanLabel(p learn.Pass) *Node {
	runs := p.Runs
	width := len(m.Config.Labels)
	label := Reshape(Iota(p.Index.Graph(), shapes.Make(dtypes.Int32, runs, width), 1), runs*width, 1)
	index := p.OwnItems(AddScalar(label, p.Items-width))
	p.Noise = p.Noise.At(Const(p.Index.Graph(), uint32(1)))
	drawn := Reshape(p.Embed(index), -1, runs, width, m.Encoder.EmbeddingDim)
	member := m.multiHot(p)
	share := Div(member, MaxScalar(ReduceAndKeep(member, ReduceSum, -1), 1))
	return Einsum("rng,srgd->srnd", share, drawn)
}
