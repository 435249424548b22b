package picture

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
	"gonum.org/v1/plot/vg"

	"gophe/figures/draw"
	"gophe/notebooks/play"
	"gophe/notebooks/show"
	"gophe/phe"
	"gophe/phe/hash"
)

// lookup is what Lookup's controls chose: an item, and a family of hash functions.
type lookup struct {
	item     string
	b, k     int
	family   hash.Family
	rows     []int32 // of the item
	assembly phe.Assembly
}

// lookupWeights is P in Lookup: the paper's for Adult.
const lookupWeights = 11

// Lookup returns the picture of an item that the reader types, among items that the table knows. Its controls are "item", "B", "K"
// and "assembly". The left panel has the item's rows of E, one line for each hash function, and the known items that share some
// of them. The right panel has the distribution of the item's embedding.
func Lookup(known []string) func(at play.Position) *draw.Figure {
	return func(at play.Position) *draw.Figure {
		l := newLookup(at.Text("item"), at.Count("B"), at.Count("K"), phe.Assembly(at.Text("assembly")))
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
		const height = 7.5 * vg.Centimeter
		return draw.Row(caption, l.table(known).Size(10.5*vg.Centimeter, height), l.embedding().Size(6.5*vg.Centimeter, height))
	}
}

func newLookup(item string, b, k int, g phe.Assembly) lookup {
	l := lookup{item: item, b: b, k: k, assembly: g}
	l.family = show.Must(hash.NewFamily(hash.CarterWegman, k, b, lookupWeights, 0))
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

// embedding draws the density of the typed item's embedding, and of the rows that it is made of.
func (l lookup) embedding() *draw.Chart {
	const low, high, points = -4.0, 4.0, 241
	f := l.beliefs()
	x := floats.Span(make([]float64, points), low, high)
	density := mapped(x, f.density(l.assembly))
	c := draw.New("Embedding", "Density").X(low, high).Y(0, 1.05*max(floats.Max(density), f.E[0].Prob(f.E[0].Mu)))
	for k, e := range f.E {
		c.Curve([]string{"rows", ""}[min(k, 1)], e.Prob, e.Mu-1.2, e.Mu+1.2, draw.Faint(), draw.Thin(), draw.Unmarked())
	}
	mode := floats.MaxIdx(density)
	return c.Line(string(l.assembly), x, density, draw.Method("PHE"), draw.Unmarked()).
		Dots(string(l.assembly), x[mode:mode+1], density[mode:mode+1], draw.Method("PHE"), draw.Thin())
}

// beliefs returns beliefs as wide as 0.3, with means drawn from N(0, 1). A row's mean stays while B and K change.
func (l lookup) beliefs() (f found) {
	draw := func(purpose uint64, number int) distuv.Normal {
		return distuv.Normal{Mu: rand.New(rand.NewPCG(purpose, uint64(number))).NormFloat64(), Sigma: 0.3}
	}
	first := int(l.family.WeightRow(hash.CarterWegman.Key(l.item))) * 4
	for k, row := range l.rows {
		f.E = append(f.E, draw(1, int(row)))
		f.W = append(f.W, draw(2, first+k))
	}
	return f
}

// Collisions draws shares of pairs of items that agree in all K = 1, 2, 3 hash functions, against the number of rows: lines for theory,
// and dots for shares as counted.
func Collisions(counted func(hashes, buckets int) float64) *draw.Figure {
	c := draw.New("Rows B of the table", "Share of pairs").LogX().LogY()
	buckets := []float64{5, 7, 13, 31, 61, 109}
	for hashes := 1; hashes <= 3; hashes++ {
		theory := mapped(buckets, func(b float64) float64 { return math.Pow(b, -float64(hashes)) })
		c.Line(fmt.Sprint("1/B", []string{"", "²", "³"}[hashes-1]), buckets, theory, draw.Colour(hashes-1))
		shares := mapped(buckets, func(b float64) float64 { return counted(hashes, int(b)) })
		c.Dots(fmt.Sprint("K = ", hashes), buckets, shares, draw.Colour(hashes-1))
	}
	return c.Figure("Pairs of items that have all K rows in common. Lines: 1/Bᴷ. Dots: counted.")
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
