package ncf

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
	"gophe/phe/online"
)

// network is the recommender's graph for a number of runs side by side. Its weights are
//
//	of [E_u, E_m]    [runs, 2·dim, hidden]
//	of E_u ⊙ E_m     [runs, dim, hidden]
//	bias             [runs, hidden]
//	output           [runs, hidden]
//	output's bias    [runs, 1]
//	of the genres    [runs, genres or dim, hidden], last; none with NoGenres
type network struct {
	Config
	encoder *phe.Encoder
	genres  int // how many there are
}

// genreWidth is how many numbers say of which genres a film is.
func (m network) genreWidth() int {
	switch m.Genres {
	case MultiHot:
		return m.genres
	case Embedded:
		return m.Encoder.EmbeddingDim
	}
	return 0
}

// Weights start as PyTorch's layers.
func (m network) Weights() []online.Weight {
	dim := m.Encoder.EmbeddingDim
	first, second := 1/math.Sqrt(float64(3*dim+m.genreWidth())), 1/math.Sqrt(float64(m.Hidden))
	weights := []online.Weight{
		{Dims: []int{2 * dim, m.Hidden}, Limit: first},
		{Dims: []int{dim, m.Hidden}, Limit: first},
		{Dims: []int{m.Hidden}, Limit: first},
		{Dims: []int{m.Hidden}, Limit: second},
		{Dims: []int{1}, Limit: second},
	}
	if width := m.genreWidth(); width > 0 {
		weights = append(weights, online.Weight{Dims: []int{width, m.Hidden}, Limit: first})
	}
	return weights
}

// ratings are a batch's, run after run.
type ratings struct {
	slots   phe.Slots // of the items: users, films and, with Embedded, then all genres
	index   *Node     // [runs·rows, 2] int32, user and film of the row's own run
	genres  *Node     // [runs·rows, genres], 1 where the film is of it
	ratings *Node     // [runs, rows], scaled
}

// read gathers the batch's rows of what [Data] put on the device, in its order.
func (m network) read(b online.Batch) ratings {
	data := b.Data
	r := ratings{slots: phe.Slots{Buckets: data[0]}}
	data = data[1:]
	if m.Encoder.HasWeights() {
		r.slots.Weights, data = data[0], data[1:]
	}
	runs, rows := b.Size()
	at := Reshape(b.Rows, runs*rows, 1)
	r.index = b.OwnItems(Gather(data[0], at), r.slots.Buckets.Shape().Dimensions[0])
	r.genres = m.multiHot(Gather(data[1], at))
	r.ratings = Reshape(Gather(data[2], at), runs, rows)
	return r
}

// multiHot opens sets of genres, [n] uint32 with a bit for each, to [n, genres].
func (m network) multiHot(sets *Node) *Node {
	g, n := sets.Graph(), sets.Shape().Size()
	bit := Iota(g, shapes.Make(dtypes.Uint32, n, m.genres), 1)
	shifted := BitwiseShiftRightLogical(BroadcastToDims(Reshape(sets, n, 1), n, m.genres), bit)
	return ConvertDType(BitwiseAnd(shifted, OnesLike(shifted)), dtypes.Float32)
}

// means of the ratings' law under each sample, [samples, runs, rows]; a point estimate has one.
func (m network) means(p online.Parameters, b online.Batch, r ratings, samples int, noise phe.Noise) *Node {
	runs, rows := b.Size()
	dim := m.Encoder.EmbeddingDim
	slots := r.slots.Stack(runs, p.Tables)
	both := m.encoder.Embed(p.Tables, slots, r.index, m.Scheme, samples, noise) // [samples, runs·rows, 2, dim]
	samples = both.Shape().Dimensions[0]
	user := Squeeze(Slice(both, AxisRange(), AxisRange(), AxisElem(0)), 2)
	film := Squeeze(Slice(both, AxisRange(), AxisRange(), AxisElem(1)), 2)
	pair, product := Reshape(both, samples, runs, rows, 2*dim), Reshape(Mul(user, film), samples, runs, rows, dim)
	w := p.Weights
	hidden := Add(Einsum("srni,rih->srnh", pair, w[0]), Einsum("srni,rih->srnh", product, w[1]))
	hidden = Add(hidden, InsertAxes(w[2], 0, 1))
	switch m.Genres {
	case MultiHot:
		hidden = Add(hidden, InsertAxes(Einsum("rng,rgh->rnh", Reshape(r.genres, runs, rows, m.genres), w[5]), 0))
	case Embedded:
		hidden = Add(hidden, Einsum("srni,rih->srnh", m.meanGenres(p, b, slots, r, samples, noise), w[5]))
	}
	output := Einsum("srnh,rh->srn", Tanh(hidden), w[3])
	return Add(output, InsertAxes(w[4], 0))
}

// meanGenres is the mean of the embeddings of each film's genres, [samples, runs, rows, dim]; a film of none has zeros.
func (m network) meanGenres(p online.Parameters, b online.Batch, slots phe.Slots, r ratings, samples int, noise phe.Noise) *Node {
	runs, _ := b.Size()
	items := r.slots.Buckets.Shape().Dimensions[0]
	genre := Reshape(Iota(r.index.Graph(), shapes.Make(dtypes.Int32, runs, m.genres), 1), runs*m.genres, 1)
	index := b.OwnItems(AddScalar(genre, items-m.genres), items)
	drawn := m.encoder.Embed(p.Tables, slots, index, m.Scheme, samples, noise.At(Const(index.Graph(), uint32(1))))
	drawn = Reshape(drawn, samples, runs, m.genres, m.Encoder.EmbeddingDim)
	member := Reshape(r.genres, runs, -1, m.genres)
	share := Div(member, MaxScalar(ReduceAndKeep(member, ReduceSum, -1), 1))
	return Einsum("rng,srgd->srnd", share, drawn)
}

// DataTerm is the ratings' log-likelihood, reduced over the samples, [runs, rows] in nats.
func (m network) DataTerm(p online.Parameters, b online.Batch, noise phe.Noise, _ bool) *Node {
	r := m.read(b)
	runs, rows := b.Size()
	means := m.means(p, b, r, m.TrainSamples, noise)
	perSample := phe.GaussianLogLikelihood(means, InsertAxes(r.ratings, 0), m.StdDev)
	return Reshape(m.Loss.Reduce(Reshape(perSample, -1, runs*rows), nil), runs, rows)
}

// Predict is the mean of each rating's law under every sample, [runs·rows, samples]; [Recommender.Predictive] reads it.
func (m network) Predict(p online.Parameters, b online.Batch, noise phe.Noise) *Node {
	runs, rows := b.Size()
	means := m.means(p, b, m.read(b), m.TestSamples, noise)
	return TransposeAllAxes(Reshape(means, -1, runs*rows), 1, 0)
}
