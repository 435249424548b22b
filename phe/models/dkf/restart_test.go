package dkf_test

import (
	"slices"
	"testing"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/learn/learntest"
	"gophe/phe/models/dkf"
)

// begin returns a learner that knows nothing yet, beside the windows of contractData. Turned around, they bring their items in
// another order, so that a vocabulary gives them other rows.
func begin(t *testing.T, change func(*dkf.Config), turned bool) learntest.Led {
	t.Helper()
	c := learning(dkf.Histogram)
	change(&c)
	m, d := newModel(t, c), contractData()
	windows := windowsOf(events(c, d), d.Windows, toyLength)
	if turned {
		slices.Reverse(windows)
	}
	return learntest.New(t, m.Network(), m.Config.Config, learn.Options{Seeds: []int64{3, 4}}, filetest.Must(m.Encode(windows))(t))
}

// A process that reads the file of another continues as that one does, to the same bits of its predictions and of its file. One
// learner is in its initial phase, and one has learned an update.
func TestTwoProcesses(t *testing.T) {
	if nettest.Brief(t) {
		t.Skip("ten seconds of compilation in each process")
	}
	process := func(change func(*dkf.Config), before func(l learntest.Led)) nettest.Process {
		return nettest.Process{
			New:    func() learntest.Led { return begin(t, change, false) },
			Before: func(l learntest.Led) { before(learntest.Led{Learner: l.Learner, All: begin(t, change, true).All}) },
			After: func(l learntest.Led) [][]float32 {
				check(t, l.Fit(upTo(40), 1))
				l.Settle()
				check(t, l.Update(newcomer, 2))
				return [][]float32{filetest.Must(l.Learner.Predict(l.All.Take(append(upTo(3), newcomer...))))(t).Values}
			}}
	}
	nettest.TwoProcesses(t,
		process(func(c *dkf.Config) { c.Scope, c.ItemDropout, c.TrainSamples = phe.AllParameters, 0.3, 2 },
			func(l learntest.Led) { check(t, l.Fit(upTo(40), 2)) }),
		process(vocabulary, func(l learntest.Led) {
			check(t, l.Fit(upTo(40)[20:], 1))
			l.Settle()
			check(t, l.Update(upTo(44)[40:], 2))
		}))
}
