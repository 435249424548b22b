package picture

import (
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/stat/distuv"

	"gophe/notebooks/show"
	"gophe/notebooks/toy"
	"gophe/phe"
)

// assemblies lists the ways to combine an item's rows of E (Sec. 3.2), the paper's first.
var assemblies = []phe.Assembly{phe.WeightedSum, phe.PlainSum, phe.Average, phe.Maximum, phe.Minimum}

// found holds an item's beliefs in tables of one number an entry: one in each of its K rows of E, and K in its row of W.
type found struct {
	E, W []distuv.Normal
}

// density returns the density of the item's embedding under an assembly (Fig. 2). As in the paper, each of the K draws is
// independent of the others, even if two hash functions name one row (Supp. E.1, Eq. 27).
func (f found) density(g phe.Assembly) func(x float64) float64 {
	switch g {
	case phe.WeightedSum:
		return f.weighted()
	case phe.Maximum:
		return f.extreme(func(n distuv.Normal, x float64) float64 { return n.CDF(x) })
	case phe.Minimum:
		return f.extreme(func(n distuv.Normal, x float64) float64 { return n.Survival(x) })
	}
	w := make([]float64, len(f.E))
	for k := range w {
		w[k] = 1
		if g == phe.Average {
			w[k] = 1 / float64(len(w))
		}
	}
	return f.sum(w).Prob
}

// sum returns the distribution of Σ_k w_k·E[h_k], which is Gaussian.
func (f found) sum(w []float64) distuv.Normal {
	mean, variance := 0.0, 0.0
	for k, e := range f.E {
		mean += w[k] * e.Mu
		variance += w[k] * w[k] * e.Sigma * e.Sigma
	}
	return distuv.Normal{Mu: mean, Sigma: math.Sqrt(variance)}
}

// extreme returns the density of the row that wins: it is at x, and beyond says how likely each other row is not beyond x.
func (f found) extreme(beyond func(n distuv.Normal, x float64) float64) func(x float64) float64 {
	return func(x float64) (density float64) {
		for k, winner := range f.E {
			p := winner.Prob(x)
			for other, e := range f.E {
				if other != k {
					p *= beyond(e, x)
				}
			}
			density += p
		}
		return density
	}
}

const (
	weightDraws = 400  // draws of W's row; the curve is smooth from a few hundred on
	blur        = 0.02 // standard deviation that keeps a weight near 0 from drawing a spike
)

// weighted returns the density of the sum with weights that are beliefs themselves. The sum is Gaussian only for
// given weights. The density is the mean over draws of the weights, spread evenly over each weight's quantiles.
func (f found) weighted() func(x float64) float64 {
	w := make([][]float64, weightDraws)
	for i := range w {
		w[i] = make([]float64, len(f.W))
	}
	source := rand.New(rand.NewPCG(5, 5))
	for k, belief := range f.W {
		for i, place := range source.Perm(weightDraws) {
			w[i][k] = belief.Quantile((float64(place) + 0.5) / weightDraws)
		}
	}
	sums := make([]distuv.Normal, weightDraws)
	for i, given := range w {
		sums[i] = f.sum(given)
		sums[i].Sigma = math.Hypot(sums[i].Sigma, blur)
	}
	return func(x float64) (density float64) {
		for _, sum := range sums {
			density += sum.Prob(x) / weightDraws
		}
		return density
	}
}

// embed draws fresh tables and samples of an item's embedding by the library's own graph. The configuration must have an embedding
// of one number. It also returns the item's beliefs.
func embed(c phe.Config, item string, samples int) (f found, drawn []float64) {
	encoder := show.Must(phe.NewEncoder(c))
	rows := show.Must(encoder.Items([]string{item}))
	program := toy.Compile(func(args []*graph.Node) []*graph.Node {
		g := args[0].Graph()
		noise := phe.NewNoise(graph.Const(g, []uint32{phe.NoiseKey(0, "notebook")}))
		eMean, eLogStdDev, wMean, wLogStdDev := encoder.InitialTables(noise, 1)
		tables := phe.Tables{E: phe.FromLogStdDev(eMean, eLogStdDev)}
		slots := phe.Slots{Buckets: graph.Const(g, [][]int32{rows.Buckets})}
		means := []*graph.Node{graph.Gather(eMean, graph.InsertAxes(slots.Buckets, -1))}
		if wMean != nil {
			tables.W, slots.Weights = phe.FromLogStdDev(wMean, wLogStdDev), graph.Const(g, rows.Weights)
			means = append(means, graph.Gather(wMean, graph.InsertAxes(slots.Weights, -1)))
		}
		index := graph.Const(g, [][]int32{{0}})
		return append([]*graph.Node{encoder.Embed(tables, slots, index, phe.Fresh, samples, noise)}, means...)
	})
	out, stdDev := program([]float64{0}), math.Exp(c.InitialLogStdDev)
	f.E = around(out[1], stdDev)
	if len(out) == 3 {
		f.W = around(out[2], stdDev)
	}
	return f, out[0]
}

// around returns beliefs of one width.
func around(means []float64, stdDev float64) []distuv.Normal {
	beliefs := make([]distuv.Normal, len(means))
	for i, mean := range means {
		beliefs[i] = distuv.Normal{Mu: mean, Sigma: stdDev}
	}
	return beliefs
}
