package ncf_test

import (
	"slices"
	"testing"

	"gophe/phe"
	"gophe/phe/learn"
	"gophe/phe/learn/learntest"
	"gophe/phe/models/ncf"
)

// An embedded label is drawn once a sample, for all rows: with users and items cut off from the network, items of equal
// labels have equal predictions, sample by sample and row by row; and an item of none has no noise.
func TestLabelsAreDrawnOnceForAllRows(t *testing.T) {
	for i, scheme := range []phe.Scheme{phe.Fresh, phe.Local, phe.Items} {
		if learntest.Brief(t) && i > 0 {
			break
		}
		c := methods[0].config()
		c.Scheme, c.LabelInput = scheme, ncf.Embedded
		d := toyData()
		d.ItemLabels[3], d.ItemLabels[4], d.ItemLabels[5] = 0b101, 0b101, 0b100
		l := newLearner(t, c, d, 64, 1, 2)
		s := l.State(t)
		clear(s.Parameters[4]) // the network's weights of user and item
		clear(s.Parameters[5]) // and of their product
		check(t, l.Restore(learn.Snapshot{Parameters: s.Parameters}))
		// Ratings 3, 22 and 4 are of items 3, 3 and 4; 5 of item 5; 0 of item 0, without labels.
		predictions := l.Predict(t, []int32{3, 22, 4, 5, 0}, 0)
		row := func(run, i int) []float32 { return predictions[(run*5+i)*c.TestSamples:][:c.TestSamples] }
		for run := range 2 {
			if first := row(run, 0); !slices.Equal(first, row(run, 1)) || !slices.Equal(first, row(run, 2)) || slices.Equal(first, row(run, 3)) {
				t.Errorf("scheme %q, run %d: labels {0, 2} of three rows give %v, %v, %v, and {2} %v", scheme, run, first, row(run, 1), row(run, 2), row(run, 3))
			}
			if a := row(run, 0); a[0] == a[1] {
				t.Errorf("scheme %q, run %d: two samples share a draw of the labels: %v", scheme, run, a)
			}
			for _, v := range row(run, 4) {
				if v != row(run, 4)[0] {
					t.Errorf("scheme %q, run %d: an item without labels varies: %v", scheme, run, row(run, 4))
				}
			}
		}
		if slices.Equal(row(0, 0), row(1, 0)) {
			t.Errorf("scheme %q: two runs draw the same labels", scheme)
		}
	}
}

// Labels count where the configuration says so, and only the item's own.
func TestLabelsCount(t *testing.T) {
	for i, input := range []ncf.LabelInput{ncf.MultiHot, ncf.Embedded, ncf.NoLabels} {
		if learntest.Brief(t) && i > 0 {
			break
		}
		c := methods[1].config()
		setLabels(&c, input)
		var predictions [2][]float32
		for i := range predictions {
			d := toyData()
			if i == 1 {
				d.ItemLabels[3] ^= 0b110
			}
			predictions[i] = newLearner(t, c, d, 64, 1).Predict(t, []int32{3, 4}, 0)
		}
		if moved := predictions[0][0] != predictions[1][0]; moved != (input != ncf.NoLabels) {
			t.Errorf("%s: another set of labels moves the item's prediction: %t", input, moved)
		}
		if predictions[0][1] != predictions[1][1] {
			t.Errorf("%s: another set of labels moves another item's prediction", input)
		}
	}
}

// 32 labels fill the bits of a set, the last included.
func TestManyLabels(t *testing.T) {
	d := toyData()
	d.ItemLabels[2], d.ItemLabels[3], d.ItemLabels[4] = 1<<31, 1<<31|1, 1<<32-1
	for _, input := range []ncf.LabelInput{ncf.MultiHot, ncf.Embedded} {
		c := methods[1].config()
		c.LabelInput, c.Labels = input, labelNames(32)
		l := newLearner(t, c, d, 64, 1)
		p := ofRun(l.State(t), 0, 1)
		newReference(t, c, d, 1).comparePredictions(t, p, l.Predict(t, rowsOf(0, 7), 0), rowsOf(0, 7), 0, 64)
	}
}
