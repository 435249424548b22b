// Package task joins a data set, a protocol and a model: classification of tables, forecasts of sales, recommendation of films. [Load]
// returns the task of a spec with the plan of its rows.
package task

import (
	"encoding"
	"math"
	"slices"
	"time"

	"gophe/data/column"
	"gophe/data/files"
	"gophe/data/labelled"
	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/rivals/onehot"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/phe/learn"
	"gophe/phe/models/tabular"
)

// Task is what models learn to do with a data set. Its examples are numbered: rows of a table, windows of sales, or ratings.
type Task interface {
	About() About
	// Network returns the model of a configuration, and all examples as it reads them.
	Network(c spec.Config) (learn.Network, *learn.Batch, error)
	// Judge scores a seed's predictions of rows, as the model of c makes them.
	Judge(c spec.Config, rows []int32, predictions []float32) protocol.Score
	// RowLearner makes the learner of a method's rule.
	RowLearner(c spec.Config, m spec.Method, from Beginning) (RowLearner, error)
	// CountNumbers counts the numbers that a method of the result keeps in memory: tables, and all numbers with the head's.
	CountNumbers(row *result.Method, m spec.Method, c spec.Config, p *protocol.Plan)
	// Baselines returns the complete rows of the result file for the rules without a model.
	Baselines(s spec.Spec, p *protocol.Plan) ([]result.Method, error)
	// Export returns the data as other programs read it: see package bench.
	Export() Exported
}

// About describes the data of a task.
type About struct {
	NumItems    int    // number of distinct items of all columns
	Tokens      int    // number of items that an example embeds
	Incremental int    // number of the column that keeps learning
	OnDevice    bool   // all examples and the whole tables stay on a device
	SHA256      string // of the data's file
	Verified    bool   // the checksum is the known one
}

// Exported holds a task's part of an export: arrays, and facts for meta.json.
type Exported struct {
	Items  []string
	Arrays map[string]Array
	Meta   map[string]any
}

// Array is a flat slice of int32, uint32 or float32 with its shape.
type Array struct {
	Values any
	Shape  []int
}

// Load loads a spec's data and cuts it as the protocol says.
func Load(s spec.Spec, o files.Options) (Task, *protocol.Plan, error) {
	switch {
	case s.Protocol.Name == protocol.TwoItems:
		return newTwoItems(s.Protocol)
	case s.Dataset == spec.Retail:
		return newForecasting(s, o)
	case s.Recommender != nil:
		return newRecommending(s, o)
	}
	return newClassification(s, o)
}

// dayByDay completes the plan of a stream whose steps are days, counted from a date. It cuts the stream after max_chunks days.
func dayByDay(s protocol.Spec, p *protocol.Plan, from time.Time, days []int) (*protocol.Plan, error) {
	for _, day := range days {
		p.Days = append(p.Days, from.AddDate(0, 0, day).Format(time.DateOnly))
	}
	if n := s.MaxChunks; n > 0 && n < len(days) {
		p.Steps, p.Days = p.Steps[:n], p.Days[:n]
	}
	return p.Limit(s)
}

// rival learns the examples of a task on the host: it needs no device and no compilation.
type rival interface {
	// Score scores predictions of rows. It learns nothing.
	Score(rows []int32) (protocol.Score, error)
	// Learn learns rows in their order.
	Learn(rows []int32) error
}

// RowLearner is a rival that a job can save, and continue in another process.
type RowLearner interface {
	rival
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// Judged is a row learner whose predictions a task judges. They are as the task reads them: for a table the log probability of every
// class in nats, for ratings a mean and a standard deviation.
type Judged struct {
	onehot.Classifier
	Task   Task
	Config spec.Config
}

// Score scores predictions of rows.
func (j Judged) Score(rows []int32) (protocol.Score, error) {
	return j.Task.Judge(j.Config, rows, j.Predict(nil, rows)), nil
}

// Beginning is the state from which a row learner starts.
type Beginning struct {
	Seed    int64
	Initial []int32        // rows of the initial phase
	Model   *learn.Beliefs // that the initial phase learned; nil from nothing
	Every   int            // steps from one fit to the next, of rules that are fitted
}

// means averages the scores of a step's examples. A score that is not finite makes a mean that is not.
type means struct {
	sums, numbers map[string]float64 // by metric
	transforms    [][2]float64
}

// average adds an example's score to the mean of a metric.
func (m *means) average(metric string, value float64) {
	if m.sums == nil {
		m.sums, m.numbers = map[string]float64{}, map[string]float64{}
	}
	m.sums[metric] += value
	m.numbers[metric]++
}

func (m *means) score() protocol.Score {
	score := protocol.Score{Metrics: map[string]float64{}, Transforms: m.transforms, Finite: true}
	for metric, sum := range m.sums {
		score.Metrics[metric] = sum / m.numbers[metric]
	}
	return score
}

// WriteDown adds the score of a step to a run: as the next one, or to the last one that it shares. rows is the number of rows in the step.
func WriteDown(run *result.Run, rows int, score protocol.Score, shares bool) {
	for name, value := range score.Metrics {
		if shares {
			run.Join(name, rows, value)
		} else {
			run.Append(name, value)
		}
	}
	if shares {
		run.Rows[len(run.Rows)-1] += rows
	} else {
		run.Rows = append(run.Rows, rows)
	}
	run.Calibrate(score.Transforms)
	run.Tally(score.Tallies)
}

// IsFinite reports whether the result file can hold a score: JSON has no infinity.
func IsFinite(score protocol.Score) bool {
	for _, value := range score.Metrics {
		if math.IsInf(value, 0) || math.IsNaN(value) {
			return false
		}
	}
	return score.Finite
}

// TestScore is a score as the result file has it. A model that has diverged has a log-likelihood of −∞ until then.
func TestScore(after, set int, s protocol.Score) result.Score {
	score := result.Score{After: after, Set: set, Accuracy: s.Metrics[measure.Accuracy],
		AbsoluteError: result.Rounded(s.Metrics[measure.AbsoluteError]), LogLikelihood: result.Rounded(s.Metrics[measure.LogLikelihood])}
	if !IsFinite(s) {
		score.LogLikelihood = math.Inf(-1)
	}
	return score
}

// Itemise lists the distinct items of a table and points each categorical cell to its item.
func Itemise(t *labelled.Table) tabular.Data {
	numbers, rows := len(t.Numeric), t.NumRows()
	d := tabular.Data{Numbers: make([]float32, rows*numbers), Labels: t.Labels}
	d.Items, d.ItemColumns, d.Index = itemiseColumns(t.Categorical, rows)
	for c, column := range t.Numeric {
		for row, value := range column.Values {
			d.Numbers[row*numbers+c] = float32(value)
		}
	}
	return d
}

// itemiseColumns lists the tokens of the distinct items, column by column in the order of their first appearance, and the column of
// each. index [rows, columns] points to them.
func itemiseColumns(columns []column.Categorical, rows int) (items []string, itemColumns, index []int32) {
	index = make([]int32, rows*len(columns))
	for c, own := range columns {
		first := int32(len(items))
		numbers, tokens := own.Itemise()
		for row, number := range numbers {
			index[row*len(columns)+c] = first + number
		}
		items = append(items, tokens...)
		itemColumns = append(itemColumns, slices.Repeat([]int32{int32(c)}, len(tokens))...)
	}
	return items, itemColumns, index
}
