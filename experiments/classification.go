package experiments

import (
	"gophe/data"
	"gophe/experiments/metric"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/phe/learn"
	"gophe/phe/tabular"
)

// classification is the task of Sec. 4.2: each row of a table has a label.
type classification struct {
	table *data.Table
	items tabular.Data
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

// countNumbers counts the numbers of the embedding module, and all.
func (t *classification) countNumbers(row *result.Method, m Method, c config, p *plan) {
	s := t.shape()
	switch {
	case m.Replay: // it keeps all rows, which are counted nowhere
	case m.Rule == OnePass:
		row.Parameters, row.TotalParameters = onePassNumbers(onePassConfig(c.Encoder, m.Start, s))
	case m.Rule != "":
		row.TotalParameters = t.oneHotNumbers(m.Rule, p, row.Frozen)
		row.Parameters = row.TotalParameters
	default:
		head := (s.columns*c.Encoder.EmbeddingDim + s.numbers + 1) * s.outputs
		row.TotalParameters = c.Encoder.NumParameters() + head
	}
}

// oneHotNumbers counts weights and what is known about them, and the rows that are kept.
func (t *classification) oneHotNumbers(rule Rule, p *plan, frozen bool) int {
	table := t.oneHot(nil)
	weights := table.Inputs() * t.shape().outputs
	switch rule {
	case AdPredictor:
		return 2 * weights
	case BayesianLogistic:
		return weights + weights*weights
	}
	if frozen {
		return weights
	}
	kept := len(p.Initial)
	for _, step := range p.Steps {
		kept += len(step)
	}
	return weights + kept*(table.Columns+table.Numbers+1)
}
