package tabular

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
)

// graph builds the classifier's graph for a number of runs side by side. Its parameters are a list of nodes, embedding
// module first:
//
//	E mean, E log σ      [runs·rows, dim]            log σ with a posterior only
//	W mean, W log σ      [runs·weights, hashes]      with assembly weighted-sum only
//	head of embeddings   [runs, columns, dim, outputs]
//	head of numbers      [runs, numbers, outputs]
//	bias                 [runs, outputs]
type graph struct {
	Config
	encoder *phe.Encoder
	runs    int
	fanIn   int // inputs of the head
}

// numEmbedding is how many of the parameters belong to the embedding module.
func (m graph) numEmbedding() int {
	n := 1
	if m.Encoder.HasWeights() {
		n++
	}
	if m.Encoder.Estimate == phe.Posterior {
		n *= 2
	}
	return n
}

func (m graph) numParameters() int { return m.numEmbedding() + 3 }

// numUpdated is how many of them online learning moves.
func (m graph) numUpdated() int {
	if m.Scope == phe.AllParameters {
		return m.numParameters()
	}
	return m.numEmbedding()
}

// tables reads the embedding module from the front of the parameters.
func (m graph) tables(parameters []*Node) phe.Tables {
	next := func() *Node { p := parameters[0]; parameters = parameters[1:]; return p }
	belief := func() phe.Gaussian {
		mean := next()
		if m.Encoder.Estimate == phe.Point {
			return phe.FromLogStdDev(mean, nil)
		}
		return phe.FromLogStdDev(mean, next())
	}
	t := phe.Tables{E: belief()}
	if m.Encoder.HasWeights() {
		t.W = belief()
	}
	return t
}

const noiseHead = 100 // the encoder's own uses are small numbers

// initialParameters draws parameters from the noise: tables as [phe.Encoder.InitialTables] says, the head uniform in
// ±1/√fan-in, as PyTorch's Linear starts.
func (m graph) initialParameters(noise phe.Noise) []*Node {
	var parameters []*Node
	eMean, eLogStdDev, wMean, wLogStdDev := m.encoder.InitialTables(noise, m.runs)
	for _, p := range []*Node{eMean, eLogStdDev, wMean, wLogStdDev} {
		if p != nil {
			parameters = append(parameters, p)
		}
	}
	dim, outputs := m.Encoder.EmbeddingDim, m.outputs()
	limit := 1 / math.Sqrt(float64(m.fanIn))
	head := func(use uint32, rest ...int) *Node {
		size := 1
		for _, d := range rest {
			size *= d
		}
		return Reshape(MulScalar(noise.Uniform(use, 1, m.runs, size), limit), append([]int{m.runs}, rest...)...)
	}
	return append(parameters, head(noiseHead, m.Columns, dim, outputs), head(noiseHead+1, m.Numbers, outputs),
		head(noiseHead+2, outputs))
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

// logits are [samples, runs·rows, outputs]. With masked, no gradient flows through the embeddings of columns other than the
// incremental one.
func (m graph) logits(parameters []*Node, it items, b batch, samples int, noise phe.Noise, masked bool) *Node {
	head := parameters[m.numEmbedding():]
	rows := b.numbers.Shape().Dimensions[1]
	base := Add(Einsum("rnf,rfo->rno", b.numbers, head[1]), InsertAxes(head[2], 1)) // [runs, rows, outputs]
	tables, slots := m.tables(parameters), it.slots.Stack(m.runs, m.Encoder)
	if m.outputs() == 1 && (m.Scheme.NeedsLinearAssembly() || m.Encoder.Estimate == phe.Point && m.Encoder.Assembly.IsLinear()) {
		columns := Reshape(BroadcastToDims(InsertAxes(it.columns, 0), m.runs, it.columns.Shape().Size()), -1)
		var trained *Node
		if masked {
			trained = InsertAxes(Equal(columns, Const(columns.Graph(), int32(m.Incremental))), -1)
		}
		linear := m.encoder.Linear(tables, slots, columns, Squeeze(head[0], -1), trained)
		return InsertAxes(linear.Logits(b.index, Reshape(base, -1), m.Scheme, samples, noise), -1)
	}
	embeddings := m.encoder.Embed(tables, slots, b.index, m.Scheme, samples, noise) // [samples, runs·rows, columns, dim]
	if masked {
		embeddings = m.stopOtherColumns(embeddings)
	}
	dims := embeddings.Shape().Dimensions
	byRun := Reshape(embeddings, dims[0], m.runs, rows, m.Columns, m.Encoder.EmbeddingDim)
	logits := Add(Einsum("srncd,rcdo->srno", byRun, head[0]), InsertAxes(base, 0))
	return Reshape(logits, dims[0], m.runs*rows, m.outputs())
}

// stopOtherColumns lets the gradient of embeddings, [samples, batch, columns, dim], through the incremental column only.
func (m graph) stopOtherColumns(embeddings *Node) *Node {
	selected := make([]bool, m.Columns)
	selected[m.Incremental] = true
	mask := Reshape(Const(embeddings.Graph(), selected), 1, 1, m.Columns, 1)
	return Where(BroadcastToShape(mask, embeddings.Shape()), embeddings, StopGradient(embeddings))
}

// logLikelihoods of the labels, in nats: [samples, runs·rows].
func (m graph) logLikelihoods(logits, labels *Node) *Node {
	if m.outputs() == 1 {
		return phe.BernoulliLogLikelihood(Squeeze(logits, -1), InsertAxes(ConvertDType(labels, logits.DType()), 0))
	}
	return phe.CategoricalLogLikelihood(logits, labels)
}

// logPredictive is the log of the averaged class probabilities (Eq. 1), in nats: [runs·rows, classes].
func (m graph) logPredictive(logits *Node) *Node {
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
func (m graph) sampleWeights() []float64 {
	if m.Encoder.Estimate == phe.Point {
		return nil
	}
	return m.Scheme.SampleWeights()
}

// negativeELBO of a batch, a scalar in nats, summed over runs. mask is [rows], shared by the runs.
func (m graph) negativeELBO(parameters []*Node, prior phe.Tables, it items, b batch, mask, numRows *Node,
	noise phe.Noise, masked bool) *Node {
	logits := m.logits(parameters, it, b, m.TrainSamples, noise, masked)
	dataTerm := phe.Floored(m.Loss.Reduce(m.logLikelihoods(logits, b.labels), m.sampleWeights()), m.LikelihoodFloor)
	rows := mask.Shape().Size()
	byRun := BroadcastToDims(InsertAxes(mask, 0), m.runs, rows)
	kl := m.tables(parameters).KL(prior)
	return phe.NegativeELBO(Reshape(dataTerm, m.runs, rows), byRun, numRows, kl, m.KLWeight)
}
