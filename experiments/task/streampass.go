package task

import (
	"math"

	"gophe/experiments/spec"
	"gophe/phe/onepass"
)

// streamPass learns a table by the preset Stream of package onepass, which takes numbers for items.
type streamPass struct {
	learner *onepass.Learner
	encoder *onepass.Encoder
	table   *Classification
}

func newStreamPass(t *Classification, memory int, seed int64) (*streamPass, error) {
	c := onepass.Stream(spec.StreamShape(memory, t.shape()))
	c.Seed = seed
	learner, err := onepass.New(c)
	if err != nil {
		return nil, err
	}
	names := Names(t.Table.Categorical)
	for _, n := range t.Table.Numeric {
		names = append(names, n.Name)
	}
	encoder, err := onepass.NewEncoder(c, names)
	return &streamPass{learner, encoder, t}, err
}

// read returns a row of the table, until the next call.
func (l *streamPass) read(row int32) *onepass.Row {
	t := l.table.Table
	for i, c := range t.Categorical {
		l.encoder.Item(i, c.Values[row])
	}
	for i, n := range t.Numeric {
		l.encoder.Number(len(t.Categorical)+i, n.Values[row])
	}
	return l.encoder.Row()
}

// Learn conditions the beliefs on rows in their order.
func (l *streamPass) Learn(rows []int32) error {
	for _, row := range rows {
		l.learner.Learn(l.read(row), float64(l.table.Items.Labels[row]))
	}
	return nil
}

// Predict appends the log probability of every class of each row.
func (l *streamPass) Predict(logProbabilities []float32, rows []int32) []float32 {
	for _, row := range rows {
		for _, p := range l.learner.Predict(l.read(row)).Classes {
			logProbabilities = append(logProbabilities, float32(math.Log(max(p, leastProbability))))
		}
	}
	return logProbabilities
}

// MarshalBinary returns the beliefs.
func (l *streamPass) MarshalBinary() ([]byte, error) { return l.learner.MarshalBinary() }

// UnmarshalBinary replaces the beliefs.
func (l *streamPass) UnmarshalBinary(content []byte) error { return l.learner.UnmarshalBinary(content) }
