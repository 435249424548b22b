package phe

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/pkg/errors"

	"gophe/phe/hash"
)

// Encoder turns items into table rows on the host, and table rows into embeddings in the graph (Fig. 2).
type Encoder struct {
	Config     // as given: do not change it
	family     hash.Family
	vocabulary *vocabulary
}

// NewEncoder validates the configuration and draws its hash functions.
func NewEncoder(config Config) (*Encoder, error) {
	if err := config.Validate(); err != nil {
		return nil, errors.WithMessage(err, "encoder")
	}
	if config.HashDraws > 0 {
		return nil, errors.Errorf("encoder: hash_draws is %d; let Config.Chosen choose among the draws first", config.HashDraws)
	}
	e := &Encoder{Config: config}
	if config.Rows == Vocabulary {
		e.vocabulary = &vocabulary{rows: make(map[string]int32, config.Capacity), capacity: config.Capacity}
		return e, nil
	}
	var err error
	e.family, err = hash.NewFamily(config.Hash, config.NumHashes, config.NumBuckets, config.NumWeights, config.HashSeed)
	return e, err
}

// ItemRows holds the table rows of items on the host. Row i of Buckets, [items, hashes], and entry i of Weights, [items], belong to
// item i. Weights is empty if there is no table W.
type ItemRows struct {
	Buckets, Weights []int32
}

// Items finds the table rows of each item. With a vocabulary, a new item takes the next free row. It is an error if none is free.
func (e *Encoder) Items(items []string) (ItemRows, error) { return e.find(items, kept) }

// Find finds the rows of items, and changes nothing. If the items are to be learned, they are the rows that Items would find. For a
// prediction, all items without a row in a vocabulary share the next free one.
func (e *Encoder) Find(items []string, learning bool) (ItemRows, error) {
	if learning {
		return e.find(items, tried)
	}
	return e.find(items, together)
}

// find hashes the items, or looks them up as [vocabulary.find] does.
func (e *Encoder) find(items []string, how placement) (rows ItemRows, err error) {
	if e.vocabulary != nil {
		return e.vocabulary.find(items, how)
	}
	for _, item := range items {
		key := e.Hash.Key(item)
		rows.Buckets = e.family.Buckets(rows.Buckets, key)
		if e.NumWeights > 0 {
			rows.Weights = append(rows.Weights, e.family.WeightRow(key))
		}
	}
	return rows, nil
}

// Vocabulary lists the items of the vocabulary in the order of their rows; nil with hashes.
func (e *Encoder) Vocabulary() []string { return e.vocabulary.list() }

// Grown returns the encoder for tables with twice as many rows and rows of weights. An item at row r moves to r or to r plus the
// old number of rows. Tables that hold everything twice therefore keep everything learned. The authors' functions depend on the number
// of buckets in another way, so their tables cannot grow. A vocabulary cannot grow either.
func (e *Encoder) Grown() (*Encoder, error) {
	c := e.Config
	switch {
	case c.Rows == Vocabulary:
		return nil, errors.Errorf("a vocabulary cannot grow; give it a larger capacity from the beginning, or use rows %q", Hashed)
	case c.Hash == hash.Authors:
		return nil, errors.Errorf("tables under hash %q cannot grow: its functions depend on the number of buckets; use %q",
			hash.Authors, hash.CarterWegman)
	}
	c.NumBuckets, c.NumWeights = 2*c.NumBuckets, 2*c.NumWeights
	return NewEncoder(c)
}

// Uses of a step's noise. No two draws share numbers.
const (
	noiseE uint32 = iota + 1
	noiseW
	noiseLogit
	noiseInitialE
	noiseInitialW
)

// InitialTables draws fresh beliefs for all runs of the noise. Means come from N(0, 1), as in the authors' program, or from
// InitialMeanStdDev. Every log σ is InitialLogStdDev. The results are E's mean and log σ, [runs·rows, dim], and W's, [runs·weight
// rows, hashes], as far as the configuration has them.
func (e *Encoder) InitialTables(noise Noise, runs int) (arrays []*Node) {
	draw := func(use uint32, rows, width int) {
		mean := noise.Normal(use, 1, runs*rows, width)
		if s := e.InitialMeanStdDev; s > 0 {
			mean = MulScalar(mean, s)
		}
		mean = Squeeze(mean, 0)
		arrays = append(arrays, mean)
		if e.Estimate == Posterior {
			arrays = append(arrays, AddScalar(ZerosLike(mean), e.InitialLogStdDev))
		}
	}
	draw(noiseInitialE, e.TableRows(), e.EmbeddingDim)
	if e.NumWeights > 0 {
		draw(noiseInitialW, e.NumWeights, e.NumHashes)
	}
	return arrays
}

// Embed draws from p(E_{h_s}) of Fig. 2 for the items of index, [batch, columns] int32, which points into slots. It returns Monte
// Carlo embeddings, [samples, batch, columns, dim] float32. It takes the schemes Fresh, Local, Items and Table, and panics for the
// others. A point estimate has one sample and needs no noise.
func (e *Encoder) Embed(tables Tables, slots Slots, index *Node, scheme Scheme, samples int, noise Noise) *Node {
	if scheme.NeedsOneLogit() {
		panic(errors.Errorf("scheme %q gives logits, not embeddings: use Linear", scheme))
	}
	at := InsertAxes(index, -1)
	if scheme == Fresh || scheme == Local {
		fetched := Slots{Buckets: Gather(slots.Buckets, at)}
		if slots.Weights != nil {
			fetched.Weights = Gather(slots.Weights, at)
		}
		if scheme == Fresh || tables.E.isPoint() {
			return e.sampleSlots(tables, fetched, samples, noise)
		}
		return e.sampleGivenWeights(tables, fetched, samples, noise)
	}
	sample := e.sampleSlots
	if scheme == Table {
		sample = e.sampleTables
	}
	items := sample(tables, slots, samples, noise)         // [samples, items, dim]
	perRow := Gather(TransposeAllAxes(items, 1, 0, 2), at) // [batch, columns, samples, dim]
	return TransposeAllAxes(perRow, 2, 0, 1, 3)
}

// sampleSlots fetches distributions and then samples, and every slot has its own draw (Eq. 27). The result is [samples, …, dim],
// where … is the shape of slots.Weights.
func (e *Encoder) sampleSlots(tables Tables, slots Slots, samples int, noise Noise) *Node {
	return e.assemble(tables, slots, func(use uint32, table Gaussian, rows *Node) *Node {
		return table.gather(rows).draw(noise, use, samples)
	})
}

// sampleGivenWeights has the distribution of sampleSlots and needs fewer draws. Given W, a linear assembly of Gaussians is
// Gaussian, so each coordinate of the assembled embedding takes one normal in place of K.
func (e *Encoder) sampleGivenWeights(tables Tables, slots Slots, samples int, noise Noise) *Node {
	slot := tables.E.gather(slots.Buckets) // [batch, columns, hashes, dim]
	mean, variance := InsertAxes(slot.Mean, 0), InsertAxes(Square(slot.StdDev), 0)
	var w *Node
	if slots.Weights != nil {
		w = tables.W.gather(slots.Weights).draw(noise, noiseW, samples)
	}
	if e.Assembly.own != nil {
		w = e.Assembly.coefficients(w, mean.Graph(), append([]int{samples}, slots.Buckets.Shape().Dimensions...))
	}
	if w != nil {
		w = InsertAxes(w, -1)
		mean, variance = Mul(w, mean), Mul(Square(w), variance)
	}
	mean, variance = ReduceSum(mean, -2), ReduceSum(variance, -2)
	if e.Assembly == Average {
		k := float64(e.NumHashes)
		mean, variance = DivScalar(mean, k), DivScalar(variance, k*k)
	}
	dims := mean.Shape().Dimensions
	return Add(mean, deviate(variance, noise.Normal(noiseE, samples, dims[1], dims[2:]...)))
}

// sampleTables samples whole tables and then fetches rows (Eq. 26), so all items share a sample's table. The result is [samples,
// items, dim]. A point estimate has one sample.
func (e *Encoder) sampleTables(tables Tables, slots Slots, samples int, noise Noise) *Node {
	return e.assemble(tables, slots, func(use uint32, table Gaussian, rows *Node) *Node {
		drawn := TransposeAllAxes(table.draw(noise, use, samples), 1, 0, 2)
		fetched := Gather(drawn, InsertAxes(rows, -1)) // [items, (hashes,) samples, dim]
		if rows.Rank() == 1 {
			return TransposeAllAxes(fetched, 1, 0, 2)
		}
		return TransposeAllAxes(fetched, 2, 0, 1, 3)
	})
}

// assemble combines the slots' draws from E and, if there is one, from W.
func (e *Encoder) assemble(tables Tables, slots Slots, fetch func(use uint32, table Gaussian, rows *Node) *Node) *Node {
	embeddings := fetch(noiseE, tables.E, slots.Buckets)
	var weights *Node
	if slots.Weights != nil {
		weights = fetch(noiseW, tables.W, slots.Weights)
	}
	return e.Assembly.assemble(embeddings, weights)
}
