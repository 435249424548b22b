package lesson

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/stat/distuv"
	"gonum.org/v1/plot/vg"

	"gophe/figures/draw"
	"gophe/notebooks/cell"
	"gophe/phe"
	"gophe/phe/hash"
)

// Lookup returns the picture of an item that the reader types, among items that the table knows. Its controls are "item", "B" and "K".
// It has the item's rows of E, one line for each hash function, and the known items that share some of them. The typed item's rows are
// columns of light. A known item's dot in such a column has the colour of its hash function.
func Lookup(known []string) func(at cell.Position) *draw.Figure {
	return func(at cell.Position) *draw.Figure {
		b, k := at.Count("B"), at.Count("K")
		family := cell.Must(hash.NewFamily(hash.CarterWegman, k, b, 0, 0))
		of := func(item string) []int32 { return family.Buckets(nil, hash.CarterWegman.Key(item)) }
		rows := of(at.Text("item"))
		c := draw.New("Row of the table E", "").X(-0.5, float64(b)-0.5).Size(13*vg.Centimeter, 7.5*vg.Centimeter)
		var names []string
		for i, row := range rows {
			names = append(names, fmt.Sprintf("h%s of the item", []string{"₁", "₂", "₃", "₄"}[i]))
			edge := []float64{float64(row) - 0.45, float64(row) + 0.45}
			c.Band("", edge, []float64{-100, -100}, []float64{1, 1}, draw.Colour(i))
			c.Dots(fmt.Sprint("hash ", i+1), []float64{float64(row)}, []float64{-float64(i)}, draw.Colour(i))
		}
		some, all := 0, 0
		for _, other := range known {
			shared := false
			for i, row := range of(other) {
				look := []draw.Option{draw.Faint(), draw.Thin()}
				if slices.Contains(rows, row) {
					look, shared = []draw.Option{draw.Colour(i)}, true
				}
				aside := 0.24 * (float64(k-1)/2 - float64(i)) // dots of one item lie below each other
				c.Dots("", []float64{float64(row)}, []float64{aside - float64(len(names))}, look...)
			}
			names = append(names, other)
			if shared {
				some++
			}
			if slices.Equal(of(other), rows) {
				all++
			}
		}
		one := 1 / float64(b)
		return c.NamesY(names...).Figure(fmt.Sprintf("The item has rows %v of E. Known items with some of them: %d of %d. "+
			"With all of them: %d. Chance of two items to meet in one hash function: 1/B = %s. In all K: 1/Bᴷ = %s.",
			rows, some, len(known), all, draw.Number(one), draw.Number(math.Pow(one, float64(k)))))
	}
}

// Assemblies draws the densities of one item's embedding under each assembly (Sec. 3.2): samples by the library, in cells of a tenth. Grey
// are the beliefs of the item's rows of E. The configuration must have an embedding of one number.
func Assemblies(c phe.Config, item string, own ...phe.Assembly) *draw.Figure {
	const low, high, samples = -2.0, 3.0, 10_000
	chart, weights := draw.New("Embedding", "Density").X(low, high).Size(16*vg.Centimeter, 7.5*vg.Centimeter), c.NumWeights
	for i, assembly := range append([]phe.Assembly{phe.WeightedSum, phe.PlainSum, phe.Average, phe.Maximum, phe.Minimum}, own...) {
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
		chart.Line(assembly.String(), x, heights, draw.Colour(i))
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
	encoder := cell.Must(phe.NewEncoder(c))
	found := cell.Must(encoder.Items([]string{item}))
	out := Compile(func(args []*graph.Node) []*graph.Node {
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
