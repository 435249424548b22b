package picture

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/stat/distuv"
	"gonum.org/v1/plot/vg"

	"gophe/figures/draw"
	"gophe/notebooks/play"
	"gophe/notebooks/show"
	"gophe/notebooks/toy"
	"gophe/phe"
	"gophe/phe/hash"
)

// lookup is what Lookup's controls chose: an item, and a family of hash functions.
type lookup struct {
	b, k   int
	family hash.Family
	rows   []int32 // of the item
}

// Lookup returns the picture of an item that the reader types, among items that the table knows. Its controls are "item", "B" and "K".
// It has the item's rows of E, one line for each hash function, and the known items that share some of them.
func Lookup(known []string) func(at play.Position) *draw.Figure {
	return func(at play.Position) *draw.Figure {
		l := newLookup(at.Text("item"), at.Count("B"), at.Count("K"))
		some, all := 0, 0
		for _, other := range known {
			if slices.ContainsFunc(l.of(other), func(row int32) bool { return slices.Contains(l.rows, row) }) {
				some++
			}
			if slices.Equal(l.of(other), l.rows) {
				all++
			}
		}
		one := 1 / float64(l.b)
		caption := fmt.Sprintf("The item has rows %v of E. Known items with some of them: %d of %d. With all of them: %d. "+
			"Chance of two items to meet in one hash function: 1/B = %s. In all K: 1/Bᴷ = %s.",
			l.rows, some, len(known), all, draw.Number(one), draw.Number(math.Pow(one, float64(l.k))))
		return l.table(known).Size(13*vg.Centimeter, 7.5*vg.Centimeter).Figure(caption)
	}
}

func newLookup(item string, b, k int) lookup {
	l := lookup{b: b, k: k, family: show.Must(hash.NewFamily(hash.CarterWegman, k, b, 0, 0))}
	l.rows = l.of(item)
	return l
}

// of returns the K rows of an item.
func (l lookup) of(item string) []int32 { return l.family.Buckets(nil, hash.CarterWegman.Key(item)) }

// table draws the typed item's rows as columns of light. A known item's dot in such a column has the colour of its hash function.
func (l lookup) table(known []string) *draw.Chart {
	c := draw.New("Row of the table E", "").X(-0.5, float64(l.b)-0.5)
	var names []string
	for k, row := range l.rows {
		names = append(names, fmt.Sprintf("h%s of the item", []string{"₁", "₂", "₃", "₄"}[k]))
		edge := []float64{float64(row) - 0.45, float64(row) + 0.45}
		c.Band("", edge, []float64{-100, -100}, []float64{1, 1}, draw.Colour(k))
		c.Dots(fmt.Sprint("hash ", k+1), []float64{float64(row)}, []float64{-float64(k)}, draw.Colour(k))
	}
	for _, other := range known {
		for k, row := range l.of(other) {
			look := []draw.Option{draw.Faint(), draw.Thin()}
			if slices.Contains(l.rows, row) {
				look = []draw.Option{draw.Colour(k)}
			}
			aside := 0.24 * (float64(l.k-1)/2 - float64(k)) // dots of one item lie below each other
			c.Dots("", []float64{float64(row)}, []float64{aside - float64(len(names))}, look...)
		}
		names = append(names, other)
	}
	return c.NamesY(names...)
}

// Assemblies draws the densities of one item's embedding under each assembly: lines for closed forms, dots for samples by the library,
// in cells of a tenth. Grey are the beliefs of the item's rows. The configuration must have an embedding of one number.
func Assemblies(c phe.Config, item string) *draw.Figure {
	const low, high, samples = -2.0, 3.0, 10_000
	chart, weights := draw.New("Embedding", "Density").X(low, high).Size(16*vg.Centimeter, 7.5*vg.Centimeter), c.NumWeights
	for i, assembly := range assemblies {
		c.Assembly, c.NumWeights = assembly, 0
		if assembly == phe.WeightedSum {
			c.NumWeights = weights
		}
		f, drawn := embed(c, item, samples)
		for k, e := range f.E {
			if i == 0 {
				chart.Curve([]string{"rows of E", ""}[min(k, 1)], e.Prob, low, high, draw.Faint(), draw.Dashed(), draw.Unmarked())
			}
		}
		chart.Curve(string(assembly), f.density(assembly), low, high, draw.Colour(i), draw.Unmarked())
		x, heights := histogram(drawn, low, high)
		chart.Dots(string(assembly), x, heights, draw.Colour(i), draw.Thin())
	}
	return chart.Figure("Lines: closed forms. Dots: samples of the library's graph.")
}

// histogram returns the density of values in cells of a tenth, and the middles of the cells.
func histogram(values []float64, low, high float64) (x, heights []float64) {
	const cell = 0.1
	for at := low; at < high-cell/2; at += cell {
		count := 0
		for _, v := range values {
			if at <= v && v < at+cell {
				count++
			}
		}
		x, heights = append(x, at+cell/2), append(heights, float64(count)/(cell*float64(len(values))))
	}
	return x, heights
}

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
