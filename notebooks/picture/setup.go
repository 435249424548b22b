package picture

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot/vg"

	"gophe/data/tables"
	"gophe/figures"
	"gophe/figures/draw"
	"gophe/notebooks/play"
	"gophe/notebooks/show"
	"gophe/notebooks/toy"
	"gophe/phe/hash"
)

// Growth draws the number of different items of several columns against the rows read, and tables of fixed sizes as dashed lines. Both
// axes are logarithmic.
func Growth(names []string, rows, items [][]float64, fixed map[string]float64) *figures.Figure {
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

// Vocabularies holds the items of tables' columns, by the group of the incremental column in which they come.
type Vocabularies map[string]vocabulary

// vocabulary holds the vocabulary of one table, group by group.
type vocabulary struct {
	columns     []string
	incremental int
	seen        [][]float64 // [group][column] number of items by the end of a group
	items       [][]string  // of the incremental column, by group
}

// Add counts the items of a table whose incremental column comes in groups.
func (v Vocabularies) Add(t *tables.Table, groups []tables.Group) {
	var own vocabulary
	known := make([]map[string]bool, len(t.Categorical))
	for i, c := range t.Categorical {
		own.columns, known[i] = append(own.columns, c.Name), map[string]bool{}
	}
	own.incremental = t.Incremental
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
	v[t.Name] = own
}

// Names returns the tables' names, in alphabetical order.
func (v Vocabularies) Names() []string {
	return slices.Sorted(maps.Keys(v))
}

// At draws the share of each column's items that each group brought first, up to a group. The controls are "table" and "groups seen".
func (v Vocabularies) At(at play.Position) *figures.Figure {
	own := v[at.Text("table")]
	last := min(at.Count("groups seen"), len(own.seen)) - 1
	names, cells, groups := make([]string, len(own.columns)), make([][]float64, len(own.columns)), make([]string, len(own.seen))
	total := own.seen[len(own.seen)-1]
	for i, name := range own.columns {
		names[i] = fmt.Sprintf("%s: %g of %g", name, own.seen[last][i], total[i])
		cells[i] = make([]float64, len(own.seen))
		before := 0.0
		for g := range last + 1 {
			cells[i][g] = 100 * (own.seen[g][i] - before) / total[i]
			before = own.seen[g][i]
		}
	}
	for g := range groups {
		groups[g] = fmt.Sprint("group ", g+1)
	}
	return draw.New("", "").Heat(cells).NamesX(groups...).NamesY(names...).
		Title(fmt.Sprintf("Group %d of %d: %s = %s", last+1, len(own.seen), own.columns[own.incremental], strings.Join(own.items[last], ", "))).
		Figure("Darker: the group brought more of the column's items. Beside each column: items seen so far, of all.")
}

// Occupancy draws the number of items in each row of a table, and the mean that a hash function aims at.
func Occupancy(counts []float64) *figures.Figure {
	mean := floats.Sum(counts) / float64(len(counts))
	return draw.New("Row of E", "Items").Bars(numerals(len(counts)), counts).
		Level("items / B", mean, -0.5, float64(len(counts))-0.5, draw.Faint(), draw.Dashed()).
		Size(15*vg.Centimeter, 5*vg.Centimeter).Figure("")
}

// Twins draws the number of items that share all their rows with another, against the number of items: counted, and by the law of
// equal chances. The k-th list is for k hash functions, from 1 on.
func Twins(items []float64, counted [][]float64, buckets int) *figures.Figure {
	c, last := draw.New("Items", "Items with a twin").LogX().LogY(), items[len(items)-1]
	at := floats.LogSpan(make([]float64, 100), items[0], last)
	for i, list := range counted {
		cells, shown := math.Pow(float64(buckets), float64(i+1)), make([]float64, len(list))
		for k, n := range list {
			if shown[k] = n; n == 0 {
				shown[k] = math.NaN() // which a logarithmic axis does not have
			}
		}
		c.Line(fmt.Sprint("law, K = ", i+1), at, mapped(at, func(n float64) float64 { return toy.ExpectedTwins(n, cells) }), draw.Colour(i))
		c.Dots(fmt.Sprint("counted, K = ", i+1), items, shown, draw.Colour(i))
	}
	return c.Y(0.05, 2*last).Figure(fmt.Sprintf("B = %d. Dots are means over 20 hash families.", buckets))
}

func mapped(x []float64, f func(float64) float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = f(v)
	}
	return y
}

// Grid draws the cells of two hash functions and the items in them: column h₁, row h₂. The controls are "items" and "B".
func Grid(at play.Position) *figures.Figure {
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
		Title(fmt.Sprintf("%d items in %d cells: %g have a twin, expected %s", items, buckets*buckets, twins, figures.Number(toy.ExpectedTwins(float64(items), size)))).
		Figure("A cell is darker the more items it holds. Items in one cell share both rows of E.")
}
