package report

import (
	"cmp"
	_ "embed"
	"fmt"

	"regexp"
	"slices"
	"strings"
	"sync"

	"gophe/experiments/measure"
	"gophe/experiments/spec"
	"gophe/experiments/table"
	"gophe/phe"
	"gophe/phe/hash"
)

// drawCountsJSON holds the items of the data sets over whose draws results run, with their rows of each class. A test of package
// columnweight counts them.
//
//go:embed drawcounts.json
var drawCountsJSON []byte

var drawCounts = embedded[map[string][]struct {
	Column, Item string
	All, Scored  []float64
}](drawCountsJSON)

// countedItems returns the items of a result's data by their rows in all of it or in its scored steps, and the names of their columns.
func countedItems(spec string, scored bool) (items []hash.Item, columns []string) {
	for _, c := range drawCounts()[spec] {
		columns = with(columns, c.Column)
		item := hash.Item{Key: hash.CarterWegman.Key(c.Item), Column: slices.Index(columns, c.Column), Classes: c.All}
		if scored {
			item.Classes = c.Scored
		}
		for _, rows := range item.Classes {
			item.Weight += rows
		}
		items = append(items, item)
	}
	return items, columns
}

// pricesOf returns the prices of a draw of an encoder's hash functions.
func (s *source) pricesOf(e phe.Config, seed int64, items []hash.Item) []hash.Price {
	f, err := hash.NewFamily(e.Hash, e.NumHashes, e.NumBuckets, e.NumWeights, seed)
	s.fail(err)
	return f.Prices(items)
}

// Draws that are counted: their number, and the first of their seeds, which no result has.
const pricedDraws, firstPriced = 5000, 1_000_000

// pricedColumn is a column of items by all draws.
type pricedColumn struct {
	name       string
	apart      float64   // best accuracy in percent where each item has rows of its own
	drawn, own []float64 // of the counted draws, and of the draws that have run
	prices     []hash.Price
}

// pricedColumns counts all draws of a result's encoder. It is slow for a page, so each result is counted once.
func (s *source) pricedColumns(name string) []pricedColumn {
	if known, found := pricedOnce.Load(name); found {
		return known.([]pricedColumn)
	}
	run, err := spec.Load(name)
	s.fail(err)
	items, columns := countedItems(name, false)
	priced := make([]pricedColumn, len(columns))
	percent := func(c hash.Ceiling, p hash.Price) float64 { return 100 * c.Right / p.Weight }
	e := run.Config(run.Methods[0], 0).Encoder
	for i := range int64(pricedDraws) {
		for c, p := range s.pricesOf(e, firstPriced+i, items) {
			own := &priced[c]
			own.name, own.apart = columns[c], percent(p.Apart, p)
			own.drawn, own.prices = append(own.drawn, percent(p.Drawn, p)), append(own.prices, p)
		}
	}
	for _, m := range run.Methods {
		if plain, _ := regexp.MatchString(`^PHE h\d+$`, m.Name); plain {
			for c, p := range s.pricesOf(e, run.Config(m, 0).Encoder.HashSeed, items) {
				priced[c].own = append(priced[c].own, percent(p.Drawn, p))
			}
		}
	}
	pricedOnce.Store(name, priced)
	return priced
}

var pricedOnce sync.Map

// drawPrices returns a table of what 5,000 draws cost each column that some draw costs anything. A pair is "NAME=SPEC".
func (s *source) drawPrices(pairs ...string) table.Page {
	t := table.New(1, "data, column", "items apart", "mean ± of 5,000 draws", "worst draw", "lose over 0.1")
	for _, pair := range pairs {
		name, spec, _ := strings.Cut(pair, "=")
		for _, c := range s.pricedColumns(spec) {
			if slices.Min(c.drawn) == c.apart {
				continue
			}
			lose := len(slices.DeleteFunc(slices.Clone(c.drawn), func(best float64) bool { return best > c.apart-0.1 }))
			t.Add(name+", "+c.name, fmt.Sprintf("%.2f", c.apart), measure.Over(c.drawn).Text(2), fmt.Sprintf("%.2f", slices.Min(c.drawn)),
				fmt.Sprintf("%.1f %%", 100*float64(lose)/float64(len(c.drawn))))
		}
	}
	return t.Page()
}

// drawSets places the draws that have run among sets of as many draws that were counted.
func (s *source) drawSets(pairs ...string) table.Page {
	t := table.New(1, "data, column", "draws that ran: mean, worst", "sets of as many: mean of the worst", "sets as mild")
	for _, pair := range pairs {
		name, spec, _ := strings.Cut(pair, "=")
		for _, c := range s.pricedColumns(spec) {
			if slices.Min(c.drawn) == c.apart {
				continue
			}
			var worst []float64
			mild, mean := 0, *measure.Over(c.own).Mean
			for set := range slices.Chunk(c.drawn[:len(c.drawn)/len(c.own)*len(c.own)], len(c.own)) {
				worst = append(worst, slices.Min(set))
				if *measure.Over(set).Mean >= mean-1e-9 {
					mild++
				}
			}
			t.Add(name+", "+c.name, fmt.Sprintf("%.2f, %.2f", mean, slices.Min(c.own)), measure.Optional(measure.Over(worst).Mean, 2),
				fmt.Sprintf("%d of %d", mild, len(worst)))
		}
	}
	return t.Page()
}

// itemNames returns the names of the items that a price merges and that cost something, in groups: "odor_n = odor_m".
func itemNames(spec string, p hash.Price) string {
	var groups []string
	for _, g := range p.Merged {
		var names []string
		for _, item := range g {
			for _, c := range drawCounts()[spec] {
				if hash.CarterWegman.Key(c.Item) == item.Key {
					names = append(names, strings.TrimPrefix(c.Item, c.Column+"_"))
				}
			}
		}
		groups = append(groups, strings.Join(names, " = "))
	}
	return strings.Join(groups, ", ")
}

// worstDraws names a number of draws that cost the first column most, with the items that they merge.
func (s *source) worstDraws(spec string, most int) table.Page {
	c := s.pricedColumns(spec)[0]
	order := make([]int, len(c.drawn))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.drawn[a], c.drawn[b]) })
	t := table.New(1, "`hash_seed`", "best accuracy", "log-likelihood lost, nats", "merged items")
	for _, i := range order[:most] {
		p := c.prices[i]
		t.Add(fmt.Sprint(firstPriced+i), fmt.Sprintf("%.2f", c.drawn[i]), fmt.Sprintf("%.0f", p.Apart.LogLikelihood-p.Drawn.LogLikelihood), itemNames(spec, p))
	}
	return t.Page()
}
