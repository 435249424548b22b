package tabular_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/learn/learntest"
	"gophe/phe/models/tabular"
)

// A learner that one process saved continues in another, through items that are not in the file and a replay. The methods are those
// whose files differ most: one has a vocabulary, the other a table W.
func TestTwoProcesses(t *testing.T) {
	var learners []nettest.Process
	for _, m := range []method{methods[2], methods[0]} {
		if nettest.Brief(t) && m != methods[2] {
			continue
		}
		learners = append(learners, nettest.Process{
			New: func() learntest.Led {
				return newLed(t, m.config(1, 2), toyData(1, 2), learn.Options{Seeds: []int64{3, 4}})
			},
			Before: func(l learntest.Led) {
				check(t, l.Fit(upTo(0, 41), 3))
				l.Settle()
				check(t, l.Update(upTo(41, 50), 2))
			},
			After: func(l learntest.Led) [][]float32 {
				check(t, l.Update(upTo(50, 60), 2))
				check(t, l.Learner.Update(unseenBatch(t), 2))
				check(t, l.Replay(upTo(0, toyRows), 2))
				return nil
			}})
	}
	nettest.TwoProcesses(t, learners...)
}

// unseenBatch has items that the toy data has not.
func unseenBatch(t *testing.T) *learn.Batch {
	t.Helper()
	var records []tabular.Record
	for i := range 6 {
		records = append(records, tabular.Record{Items: []string{fmt.Sprint("value", i%5), fmt.Sprint("new", i%2)}, Numbers: []float64{0}, Class: i % 2})
	}
	b := filetest.Must(newModel(t, methods[0].config(1, 2)).Encode(records))(t)
	return b
}

// A learner of items whose names are not UTF-8 is read as it was written.
func TestSavedNamesOfAnyBytes(t *testing.T) {
	c := methods[2].config(0, 2)
	m := newModel(t, c)
	batch := filetest.Must(m.Encode([]tabular.Record{{Items: []string{"caf\xe9", "x"}, Class: 1}, {Items: []string{"caf\xe8", "y\xff"}}}))(t)
	first, second := newLearner(t, c, learn.Options{}), newLearner(t, c, learn.Options{})
	check(t, first.Update(batch, 2))
	var file bytes.Buffer
	filetest.Must(first.WriteTo(&file))(t)
	filetest.Must(second.ReadFrom(&file))(t)
	for _, l := range []*learn.Learner{first, second} {
		check(t, l.Update(batch, 1))
	}
	a := filetest.Must(first.Predict(batch))(t)
	b := filetest.Must(second.Predict(batch))(t)
	if !slices.Equal(a.Values, b.Values) {
		t.Errorf("the learner predicts %v, and %v after it was saved", a.Values, b.Values)
	}
}
