package run

import (
	"slices"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/phe"
	"gophe/phe/disk/filetest"
)

// twoItems runs the two-item stream with blocks of n data.
func twoItems(t *testing.T, n, blocks int) *result.File {
	t.Helper()
	spec := filetest.Must(spec.Load("two-items"))(t)
	spec.Protocol.ChunkRows, spec.Protocol.MaxChunks = n, blocks
	return mustRun(t, spec, Options{Out: t.TempDir()}) // it needs no backend
}

// exactPrediction is Supp. F by hand: the posterior of three entries, prior N(0, 1), after n0 targets 1 of item (1, 1, 0)
// and n1 targets −1 of item (0, 1, 1) with noise of variance 1. The precision is
//
//	1+n0   n0      0
//	n0     1+n0+n1 n1
//	0      n1      1+n1
//
// and Λμ = (n0, n0−n1, −n1); its inverse is the adjugate over the determinant.
func exactPrediction(n0, n1 float64, item int) float64 {
	a, b, c, d, e := 1+n0, n0, 1+n0+n1, n1, 1+n1
	determinant := a*(c*e-d*d) - b*b*e
	adjugate := [3][3]float64{
		{c*e - d*d, -b * e, b * d},
		{-b * e, a * e, -a * d},
		{b * d, -a * d, a*c - b*b},
	}
	information := [3]float64{n0, n0 - n1, -n1}
	var mean [3]float64
	for i := range mean {
		for k := range information {
			mean[i] += adjugate[i][k] * information[k] / determinant
		}
	}
	return mean[item] + mean[item+1]
}

func TestTwoItems(t *testing.T) {
	const n, blocks, rate = 20, 5, 0.1
	f := twoItems(t, n, blocks)
	if f.Status != result.Complete || f.Stream.Steps != n*blocks || len(f.Stream.Changes) != blocks || f.Stream.Changes[3] != (result.Change{Step: 3 * n, What: "item 1"}) {
		t.Errorf("%s, stream %+v", f.Status, f.Stream)
	}
	var names []string
	for _, m := range f.Methods {
		names = append(names, m.Name)
		if len(m.Runs) != 1 || len(m.Runs[0].Prediction) != n*blocks || m.Runs[0].Status != result.Complete {
			t.Fatalf("%s: %d runs", m.Name, len(m.Runs))
		}
	}
	if !slices.Equal(names, []string{"Observation", "PHE", "Ada", "EE"}) {
		t.Fatalf("methods %q", names)
	}
	of := func(name string, step int) float64 { return f.Method(name, false).Runs[0].Prediction[step] }
	var e0, e1, e2, own0, own1 float64 // rows of the shared table, and of one without collisions
	var n0, n1 float64
	for step := range n * blocks {
		want := map[string]float64{}
		if item := step / n % 2; item == 0 {
			want["Observation"], want["PHE"], want["Ada"], want["EE"] = 1, exactPrediction(n0, n1, 0), e0+e1, own0
			n0++
			e0, e1, own0 = e0-rate*(e0+e1-1), e1-rate*(e0+e1-1), own0-rate*(own0-1)
		} else {
			want["Observation"], want["PHE"], want["Ada"], want["EE"] = -1, exactPrediction(n0, n1, 1), e1+e2, own1
			n1++
			e1, e2, own1 = e1-rate*(e1+e2+1), e2-rate*(e1+e2+1), own1-rate*(own1+1)
		}
		for name, w := range want {
			filetest.WantNear(t, of(name, step), w, 1e-12, "%s, step %d", name, step)
		}
	}
}

// A rate of online learning that is left out is the learning rate, here as everywhere.
func TestTwoItemsRate(t *testing.T) {
	s := twoItemsSpec(t)
	s.Model.UpdateLearningRate = 0
	s.Model.LearningRate = 0.5
	f := mustRun(t, s, Options{Out: t.TempDir()})
	if got := f.Method("EE", false).Runs[0].Prediction[1]; got != 0.5 {
		t.Errorf("after one step of rate 0.5 towards 1: %v", got)
	}
	s.Methods = []spec.Method{{Name: "EE fast", Rows: phe.Vocabulary, Estimate: phe.Point, UpdateEpochs: 1, UpdateLearningRate: 0.25}}
	f = mustRun(t, s, Options{Out: t.TempDir()})
	if got := f.Method("EE fast", false).Runs[0].Prediction[1]; got != 0.25 {
		t.Errorf("after one step of the method's rate 0.25 towards 1: %v", got)
	}
}

func twoItemsSpec(t *testing.T) spec.Spec {
	t.Helper()
	return filetest.Must(spec.Load("two-items"))(t)
}
