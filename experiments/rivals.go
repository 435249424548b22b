package experiments

import (
	"math"

	"gophe/experiments/metric"
	"gophe/experiments/result"
)

// Names of the trivial rivals, which no table of the paper has. They learn from every label that the stream has shown.
const (
	Majority     = "Majority"     // predicts how often each class was seen
	ItemMajority = "ItemMajority" // the same, counted for each item of the incremental column
)

func isRival(name string) bool { return name == Majority || name == ItemMajority }

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

// rivals are the trivial rivals' rows of the result file, complete: counting takes no time, and all seeds are alike.
func (r *run) rivals() []result.Method {
	columns := len(r.table.Categorical)
	items := make([]int32, r.table.NumRows())
	for row := range items {
		items[row] = r.items.Index[row*columns+r.table.Incremental]
	}
	var methods []result.Method
	for _, name := range []string{Majority, ItemMajority} {
		c := &counter{classes: len(r.table.Classes), labels: r.table.Labels, all: make([]float64, len(r.table.Classes))}
		numbers := len(r.table.Classes)
		if name == ItemMajority {
			c.items, c.byItem = items, map[int32][]float64{}
			numbers *= 1 + r.distinctItems(r.table.Incremental)
		}
		m := result.Method{Name: name, Dataset: r.spec.Dataset, Protocol: r.spec.Protocol.Name, Convention: r.spec.Convention, Parameters: numbers}
		run := r.count(c)
		for _, seed := range r.spec.Seeds {
			run.Seed = seed
			m.Put(run)
		}
		methods = append(methods, m)
	}
	return methods
}

// count takes a counter along the plan.
func (r *run) count(c *counter) result.Run {
	run := result.Run{Status: result.Complete, Rows: []int{}, Accuracy: []float64{}, LogLikelihood: []float64{}}
	score := func(rows []int32) (accuracy, logLikelihood float64) {
		p, labels := c.predict(rows), r.labels(rows)
		return metric.Accuracy(p, labels, c.classes), rounded(metric.LogLikelihood(p, labels, c.classes))
	}
	test := func(after int) {
		for set, t := range r.plan.Tests {
			accuracy, logLikelihood := score(t.Rows)
			run.Tests = append(run.Tests, result.Score{After: after, Set: set, Accuracy: accuracy, LogLikelihood: logLikelihood})
		}
	}
	if r.plan.untrained {
		test(result.Untrained)
	}
	c.learn(r.plan.Initial)
	if r.plan.testsAfter(0) {
		test(0)
	}
	for t, rows := range r.plan.Steps {
		if r.plan.scored {
			accuracy, logLikelihood := score(rows)
			run.Rows, run.Accuracy, run.LogLikelihood = append(run.Rows, len(rows)), append(run.Accuracy, accuracy), append(run.LogLikelihood, logLikelihood)
		}
		c.learn(rows)
		if r.plan.testsAfter(t + 1) {
			test(t + 1)
		}
	}
	return run
}

// labels of rows.
func (r *run) labels(rows []int32) []int32 {
	labels := make([]int32, len(rows))
	for i, row := range rows {
		labels[i] = r.table.Labels[row]
	}
	return labels
}

// distinctItems of a column.
func (r *run) distinctItems(column int) int {
	n := 0
	for _, c := range r.items.ItemColumns {
		if int(c) == column {
			n++
		}
	}
	return n
}
