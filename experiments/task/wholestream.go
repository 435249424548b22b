package task

import (
	"bytes"
	"strconv"

	"gophe/data/labelled"
	"gophe/experiments/rivals/onehot"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// wholeStream learns a table by package stream, as `phe stream` does: the initial rows one by one, and the rows of a step when all of them
// have been forecast.
type wholeStream struct {
	*stream.Learner
	table   *labelled.Table
	initial int64 // rows whose labels come at once
}

func newWholeStream(t *labelled.Table, memory int, from Beginning) (*wholeStream, error) {
	s := schema.Schema{Target: schema.Target{Column: "label of " + t.Name, Kind: schema.Classes, Classes: t.Classes}}
	for _, c := range t.Categorical {
		s.Columns = append(s.Columns, schema.Column{Name: c.Name, Kind: schema.Category})
	}
	for _, n := range t.Numeric {
		s.Columns = append(s.Columns, schema.Column{Name: n.Name, Kind: schema.Number})
	}
	s.Columns = append(s.Columns, schema.Column{Name: s.Target.Column, Kind: schema.Label})
	l, err := stream.New(s, stream.Options{Memory: memory, Seed: from.Seed, NoExactModel: true})
	return &wholeStream{l, t, int64(len(from.Initial))}, err
}

func (l *wholeStream) record(row int32) (r schema.Record) {
	for _, c := range l.table.Categorical {
		r = append(r, c.Values[row])
	}
	for _, n := range l.table.Numeric {
		r = append(r, strconv.FormatFloat(n.Values[row], 'g', -1, 64))
	}
	return append(r, l.table.Classes[l.table.Labels[row]])
}

// Predict appends the log probability of every class.
func (l *wholeStream) Predict(values []float32, rows []int32) []float32 {
	for _, row := range rows {
		f, err := l.Learner.Predict(l.record(row))
		if err != nil {
			panic(err) // its schema is of this table
		}
		if f.Classes == nil {
			f.Classes = []float64{1 - f.Probability, f.Probability}
		}
		values = onehot.AppendLogs(values, f.Classes)
	}
	return values
}

// Learn learns rows. After the initial ones their labels come when all have been asked.
func (l *wholeStream) Learn(rows []int32) error {
	delay := 0
	if l.Rows() >= l.initial {
		delay = len(rows)
	}
	for _, row := range rows {
		if _, err := l.StepLate(int64(row), l.record(row), delay); err != nil {
			return err
		}
	}
	_, err := l.LearnWaiting(0)
	return err
}

// MarshalBinary returns the learner as a file holds it.
func (l *wholeStream) MarshalBinary() ([]byte, error) {
	var b bytes.Buffer
	err := l.Write(&b)
	return b.Bytes(), err
}

// UnmarshalBinary continues with a learner that MarshalBinary returned.
func (l *wholeStream) UnmarshalBinary(b []byte) (err error) {
	l.Learner, err = stream.Read(b)
	return err
}

// numbers counts the numbers of 4 bytes that a forecast reads: the tables, the head, and the census, which tells how new an item is.
func (l *wholeStream) numbers() (n int) {
	for _, p := range l.Parts() {
		n += p.Len * p.Size() / 4
	}
	return n
}
