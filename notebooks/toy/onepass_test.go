package toy_test

import (
	"math"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"gophe/data/files"
	"gophe/data/tables"
	"gophe/experiments/result"
	"gophe/notebooks/show"
	"gophe/notebooks/toy"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
	"gophe/phe/onepass"
)

func sigmoid(eta float64) float64 { return 1 / (1 + math.Exp(-eta)) }

func relativelyNear(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	filetest.Near(t, got, want, tolerance*(1+math.Abs(want)), "%s", what)
}

// The exact posterior has the mean μ + q d ln p(y)/dμ, and p(y) agrees with Gauss–Hermite quadrature.
func TestExact(t *testing.T) {
	evidence := func(mu, q, label float64) float64 {
		return quad.Fixed(func(z float64) float64 {
			return sigmoid((2*label-1)*(mu+z*math.Sqrt(2*q))) / math.SqrtPi
		}, math.Inf(-1), math.Inf(1), 120, quad.Hermite{}, 0)
	}
	for _, l := range []toy.Logit{{Mean: -1, Variance: 0.3}, {Mean: 2, Variance: 1}} {
		for _, label := range []float64{0, 1} {
			density, moments := l.Exact(label)
			relativelyNear(t, "the density", density(0.4), l.Density(0.4)*sigmoid((2*label-1)*0.4)/evidence(l.Mean, l.Variance, label), 1e-9)
			const h = 1e-4
			slope := math.Log(evidence(l.Mean+h, l.Variance, label)/evidence(l.Mean-h, l.Variance, label)) / (2 * h)
			relativelyNear(t, "the mean", moments.Mean, l.Mean+l.Variance*slope, 1e-7)
			filetest.True(t, moments.Variance < l.Variance, "a label widens %v to %v", l, moments)
		}
	}
	wide := toy.Logit{Mean: 0, Variance: 25}
	_, no := wide.Exact(0)
	_, yes := wide.Exact(1)
	relativelyNear(t, "the mean after the other label", no.Mean, -yes.Mean, 1e-12)
}

// A logit learns by the formulas of docs/one-pass.md, step 7.
func TestLogitLearns(t *testing.T) {
	l := toy.Logit{Mean: -4, Variance: 25}
	kappa := 1 / math.Sqrt(1+math.Pi*l.Variance/8)
	p := sigmoid(kappa * l.Mean)
	got := l.Learn(onepass.MacKay, 1)
	relativelyNear(t, "the mean", got.Mean, l.Mean+l.Variance*kappa*(1-p), 1e-12)
	relativelyNear(t, "the variance", got.Variance, l.Variance-l.Variance*l.Variance*kappa*kappa*p*(1-p), 1e-12)
	relativelyNear(t, "the standard deviation", l.Sigma(), 5, 0)
}

// The two items learn by the formulas of docs/one-pass.md, steps 4 to 8.
func TestShared(t *testing.T) {
	learner, items := toy.Shared()
	names, m, v := toy.Held(learner)
	g := []float64{m[3], m[3], 0, m[0] + m[1], 1}
	mu, q := m[3]*(m[0]+m[1])+m[4], 0.0
	for j := range g {
		q += v[j] * g[j] * g[j]
	}
	f := learner.Predict(items[0])
	relativelyNear(t, "the logit", f.Logit, mu, 1e-12)
	relativelyNear(t, "its standard deviation", f.Spread, math.Sqrt(q), 1e-12)
	learner.Predict(items[0])
	learner.Update(1, 1)
	_, mean, variance := toy.Held(learner)
	kappa := 1 / math.Sqrt(1+math.Pi*q/8)
	p := sigmoid(kappa * mu)
	for j, name := range names {
		relativelyNear(t, name, mean[j], m[j]+v[j]*g[j]*kappa*(1-p), 1e-12)
		relativelyNear(t, name+"'s variance", variance[j], v[j]-v[j]*v[j]*g[j]*g[j]*kappa*kappa*p*(1-p), 1e-12)
	}
}

// An item of its own learns as a logit does, and forgetting widens its belief before a row.
func TestTurned(t *testing.T) {
	for _, gamma := range []float64{1, 0.5} {
		belief, got := toy.Logit{Variance: 4}, toy.Turned(0, gamma)
		for _, forecast := range got[:3] { // before rows of class 0
			relativelyNear(t, "the forecast", forecast, sigmoid(belief.Mean/math.Sqrt(1+math.Pi*belief.Variance/8)), 1e-12)
			wider := 1 / (gamma/belief.Variance + (1-gamma)/4)
			belief = toy.Logit{Mean: belief.Mean * gamma * wider / belief.Variance, Variance: wider}.Learn(onepass.MacKay, 0)
		}
	}
}

// odors returns Mushroom's rows with their odors alone.
func odors() *tables.Table {
	return show.Must(show.Must(tables.Load("mushroom", files.Options{})).Select([]string{"odor"}))
}

// A hashed stream has the study's rows: with them a learner repeats the committed run, step for step.
func TestHash(t *testing.T) {
	s := filetest.Must(odors().Swapped(0.3, 20, 160))(t)
	c := toy.Small(5)
	h := toy.Hash(s, c)
	checkItem(t, h, c)
	committed := filetest.Must(result.OpenFolder(filepath.Join("..", "..", "experiments", "out")).Load("mushroom-swapped-one-pass"))(t)
	learner := filetest.Must(onepass.New(c))(t)
	h.Learn(learner, h.Initial)
	want := committed.Method("One pass", false).Run(0).Accuracy
	for step, rows := range h.Steps {
		relativelyNear(t, "the accuracy", h.Right(learner, rows), want[step], 1e-9)
		h.Learn(learner, rows)
	}
}

// checkItem compares an item with package phe's own encoder.
func checkItem(t *testing.T, h toy.Hashed, c onepass.Config) {
	t.Helper()
	e := phe.Paper()
	e.Hash, e.EmbeddingDim, e.NumBuckets, e.NumWeights = hash.Authors, c.Dim, c.Buckets, c.WeightRows
	encoder := filetest.Must(phe.NewEncoder(e))(t)
	const row = 1000
	want := filetest.Must(encoder.Items([]string{h.Table.Token(0, row)}))(t)
	var item onepass.Row
	item.Add(onepass.Cell{Share: 1, Weights: want.Weights[0]}, want.Buckets...)
	filetest.Want(t, h.Rows[row].Slots, item.Slots, "the slots of row %d", row)
	filetest.Want(t, h.Rows[row].Cells, item.Cells, "the cells of row %d", row)
	filetest.Want(t, len(h.Rows), h.Table.NumRows(), "rows")
	filetest.Want(t, h.Labels[row], float64(h.Table.Labels[row]), "the label of row %d", row)
}
