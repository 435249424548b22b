package ncf_test

import (
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn/learntest"
	"gophe/phe/models/ncf"
)

// A learner that one process saves in the middle of its initial phase continues in another process with the same bits: the initial
// phase, updates by users and items that the first process never saw, predictions, and the last file.
func TestTwoProcesses(t *testing.T) {
	var learners []nettest.Process
	for _, c := range []struct {
		method method
		input  ncf.LabelInput
		always bool // also where each case takes seconds to compile
	}{{methods[0], ncf.MultiHot, true}, {methods[2], ncf.Embedded, false}} {
		if nettest.Brief(t) && !c.always {
			continue
		}
		config := c.method.config()
		config.LabelInput = c.input
		learners = append(learners, nettest.Process{
			New: func() learntest.Led {
				l := newLearner(t, config, toyData(), 0, 7)
				l.All = encode(t, config, ratingsOf(config, toyData())[:80])
				return l
			},
			Before: func(l learntest.Led) { check(t, l.Fit(rowsOf(0, 71), 1)) },
			After: func(l learntest.Led) [][]float32 {
				check(t, l.Fit(rowsOf(0, 71), 1))
				l.Settle()
				check(t, l.Update(rowsOf(71, 80), 2))
				fresh := encode(t, config, []ncf.Rating{{User: "new", Item: "3", Value: 0.9}, {User: "1", Item: "new", Labels: config.Labels[2:4], Value: 0.1}})
				check(t, l.Learner.Update(fresh, 2))
				return [][]float32{filetest.Must(l.Learner.Predict(fresh))(t).Values}
			}})
	}
	nettest.TwoProcesses(t, learners...)
}
