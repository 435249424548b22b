package experiments

import (
	"github.com/gomlx/compute"

	"gophe/data"
	"gophe/experiments/metric"
	"gophe/experiments/protocol"
	"gophe/phe/learn"
	"gophe/phe/tabular"
)

// classification is the task of Sec. 4.2: each row of a table has a label.
type classification struct {
	table *data.Table
	items tabular.Data
}

// NewClassifier makes a learner of a table, of seed 0, that is led along a stream by hand, and the table as it reads it; [Run]
// leads those of specs. mostUpdated is the most rows that one update brings.
func NewClassifier(b compute.Backend, c learn.Config, t *data.Table, mostUpdated int) (*learn.Learner, *learn.Batch, error) {
	l, err := newDevice(&classification{t, itemise(t)}, b, config{Config: c}, []int64{0}, mostUpdated, true)
	return l.Learner, l.all, err
}

func (t *classification) numItems() int { return len(t.items.Items) }
func (t *classification) tokens() int   { return len(t.table.Categorical) }
func (t *classification) file() (sha256 string, verified bool) {
	return t.table.SHA256, t.table.Verified
}

func (t *classification) incremental() int    { return t.table.Incremental }
func (t *classification) staysOnDevice() bool { return true }

func (t *classification) network(c config) (learn.Network, *learn.Batch, error) {
	m, err := tabular.New(tabular.Config{Config: c.Config, Columns: names(t.table.Categorical), Numbers: len(t.table.Numeric), Classes: len(t.table.Classes)})
	if err != nil {
		return nil, nil, err
	}
	all, err := m.Batch(t.items)
	return m, all, err
}

func names(columns []data.CategoricalColumn) (names []string) {
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
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
