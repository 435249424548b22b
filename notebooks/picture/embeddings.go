package picture

import (
	"fmt"
	"math"
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

// Assemblies draws the densities of one item's embedding under each assembly (Sec. 3.2): samples by the library, in cells of a tenth. Grey
// are the beliefs of the item's rows of E. The configuration must have an embedding of one number.
func Assemblies(c phe.Config, item string) *draw.Figure {
	const low, high, samples = -2.0, 3.0, 10_000
	chart, weights := draw.New("Embedding", "Density").X(low, high).Size(16*vg.Centimeter, 7.5*vg.Centimeter), c.NumWeights
	for i, assembly := range []phe.Assembly{phe.WeightedSum, phe.PlainSum, phe.Average, phe.Maximum, phe.Minimum} {
		c.Assembly, c.NumWeights = assembly, 0
		if assembly == phe.WeightedSum {
			c.NumWeights = weights
		}
		rows, drawn := embed(c, item, samples)
		if i == 0 {
			for k, mean := range rows {
				belief := distuv.Normal{Mu: mean, Sigma: math.Exp(c.InitialLogStdDev)}
				chart.Curve([]string{"rows of E", ""}[min(k, 1)], belief.Prob, low, high, draw.Faint(), draw.Dashed(), draw.Unmarked())
			}
		}
		x, heights := histogram(drawn, low, high)
		chart.Line(string(assembly), x, heights, draw.Colour(i))
	}
	return chart.Figure("Lines: 10,000 samples of the library's graph, in cells of a tenth. Dashed: the beliefs about the item's rows.")
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

// embed draws fresh tables and samples of an item's embedding by the library's own graph. The configuration must have an embedding
// of one number. It also returns the means of the item's rows of E.
func embed(c phe.Config, item string, samples int) (rows, drawn []float64) {
	encoder := show.Must(phe.NewEncoder(c))
	found := show.Must(encoder.Items([]string{item}))
	out := toy.Compile(func(args []*graph.Node) []*graph.Node {
		g := args[0].Graph()
		noise := phe.Noise{Keys: graph.Const(g, []uint32{phe.NoiseKey(0, "notebook")})}
		initial := encoder.InitialTables(noise, 1)
		tables := phe.Tables{E: phe.FromLogStdDev(initial[0], initial[1])}
		slots := phe.Slots{Buckets: graph.Const(g, [][]int32{found.Buckets})}
		if c.NumWeights > 0 {
			tables.W, slots.Weights = phe.FromLogStdDev(initial[2], initial[3]), graph.Const(g, found.Weights)
		}
		embedding := encoder.Embed(tables, slots, graph.Const(g, [][]int32{{0}}), phe.Fresh, samples, noise)
		return []*graph.Node{graph.Gather(initial[0], graph.InsertAxes(slots.Buckets, -1)), embedding}
	})([]float64{0})
	return out[0], out[1]
}
