package phe

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// Assembly is g of Sec. 3.2: it combines an item's K embeddings into one.
type Assembly string

// The assemblies of Sec. 3.2. The paper's experiments use WeightedSum (Supp. G.3).
const (
	WeightedSum Assembly = "weighted-sum" // Σ_k W[w(s), k]·E[h_k(s)]: the weights are beliefs too
	PlainSum    Assembly = "sum"
	Average     Assembly = "mean"
	Maximum     Assembly = "max" // coordinate by coordinate
	Minimum     Assembly = "min"
)

// IsLinear tells whether the assembled embedding is linear in the table E for given weights. The schemes for linear heads rely on
// it.
func (a Assembly) IsLinear() bool { return a != Maximum && a != Minimum }

// assemble applies g over the hash axis. embeddings is [samples, …, hashes, dim] float32. weights is [samples, …, hashes], and only
// WeightedSum reads it. The result is [samples, …, dim].
func (a Assembly) assemble(embeddings, weights *Node) *Node {
	switch a {
	case WeightedSum:
		return ReduceSum(Mul(embeddings, InsertAxes(weights, -1)), -2)
	case Average:
		return ReduceMean(embeddings, -2)
	case Maximum:
		return ReduceMax(embeddings, -2)
	case Minimum:
		return ReduceMin(embeddings, -2)
	default: // PlainSum, and a vocabulary's single row
		return ReduceSum(embeddings, -2)
	}
}
