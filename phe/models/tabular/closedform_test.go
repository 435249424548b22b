package tabular_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/learn/learntest"
	"gophe/phe/models/tabular"
)

// closedForm is a configuration whose beliefs are wide enough to learn from one record.
func (m method) closedForm() tabular.Config {
	c := m.config(1, 2)
	c.Scope, c.Encoder.InitialLogStdDev = phe.AllColumns, 0
	return c
}

// The closed form keeps the contract.
func TestClosedFormContract(t *testing.T) {
	if nettest.Brief(t) {
		t.Skip("ten seconds of compilation")
	}
	for _, m := range []method{methods[0], methods[2]} {
		t.Run(m.name, func(t *testing.T) { contract(t, m.closedForm(), learn.ClosedForm()).Check(t) })
	}
}

// One pass of the closed form learns items that no batch before held, and keeps what was known of the others. A weighted sum
// needs more records: an item that nobody knows has means of E and of W near 0, where the slope by either is near 0 too.
func TestClosedFormLearnsUnseenItems(t *testing.T) {
	for i, test := range []struct {
		method
		assembly phe.Assembly
		rounds   int // of the records of unseen items, four an item
	}{
		{methods[0], phe.WeightedSum, 3},
		{methods[0], phe.PlainSum, 1},
		{methods[2], "", 1},
	} {
		if nettest.Brief(t) && i > 0 {
			break
		}
		t.Run(fmt.Sprint(test.name, " ", test.assembly), func(t *testing.T) {
			c := test.closedForm()
			if test.rows == phe.Hashed { // large tables have few collisions, so that what is known of others must stay
				c.Encoder.NumBuckets, c.Encoder.Assembly = 211, test.assembly
				if c.Encoder.NumWeights = 0; test.assembly == phe.WeightedSum {
					c.Encoder.NumWeights = 101
				}
			}
			known, unseen := upTo(0, toyRows), upTo(toyRows, toyRows+toyUnseen)
			d := withUnseen(toyData(1, 2), 1, 2)
			l := newLed(t, c, d, learn.Options{Updater: learn.ClosedForm()})
			check(t, l.Fit(known, 16))
			l.Settle()
			loss := func(records []int32) (mean float64) {
				p := filetest.Must(l.Predict(records, 0))(t)
				for i, record := range records {
					mean -= float64(p[2*i+int(d.Labels[record])]) / float64(len(records))
				}
				return mean
			}
			before, others := loss(unseen), loss(known)
			check(t, l.Update(slices.Repeat(unseen, test.rounds), 1))
			after, othersAfter := loss(unseen), loss(known)
			if !(after < 0.5*min(before, math.Ln2)) {
				t.Errorf("unseen items cost %.3f nats before one pass and %.3f after; guessing costs %.3f", before, after, math.Ln2)
			}
			if !(math.Abs(othersAfter-others) < 0.02) {
				t.Errorf("other items cost %.3f nats before the pass and %.3f after", others, othersAfter)
			}
		})
	}
}

// Configurations that the closed form cannot update are refused.
func TestClosedFormRefuses(t *testing.T) {
	for name, change := range map[string]func(*tabular.Config){
		"a point estimate":      func(c *tabular.Config) { c.Encoder.Estimate = phe.Point },
		"three classes":         func(c *tabular.Config) { c.Classes = 3 },
		"the rest of the model": func(c *tabular.Config) { c.Scope = phe.AllParameters },
		"one column":            func(c *tabular.Config) { c.Scope = phe.IncrementalColumn },
	} {
		c := methods[0].closedForm()
		change(&c)
		if _, err := learn.New(newModel(t, c).Network(), c.Config, learn.Options{Backend: learntest.Backend(t), Updater: learn.ClosedForm()}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
