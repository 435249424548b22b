package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gophe/experiments/measure"
	"gophe/experiments/spec"
	"gophe/experiments/table"
	"gophe/phe"
	"gophe/phe/hash"
)

// drawCountsJSON holds the items of the data sets whose draws have run, with their rows of each class: all rows, and the steps of the
// text's stream. A test of package columnweight counts them.
//
//go:embed drawcounts.json
var drawCountsJSON []byte

var drawCounts = embedded[map[string][]struct {
	Column, Item string
	All, Scored  []float64
}](drawCountsJSON)

// priced is the price of draws for a column: the percentage of rows that its items alone can forecast.
type priced struct {
	column, merged string    // merged lists the items that the worst draw merges
	apart, least   float64   // if each item has rows of its own, and by the worst draw
	nats           float64   // of log-likelihood that the worst draw loses
	worst          int       // number of the worst draw
	drawn          []float64 // of each draw
}

// priceDraws counts the price of an encoder's draws for each column of a data set, in all its rows or in the scored ones.
func (s *source) priceDraws(dataset string, scored bool, e phe.Config, seeds []int64) (columns []priced) {
	var names []string
	var items []hash.Item
	of := map[uint64]string{}
	for _, c := range drawCounts()[dataset] {
		names = with(names, c.Column)
		item := hash.Item{Key: e.Hash.Key(c.Item), Column: slices.Index(names, c.Column), Classes: c.All}
		if scored {
			item.Classes = c.Scored
		}
		for _, rows := range item.Classes {
			item.Weight += rows
		}
		items, of[item.Key] = append(items, item), strings.TrimPrefix(c.Item, c.Column+"_")
	}
	for i, seed := range seeds {
		f, err := hash.NewFamily(e.Hash, e.NumHashes, e.NumBuckets, e.NumWeights, seed)
		s.fail(err)
		for c, p := range f.Prices(items) {
			if i == 0 {
				columns = append(columns, priced{column: names[c], apart: 100 * p.Apart.Right / p.Weight, least: 101})
			}
			own, best := &columns[c], 100*p.Drawn.Right/p.Weight
			if own.drawn = append(own.drawn, best); best < own.least {
				own.least, own.worst, own.nats, own.merged = best, i, p.Apart.LogLikelihood-p.Drawn.LogLikelihood, mergedNames(p, of)
			}
		}
	}
	return columns
}

// mergedNames names the items that a draw merges: "n = m, a = l".
func mergedNames(p hash.Price, of map[uint64]string) string {
	var groups []string
	for _, g := range p.Merged {
		var names []string
		for _, item := range g {
			names = append(names, of[item.Key])
		}
		groups = append(groups, strings.Join(names, " = "))
	}
	return cmp.Or(strings.Join(groups, ", "), "–")
}

// pricedDraws is the number of draws that are counted. No result has one of their seeds, which begin at firstPriced.
const pricedDraws, firstPriced = 5000, 1_000_000

var plainDraw = regexp.MustCompile(`^PHE h\d+$`)

// countedDraws returns the prices of the counted draws and of a result's draws.
func (s *source) countedDraws(name string) (counted, own []priced) {
	run, err := spec.Load(name)
	s.fail(err)
	many, ran := make([]int64, pricedDraws), []int64{}
	for i := range many {
		many[i] = firstPriced + int64(i)
	}
	for _, m := range run.Methods {
		if plainDraw.MatchString(m.Name) {
			ran = append(ran, run.Config(m, 0).Encoder.HashSeed)
		}
	}
	e := run.Config(run.Methods[0], 0).Encoder
	return s.priceDraws(run.Dataset, false, e, many), s.priceDraws(run.Dataset, false, e, ran)
}

// drawPrices returns two tables of each column that some draw costs anything: the prices, and the worst draws. A pair is "NAME=SPEC".
func (s *source) drawPrices(pairs ...string) table.Page {
	t := table.New(1, "data, column", "items apart", "5,000 draws: mean ±", "lose over 0.1", "draws that ran: mean, worst")
	worst := table.New(1, "data, column", "worst draw", "log-likelihood lost, nats", "`hash_seed`", "merged items")
	for _, pair := range pairs {
		name, spec, _ := strings.Cut(pair, "=")
		counted, own := s.countedDraws(spec)
		for i, c := range counted {
			if c.least == c.apart {
				continue
			}
			lose := len(slices.DeleteFunc(slices.Clone(c.drawn), func(best float64) bool { return best > c.apart-0.1 }))
			t.Add(name+", "+c.column, fmt.Sprintf("%.2f", c.apart), measure.Over(c.drawn).Text(2),
				fmt.Sprintf("%.1f %%", 100*float64(lose)/pricedDraws), fmt.Sprintf("%.2f, %.2f", *measure.Over(own[i].drawn).Mean,
					own[i].least))
			worst.Add(name+", "+c.column, fmt.Sprintf("%.2f", c.least), fmt.Sprintf("%.0f", c.nats), firstPriced+c.worst, c.merged)
		}
	}
	return table.Page{*t, *worst}
}

// asMild compares the draws that have run with sets of the same number of counted draws, by the mean over the first column.
func (s *source) asMild(spec string) string {
	counted, own := s.countedDraws(spec)
	mild, worst, mean := 0, []float64{}, *measure.Over(own[0].drawn).Mean
	for set := range slices.Chunk(counted[0].drawn, len(own[0].drawn)) {
		if worst = append(worst, slices.Min(set)); *measure.Over(set).Mean > mean-1e-9 {
			mild++
		}
	}
	return fmt.Sprintf("%d of %d sets of as many cost as little, and the worst draw of a set has %.1f on average", mild, len(worst),
		*measure.Over(worst).Mean)
}

// parted parts the loss of the frozen model of each draw of a result, in points of accuracy: by merged items, which is counted, and by the
// optimum of its initial phase, which differs between seeds. Draws that lose nothing have no row.
func (s *source) parted(name, method string) table.Page {
	t, short, all := table.New(1, "draw", "merged items", "lost by merging", "lost by the initial optimum, each seed"), 0, 0
	run, err := spec.Load(name)
	s.fail(err)
	for _, r := range measure.Rows(s.get(name)) {
		own, draw := ofDraw(r)
		at := slices.IndexFunc(run.Methods, func(m spec.Method) bool { return m.Name == r.Name })
		if own != method || at < 0 {
			continue
		}
		e := run.Config(run.Methods[at], 0).Encoder
		p, lost := s.priceDraws(run.Dataset, true, e, []int64{cmp.Or(r.HashSeed, e.HashSeed)})[0], []string{}
		for _, score := range r.Values(measure.Accuracy) {
			if all++; p.least-score > 0.1 {
				short++
			}
			lost = append(lost, fmt.Sprintf("%.2f", p.least-score))
		}
		if text := strings.Join(lost, ", "); p.least < p.apart || strings.Trim(text, "0., ") != "" {
			t.Add("h"+draw, p.merged, fmt.Sprintf("%.2f", p.apart-p.least), text)
		}
	}
	t.Below = fmt.Sprintf("\n%s: %d of %d runs lose more than 0.1 by the initial optimum.\n", method, short, all)
	return t.Page()
}

// initialEpochs returns the least and the most epochs of a method's initial phases over draws: "50 to 90".
func (s *source) initialEpochs(name, method string) string {
	run, err := spec.Load(name)
	s.fail(err)
	f, epochs, size := s.get(name), []int{}, run.Config(run.Methods[0], 0).BatchSize
	for _, r := range measure.Rows(f) {
		if own, _ := ofDraw(r); own == method {
			for _, each := range r.Runs {
				epochs = append(epochs, each.InitialSteps/((f.Stream.Initial+size-1)/size))
			}
		}
	}
	if len(epochs) == 0 {
		s.failf("the result of %s has no %q over draws", name, method)
		return ""
	}
	return fmt.Sprintf("%d to %d", slices.Min(epochs), slices.Max(epochs))
}
