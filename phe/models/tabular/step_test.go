package tabular_test

import (
	"testing"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/models/tabular"
)

// Whole training steps against the float64 reference: the gradient of the first initial step through Adam's first
// moment, the parameters after some steps, and after an update with prior, mask and padding.
func TestStepsAgainstPlainGo(t *testing.T) {
	for _, c := range []struct {
		name    string
		method  method
		classes int
		scope   phe.UpdateScope
		always  bool // also where each case takes seconds to compile
	}{
		{"PHE, incremental column", methods[0], 2, phe.IncrementalColumn, true},
		{"PHE, all columns", methods[0], 2, phe.AllColumns, false},
		{"PHE, all parameters", methods[0], 2, phe.AllParameters, false},
		{"Ada, incremental column", methods[1], 2, phe.IncrementalColumn, false},
		{"Ada, three classes", methods[1], 3, phe.IncrementalColumn, false},
		{"P-EE", methods[2], 2, phe.IncrementalColumn, false},
		{"EE, three classes", methods[3], 3, phe.AllParameters, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if nettest.Brief(t) && !c.always {
				t.Skip("two seconds of compilation")
			}
			config := c.method.config(2, c.classes)
			config.Scheme, config.Loss, config.Scope = phe.Quadrature, phe.Expected, c.scope
			if c.classes > 2 {
				config.Scheme = phe.Items // of a point estimate: no noise
			}
			config.Encoder.InitialLogStdDev = -1 // beliefs wide enough to count
			testSteps(t, config)
		})
	}
}

func testSteps(t *testing.T, config tabular.Config) {
	const initialSteps, updateSteps = 4, 3
	rows, chunk := upTo(0, 7), upTo(40, 45)
	d := toyData(config.Numbers, config.Classes)
	l := pinned(t, config, d, 11, 1)
	encoder := filetest.Must(phe.NewEncoder(config.Encoder))(t)
	items := filetest.Must(encoder.Items(d.Items))(t)
	m := reference{config, d, items}

	p := nettest.Converted[float64](l.State(t).Parameters)
	filetest.Check(t, l.Fit(rows, 1))
	first := nettest.Converted[float64](l.State(t).Moments)
	filetest.Check(t, l.Fit(rows, initialSteps-1))
	nettest.FirstGradient(t, first, m.train(p, nil, false, len(p), initialSteps, rows))
	compare(t, "the initial phase", l.State(t), p)

	// From here on from equal numbers, so that roundings do not add up.
	l.Settle()
	p = nettest.Converted[float64](l.State(t).Parameters)
	filetest.Check(t, l.Update(chunk, updateSteps))
	trained := nettest.NumEmbedding(m.Encoder)
	if config.Scope == phe.AllParameters {
		trained = len(p)
	}
	m.train(p, nettest.Converted[float64](p), config.Scope == phe.IncrementalColumn, trained, updateSteps, chunk)
	compare(t, "the update", l.State(t), p)
}

// compare tolerates 1e-4 of a step of 0.05 for each of a few steps: Adam divides the gradient's rounding by its size.
func compare(t *testing.T, after string, s learn.Snapshot, want [][]float64) {
	t.Helper()
	nettest.Same(t, "parameters after "+after, nettest.Converted[float64](s.Parameters), want, 2e-5)
}
