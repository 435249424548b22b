package phe

import (
	"cmp"
	"slices"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/pkg/errors"

	"gophe/phe/remedy/fieldpath"
)

// Assembly is g of Sec. 3.2: it combines an item's K embeddings into one. JSON holds its name, so a program that reads a file with a g of
// [NewAssembly] gives the value of that name.
type Assembly struct{ byName[combination] }

type combination struct {
	linear bool
	g      func(embeddings, weights *Node) *Node
}

// byName is a value that text and JSON know by its name. Values of this package have no own.
type byName[T any] struct {
	name string
	own  *T
}

func (n byName[T]) String() string                   { return n.name }
func (n byName[T]) MarshalText() ([]byte, error)     { return []byte(n.name), nil }
func (n *byName[T]) UnmarshalText(name []byte) error { *n = byName[T]{name: string(name)}; return nil }

// The assemblies of Sec. 3.2. The paper's experiments use WeightedSum (Supp. G.3).
var (
	WeightedSum = Assembly{byName[combination]{"weighted-sum", nil}} // Σ_k W[w(s), k]·E[h_k(s)]: the weights are beliefs too
	PlainSum    = Assembly{byName[combination]{"sum", nil}}
	Average     = Assembly{byName[combination]{"mean", nil}}
	Maximum     = Assembly{byName[combination]{"max", nil}} // coordinate by coordinate
	Minimum     = Assembly{byName[combination]{"min", nil}}
)

var combinations = map[string]*combination{
	"weighted-sum": {true, func(e, w *Node) *Node { return ReduceSum(Mul(e, InsertAxes(w, -1)), -2) }},
	"sum":          {true, func(e, _ *Node) *Node { return ReduceSum(e, -2) }},
	"mean":         {true, func(e, _ *Node) *Node { return ReduceMean(e, -2) }},
	"max":          {false, func(e, _ *Node) *Node { return ReduceMax(e, -2) }},
	"min":          {false, func(e, _ *Node) *Node { return ReduceMin(e, -2) }},
}

// NewAssembly returns a g of yours. embeddings are [samples, …, hashes, dim] float32, and the result is [samples, …, dim]. weights are
// [samples, …, hashes], of the item's row of table W; nil if NumWeights is 0. linear states that each coordinate of the result is the same
// Σ_k a_k·E[h_k(s)] of that coordinate, where a depends on weights alone. The schemes Local, Moments and Quadrature rely on it.
func NewAssembly(name string, linear bool, g func(embeddings, weights *Node) *Node) Assembly {
	return Assembly{byName[combination]{name, &combination{linear, g}}}
}

func (a Assembly) combination() *combination {
	return cmp.Or(a.own, combinations[cmp.Or(a.name, PlainSum.name)], &combination{}) // the sum of a vocabulary's single row
}

// IsLinear tells whether the assembled embedding is linear in the table E for given weights.
func (a Assembly) IsLinear() bool { return a.combination().linear }

func (a Assembly) validate() error {
	if a.name == "" || (combinations[a.name] == nil) == (a.own == nil) {
		return fieldpath.Errorf("assembly", `assembly is %q; choose "weighted-sum", "sum", "mean", "max" or "min", or give `+
			"phe.NewAssembly's value of a name of its own", a)
	}
	return nil
}

// assemble applies g over the hash axis.
func (a Assembly) assemble(embeddings, weights *Node) *Node {
	out, want := a.combination().g(embeddings, weights), slices.Clone(embeddings.Shape().Dimensions)
	if want = slices.Delete(want, len(want)-2, len(want)-1); !slices.Equal(out.Shape().Dimensions, want) {
		panic(errors.Errorf("assembly %q makes %s of %s; it must drop the axis of hashes, the last but one", a, out.Shape(),
			embeddings.Shape()))
	}
	return out
}

// coefficients returns the a_k of a linear assembly of [NewAssembly], [dims…]: its values for unit vectors. The last of dims is the number
// of hashes. weights are nil or [dims…].
func (a Assembly) coefficients(weights *Node, g *Graph, dims []int) *Node {
	k := dims[len(dims)-1]
	units := ExpandLeftToRank(DiagonalWithValue(ScalarOne(g, dtypes.Float32), k), len(dims)+1)
	return a.assemble(BroadcastToDims(units, append(slices.Clone(dims), k)...), weights)
}
