package experiments

import (
	"math"
	"slices"

	"gophe/experiments/baseline"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
)

// Names of the trivial rivals, which no table of the paper has. They learn from every label that the stream has shown.
const (
	Majority     = "Majority"     // predicts how often each class was seen
	ItemMajority = "ItemMajority" // the same, counted for each item of the incremental column
)

func isRival(name string) bool {
	return name == Majority || name == ItemMajority || slices.Contains(baseline.Names(), name) || slices.Contains(ratingRivals(), name)
}

// counter predicts class frequencies, with one row added for each class, of the rows it has seen. By item, it counts
// for each item of the incremental column, and starts from the overall frequencies, as if one row of the item had them.
type counter struct {
	classes int
	items   []int32 // the item of every row; nil to count all rows together
	labels  []int32
	all     []float64
	byItem  map[int32][]float64
}

func (c *counter) learn(rows []int32) {
	for _, row := range rows {
		c.all[c.labels[row]]++
		if c.items == nil {
			continue
		}
		item := c.items[row]
		if c.byItem[item] == nil {
			c.byItem[item] = make([]float64, c.classes)
		}
		c.byItem[item][c.labels[row]]++
	}
}

// predict returns log probabilities [rows, classes].
func (c *counter) predict(rows []int32) []float32 {
	overall, total := make([]float64, c.classes), float64(c.classes)
	for k, n := range c.all {
		overall[k], total = n+1, total+n
	}
	var logProbabilities []float32
	for _, row := range rows {
		var own []float64
		if c.items != nil {
			own = c.byItem[c.items[row]]
		}
		ownTotal := 0.0
		for _, n := range own {
			ownTotal += n
		}
		for k := range c.classes {
			p := overall[k] / total
			if own != nil {
				p = (own[k] + p) / (ownTotal + 1)
			}
			logProbabilities = append(logProbabilities, float32(math.Log(p)))
		}
	}
	return logProbabilities
}

// rivals of classification take no time to count, and all seeds are alike.
func (t *classification) rivals(s Spec, p *plan) ([]result.Method, error) {
	columns := len(t.table.Categorical)
	items := make([]int32, t.table.NumRows())
	for row := range items {
		items[row] = t.items.Index[row*columns+t.table.Incremental]
	}
	var methods []result.Method
	for _, name := range []string{Majority, ItemMajority} {
		c := &counter{classes: len(t.table.Classes), labels: t.table.Labels, all: make([]float64, len(t.table.Classes))}
		numbers := len(t.table.Classes)
		if name == ItemMajority {
			c.items, c.byItem = items, map[int32][]float64{}
			numbers *= 1 + t.distinctItems(t.table.Incremental)
		}
		methods = append(methods, rival(s, name, numbers, t.count(c, p)))
	}
	return methods, nil
}

// rival is a row of the result file with the same run for every seed.
func rival(s Spec, name string, numbers int, run result.Run) result.Method {
	m := result.Method{Name: name, Dataset: s.Dataset, Protocol: s.Protocol.shown(), Convention: s.Convention, Parameters: numbers}
	for _, seed := range s.Seeds {
		run.Seed = seed
		m.Put(run)
	}
	return m
}

// count takes a counter along the plan.
func (t *classification) count(c *counter, p *plan) result.Run {
	run := result.Run{Status: result.Complete, Rows: []int{}}
	score := func(rows []int32) protocol.Score { return t.judge(config{}, rows)(c.predict(rows)) }
	test := func(after int) {
		for set, test := range p.Tests {
			run.Tests = append(run.Tests, testScore(after, set, score(test.Rows)))
		}
	}
	if p.untrained {
		test(result.Untrained)
	}
	c.learn(p.Initial)
	if p.testsAfter(0) {
		test(0)
	}
	for step, rows := range p.Steps {
		if p.scored {
			writeDown(&run, len(rows), score(rows))
		}
		c.learn(rows)
		if p.testsAfter(step + 1) {
			test(step + 1)
		}
	}
	return run
}

// distinctItems of a column.
func (t *classification) distinctItems(column int) int {
	n := 0
	for _, c := range t.items.ItemColumns {
		if int(c) == column {
			n++
		}
	}
	return n
}
