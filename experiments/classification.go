package experiments

import (
	"github.com/gomlx/compute"

	"gophe/data"
	"gophe/experiments/metric"
	"gophe/experiments/protocol"
	"gophe/phe/online"
	"gophe/phe/tabular"
)

// classification is the task of Sec. 4.2: each row of a table has a label.
type classification struct {
	table *data.Table
	items tabular.Data
}

// NewClassifier makes the classifier of a table for a learner that is led along a stream by hand, as package online
// describes it; [Run] leads those of specs. seeds is how many learn side by side, and updateRows the most rows that one
// update brings.
func NewClassifier(b compute.Backend, c online.Config, t *data.Table, seeds, updateRows int) (*online.Model, error) {
	task := classification{t, itemise(t)}
	return task.model(b, config{Config: c}, seeds, updateRows)
}

func (t *classification) numItems() int { return len(t.items.Items) }
func (t *classification) tokens() int   { return len(t.table.Categorical) }
func (t *classification) file() (sha256 string, verified bool) {
	return t.table.SHA256, t.table.Verified
}

func (t *classification) model(b compute.Backend, c config, seeds, updateRows int) (*online.Model, error) {
	return tabular.NewModel(b, tabular.Config{
		Config: c.Config, Columns: len(t.table.Categorical), Numbers: len(t.table.Numeric),
		Classes: len(t.table.Classes), Incremental: t.table.Incremental,
	}, t.items, seeds, updateRows)
}

// judge scores log probabilities of the classes.
func (t *classification) judge(_ config, rows []int32) protocol.Judge {
	labels, classes := t.labels(rows), len(t.table.Classes)
	return func(logProbabilities []float32) protocol.Score {
		return protocol.Score{
			Metrics: map[string]float64{
				Accuracy:      metric.Accuracy(logProbabilities, labels, classes),
				LogLikelihood: metric.LogLikelihood(logProbabilities, labels, classes),
			},
			Finite: metric.IsFinite(logProbabilities),
		}
	}
}

// labels of rows.
func (t *classification) labels(rows []int32) []int32 {
	labels := make([]int32, len(rows))
	for i, row := range rows {
		labels[i] = t.table.Labels[row]
	}
	return labels
}
