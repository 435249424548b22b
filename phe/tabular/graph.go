package tabular

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
	"gophe/phe/online"
)

// network is the classifier's graph for a number of runs side by side. Its weights are
//
//	head of embeddings   [runs, columns, dim, outputs]
//	head of numbers      [runs, numbers, outputs]
//	bias                 [runs, outputs]
type network struct {
	Config
	encoder *phe.Encoder
	fanIn   int // inputs of the head
	items   int // distinct ones of the data
}

// Weights of the head, as PyTorch's Linear starts.
func (m network) Weights() []online.Weight {
	limit, outputs := 1/math.Sqrt(float64(m.fanIn)), m.outputs()
	return []online.Weight{
		{Dims: []int{m.Columns, m.Encoder.EmbeddingDim, outputs}, Limit: limit},
		{Dims: []int{m.Numbers, outputs}, Limit: limit},
		{Dims: []int{outputs}, Limit: limit},
	}
}

// batch is what the model reads of a batch, its rows run after run.
type batch struct {
	index   *Node // [runs·rows, columns] int32, into the items of the row's own run
	numbers *Node // [runs, rows, numbers] float32
	labels  *Node // [runs·rows] int32
}

// items are the distinct items of the data, the same for all runs.
type items struct {
	slots   phe.Slots // [items, …]
	columns *Node     // [items] int32
}

// read groups what upload put on the device, in its order, and gathers the batch's rows of it.
func (m network) read(b online.Batch) (items, batch) {
	data := b.Data
	it := items{slots: phe.Slots{Buckets: data[0]}, columns: data[1]}
	data = data[2:]
	if m.Encoder.HasWeights() {
		it.slots.Weights, data = data[0], data[1:]
	}
	runs, n := b.Size()
	flat := Reshape(b.Rows, runs*n, 1)
	index := b.OwnItems(Gather(data[0], flat), m.items)
	return it, batch{index: index, numbers: Reshape(Gather(data[1], flat), runs, n, m.Numbers), labels: Reshape(Gather(data[2], flat), -1)}
}

// logits are [samples, runs·rows, outputs]. With masked, no gradient flows through the embeddings of columns other than the
// incremental one.
func (m network) logits(p online.Parameters, it items, b batch, samples int, noise phe.Noise, masked bool) *Node {
	head := p.Weights
	runs, rows := b.numbers.Shape().Dimensions[0], b.numbers.Shape().Dimensions[1]
	base := Add(Einsum("rnf,rfo->rno", b.numbers, head[1]), InsertAxes(head[2], 1)) // [runs, rows, outputs]
	slots := it.slots.Stack(runs, p.Tables)
	if m.outputs() == 1 && (m.Scheme.NeedsLinearAssembly() || m.Encoder.Estimate == phe.Point && m.Encoder.Assembly.IsLinear()) {
		columns := Reshape(BroadcastToDims(InsertAxes(it.columns, 0), runs, it.columns.Shape().Size()), -1)
		var trained *Node
		if masked {
			trained = InsertAxes(Equal(columns, Const(columns.Graph(), int32(m.Incremental))), -1)
		}
		linear := m.encoder.Linear(p.Tables, slots, columns, Squeeze(head[0], -1), trained)
		return InsertAxes(linear.Logits(b.index, Reshape(base, -1), m.Scheme, samples, noise), -1)
	}
	embeddings := m.encoder.Embed(p.Tables, slots, b.index, m.Scheme, samples, noise) // [samples, runs·rows, columns, dim]
	if masked {
		embeddings = phe.OnlyColumn(embeddings, m.Incremental)
	}
	dims := embeddings.Shape().Dimensions
	byRun := Reshape(embeddings, dims[0], runs, rows, m.Columns, m.Encoder.EmbeddingDim)
	logits := Add(Einsum("srncd,rcdo->srno", byRun, head[0]), InsertAxes(base, 0))
	return Reshape(logits, dims[0], runs*rows, m.outputs())
}

// logLikelihoods of the labels, in nats: [samples, runs·rows].
func (m network) logLikelihoods(logits, labels *Node) *Node {
	if m.outputs() == 1 {
		return phe.BernoulliLogLikelihood(Squeeze(logits, -1), InsertAxes(ConvertDType(labels, logits.DType()), 0))
	}
	return phe.CategoricalLogLikelihood(logits, labels)
}

// Predict is the log of the averaged class probabilities (Eq. 1), in nats: [runs·rows, classes].
func (m network) Predict(p online.Parameters, b online.Batch, noise phe.Noise) *Node {
	it, rows := m.read(b)
	logits := m.logits(p, it, rows, m.TestSamples, noise, false)
	weights := m.sampleWeights()
	if m.outputs() > 1 {
		return phe.LogMeanExp(LogSoftmax(logits, -1), weights)
	}
	z := Squeeze(logits, -1)
	one, zero := OnesLike(z), ZerosLike(z)
	return Stack([]*Node{phe.LogMeanExp(phe.BernoulliLogLikelihood(z, zero), weights),
		phe.LogMeanExp(phe.BernoulliLogLikelihood(z, one), weights)}, -1)
}

// sampleWeights are the scheme's; a point estimate has one sample under every scheme.
func (m network) sampleWeights() []float64 {
	if m.Encoder.Estimate == phe.Point {
		return nil
	}
	return m.Scheme.SampleWeights()
}

// DataTerm is the labels' log-likelihood, [runs, rows] in nats.
func (m network) DataTerm(p online.Parameters, b online.Batch, noise phe.Noise, masked bool) *Node {
	it, rows := m.read(b)
	logits := m.logits(p, it, rows, m.TrainSamples, noise, masked)
	dataTerm := phe.Floored(m.Loss.Reduce(m.logLikelihoods(logits, rows.labels), m.sampleWeights()), m.LikelihoodFloor)
	runs, n := b.Size()
	return Reshape(dataTerm, runs, n)
}
