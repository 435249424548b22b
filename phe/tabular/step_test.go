package tabular_test

import (
	"math"
	"testing"

	"gophe/phe"
	"gophe/phe/learn"
	"gophe/phe/phetest"
	"gophe/phe/tabular"
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
			if phetest.Brief(t) && !c.always {
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
	encoder, err := phe.NewEncoder(config.Encoder)
	check(t, err)
	items, err := encoder.Items(d.Items)
	check(t, err)
	m := reference{config, d, items}

	p := phetest.Float64s(snapshot(t, l).Parameters)
	check(t, l.Fit(rows, 1))
	first := phetest.Float64s(snapshot(t, l).Moments)
	check(t, l.Fit(rows, initialSteps-1))
	gradient := m.train(p, nil, false, len(p), initialSteps, rows)
	for list := range gradient {
		for i, g := range gradient[list] {
			// Sums of some dozen float32 terms; the finite differences are good to 1e-9.
			if !(math.Abs(10*first[list][i]-g) <= 2e-5*max(1, math.Abs(g))) {
				t.Errorf("gradient of parameter %d, entry %d is %.7g, want %.7g", list, i, 10*first[list][i], g)
			}
		}
	}
	compare(t, "the initial phase", snapshot(t, l), p)

	// From here on from equal numbers, so that roundings do not add up.
	l.Settle()
	p = phetest.Float64s(snapshot(t, l).Parameters)
	check(t, l.Update(chunk, updateSteps))
	trained := m.numEmbedding()
	if config.Scope == phe.AllParameters {
		trained = len(p)
	}
	m.train(p, phetest.CloneLists(p), config.Scope == phe.IncrementalColumn, trained, updateSteps, chunk)
	compare(t, "the update", snapshot(t, l), p)
}

// compare tolerates 1e-4 of a step of 0.05 for each of a few steps: Adam divides the gradient's rounding by its size.
func compare(t *testing.T, after string, s learn.Snapshot, want [][]float64) {
	t.Helper()
	for list, values := range phetest.Float64s(s.Parameters) {
		for i, v := range values {
			if !(math.Abs(v-want[list][i]) <= 2e-5) {
				t.Errorf("after %s, parameter %d, entry %d is %.7g, want %.7g", after, list, i, v, want[list][i])
				break
			}
		}
	}
}
