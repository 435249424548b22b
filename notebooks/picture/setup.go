package picture

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot/vg"

	"gophe/data/files"
	"gophe/data/tables"
	"gophe/figures/draw"
	"gophe/notebooks/play"
	"gophe/notebooks/show"
	"gophe/phe/hash"
)

// Growth draws the number of different items of several columns against the rows read, and tables of fixed sizes as dashed lines. Both
// axes are logarithmic.
func Growth(names []string, rows, items [][]float64, fixed map[string]float64) *draw.Figure {
	c, most := draw.New("Rows read", "Items").LogX().LogY(), 1.0
	for i, name := range names {
		c.Line(name, rows[i], items[i], draw.Colour(i))
		most = max(most, rows[i][len(rows[i])-1])
	}
	for _, name := range slices.Sorted(maps.Keys(fixed)) {
		c.Level(name, fixed[name], 1, most, draw.Faint(), draw.Dashed())
	}
	return c.Figure("Solid: rows of a table with a row for each item. Dashed: rows of the paper's hash tables.")
}

// vocabulary holds the items of one table's columns, by the group of the incremental column in which they come.
type vocabulary struct {
	columns     []string
	incremental int
	seen        [][]float64 // [group][column] number of items by the end of a group
	items       [][]string  // of the incremental column, by group
}

// newVocabulary counts the items of a table whose incremental column comes in groups.
func newVocabulary(t *tables.Table, groups []tables.Group) vocabulary {
	own := vocabulary{incremental: t.Incremental}
	known := make([]map[string]bool, len(t.Categorical))
	for i, c := range t.Categorical {
		own.columns, known[i] = append(own.columns, c.Name), map[string]bool{}
	}
	for _, g := range groups {
		counts := make([]float64, len(known))
		for i, c := range t.Categorical {
			for _, row := range slices.Concat(g.Train, g.Test) {
				known[i][c.Values[row]] = true
			}
			counts[i] = float64(len(known[i]))
		}
		own.seen, own.items = append(own.seen, counts), append(own.items, g.Items)
	}
	return own
}

// Vocabularies returns the picture of the share of each column's items that each group brought first, up to a group. The controls are
// "table", which is one of the data sets, and "groups seen". groups is the number of groups into which a data set is cut.
func Vocabularies(groups map[string]int) func(at play.Position) *draw.Figure {
	all := map[string]vocabulary{}
	for name, n := range groups {
		t := show.Must(tables.Load(name, files.Options{}))
		all[name] = newVocabulary(t, show.Must(t.GroupSplit(n, tables.FileOrder)))
	}
	return func(at play.Position) *draw.Figure { return all[at.Text("table")].draw(at.Count("groups seen")) }
}

// draw shows the groups up to a number of them.
func (v vocabulary) draw(shown int) *draw.Figure {
	last := min(shown, len(v.seen)) - 1
	names, cells, groups := make([]string, len(v.columns)), make([][]float64, len(v.columns)), make([]string, len(v.seen))
	total := v.seen[len(v.seen)-1]
	for i, name := range v.columns {
		names[i] = fmt.Sprintf("%s: %g of %g", name, v.seen[last][i], total[i])
		cells[i] = make([]float64, len(v.seen))
		before := 0.0
		for g := range last + 1 {
			cells[i][g] = 100 * (v.seen[g][i] - before) / total[i]
			before = v.seen[g][i]
		}
	}
	for g := range groups {
		groups[g] = fmt.Sprint("group ", g+1)
	}
	return draw.New("", "").Heat(cells).NamesX(groups...).NamesY(names...).
		Title(fmt.Sprintf("Group %d of %d: %s = %s", last+1, len(v.seen), v.columns[v.incremental], strings.Join(v.items[last], ", "))).
		Figure("Darker: the group brought more of the column's items. Beside each column: items seen so far, of all.")
}

// Occupancy draws the number of items in each row of a table, and the mean that a hash function aims at.
func Occupancy(counts []float64) *draw.Figure {
	mean := floats.Sum(counts) / float64(len(counts))
	return draw.New("Row of E", "Items").Bars(numerals(len(counts)), counts).
		Level("items / B", mean, -0.5, float64(len(counts))-0.5, draw.Faint(), draw.Dashed()).
		Size(15*vg.Centimeter, 5*vg.Centimeter).Figure("")
}

// twinFamilies is the number of hash families whose mean Twins draws.
const twinFamilies = 20

// Twins draws the number of items that share all their rows with another, against the number of items: counted, and as expected of equal
// chances. It takes the first of the items, with one, two and three hash functions.
func Twins(items []string, buckets int) *draw.Figure {
	shown := []float64{10, 30, 100, 300, 1000, 3000, float64(len(items))}
	c, last := draw.New("Items", "Items with a twin").LogX().LogY(), shown[len(shown)-1]
	at := floats.LogSpan(make([]float64, 100), shown[0], last)
	for hashes := 1; hashes <= 3; hashes++ {
		counted := mapped(shown, func(n float64) float64 {
			if twins := meanTwins(items[:int(n)], buckets, hashes, twinFamilies); twins > 0 {
				return twins
			}
			return math.NaN() // a logarithmic axis has no 0
		})
		cells := math.Pow(float64(buckets), float64(hashes))
		c.Line(fmt.Sprint("law, K = ", hashes), at, mapped(at, func(n float64) float64 { return expectedTwins(n, cells) }), draw.Colour(hashes-1))
		c.Dots(fmt.Sprint("counted, K = ", hashes), shown, counted, draw.Colour(hashes-1))
	}
	return c.Y(0.05, 2*last).Figure(fmt.Sprintf("B = %d. Dots are means over %d hash families.", buckets, twinFamilies))
}

func mapped(x []float64, f func(float64) float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = f(v)
	}
	return y
}

// Grid draws the cells of two hash functions and the items in them: column h₁, row h₂. The controls are "items" and "B".
func Grid(at play.Position) *draw.Figure {
	buckets, items := at.Count("B"), at.Count("items")
	family := show.Must(hash.NewFamily(hash.CarterWegman, 2, buckets, 0, 0))
	cells, names := make([][]float64, buckets), numerals(buckets)
	for i := range cells {
		cells[i] = make([]float64, buckets)
	}
	for i := range items {
		h := family.Buckets(nil, hash.CarterWegman.Key(fmt.Sprint("item_", i)))
		cells[h[1]][h[0]]++
	}
	twins := 0.0
	for _, row := range cells {
		for _, n := range row {
			if n > 1 {
				twins += n
			}
		}
	}
	size := float64(buckets * buckets)
	return draw.New("h₁", "h₂").Heat(cells).NamesX(names...).NamesY(names...).Size(11*vg.Centimeter, 10*vg.Centimeter).
		Title(fmt.Sprintf("%d items in %d cells: %g have a twin, expected %s", items, buckets*buckets, twins, draw.Number(expectedTwins(float64(items), size)))).
		Figure("A cell is darker the more items it holds. Items in one cell share both rows of E.")
}
