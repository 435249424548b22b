package run

import (
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/phe"
	"gophe/phe/disk/filetest"
)

// twoItems runs the two-item stream with blocks of n data.
func twoItems(t *testing.T, n, blocks int) *result.File {
	t.Helper()
	spec := twoItemsSpec(t)
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
	filetest.WantEqual(t, f.Status, result.Complete, "status")
	filetest.WantEqual(t, [2]int{f.Stream.Steps, len(f.Stream.Changes)}, [2]int{n * blocks, blocks}, "steps and changes")
	filetest.WantEqual(t, f.Stream.Changes[3], result.Change{Step: 3 * n, What: "item 1"}, "the fourth change")
	filetest.WantEqual(t, labelsOf(f), []string{"Observation", "PHE", "Ada", "EE"}, "methods")
	for _, m := range f.Methods {
		filetest.WantEqual(t, len(m.Runs), 1, "%s: runs", m.Name)
		filetest.WantEqual(t, len(m.Runs[0].Prediction), n*blocks, "%s: predictions", m.Name)
		filetest.WantEqual(t, m.Runs[0].Status, result.Complete, "%s: status", m.Name)
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
	s.Model.UpdateLearningRate, s.Model.LearningRate = 0, 0.5
	second := func(name string) float64 {
		return mustRun(t, s, Options{Out: t.TempDir()}).Method(name, false).Runs[0].Prediction[1]
	}
	filetest.WantEqual(t, second("EE"), 0.5, "after one step of rate 0.5 towards 1")
	s.Methods = []spec.Method{{Name: "EE fast", Rows: phe.Vocabulary, Estimate: phe.Point, UpdateEpochs: 1, UpdateLearningRate: 0.25}}
	filetest.WantEqual(t, second("EE fast"), 0.25, "after one step of the method's rate 0.25 towards 1")
}

func twoItemsSpec(t *testing.T) spec.Spec {
	t.Helper()
	return filetest.Must(spec.Load("two-items"))(t)
}
