package phe_test

import (
	"fmt"
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/stat"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn/likelihood"
)

func toys() map[string]toy {
	return map[string]toy{
		"weighted-sum": newToy(phe.WeightedSum, 1), "sum": newToy(phe.PlainSum, 2), "mean": newToy(phe.Average, 3),
		"vocabulary": newVocabularyToy(),
	}
}

// The logit's mean and variance under every scheme equal the closed form (see sampling.md: "Why the noise is unnecessary"). Under
// Table they equal the closed form for shared draws.
func TestSchemeMoments(t *testing.T) {
	const samples = 40009
	for name, m := range toys() {
		for _, scheme := range []phe.Scheme{phe.Fresh, phe.Items, phe.Local, phe.Moments, phe.Table} {
			t.Run(fmt.Sprintf("%s/%s", name, scheme), func(t *testing.T) {
				for row, x := range m.sample(t, scheme, samples) {
					wantMean, wantVariance := m.analytic(row, scheme == phe.Table)
					mean, variance := stat.MeanVariance(x, nil)
					// Five standard errors, √(Var/n) and √((m₄ − Var²)/n); the key fixes the numbers.
					fourth := stat.Moment(4, x, nil)
					if !(math.Abs(mean-wantMean) <= 5*math.Sqrt(variance/samples)) {
						t.Errorf("row %d: mean %.4f, want %.4f", row, mean, wantMean)
					}
					if !(math.Abs(variance-wantVariance) <= 5*math.Sqrt((fourth-variance*variance)/samples)) {
						t.Errorf("row %d: variance %.4f, want %.4f", row, variance, wantVariance)
					}
				}
			})
		}
	}
}

// Local by way of embeddings, as heads of several logits take it, has the distribution of Fresh too: mean and variance of the
// logit, hence the covariance of an embedding's coordinates through W, in every assembly.
func TestLocalEmbeddings(t *testing.T) {
	const samples = 40009
	for name, m := range toys() {
		m.embedded = true
		for row, x := range m.sample(t, phe.Local, samples) {
			wantMean, wantVariance := m.analytic(row, false)
			mean, variance := stat.MeanVariance(x, nil)
			fourth := stat.Moment(4, x, nil)
			if !(math.Abs(mean-wantMean) <= 5*math.Sqrt(variance/samples)) || !(math.Abs(variance-wantVariance) <= 5*math.Sqrt((fourth-variance*variance)/samples)) {
				t.Errorf("%s, row %d: mean %.4f and variance %.4f, want %.4f and %.4f", name, row, mean, variance, wantMean, wantVariance)
			}
		}
	}
}

// Quadrature has no noise: its weighted nodes have the mean and variance exactly, to float32.
func TestQuadratureMoments(t *testing.T) {
	weights := phe.Quadrature.SampleWeights()
	for name, m := range toys() {
		for row, x := range m.sample(t, phe.Quadrature, 1) {
			if len(x) != len(weights) {
				t.Fatalf("%d samples and %d weights", len(x), len(weights))
			}
			wantMean, wantVariance := m.analytic(row, false)
			var mean, variance float64
			for i, w := range weights {
				mean += w * x[i]
			}
			for i, w := range weights {
				variance += w * (x[i] - mean) * (x[i] - mean)
			}
			if !(math.Abs(mean-wantMean) <= 1e-5) || !(math.Abs(variance-wantVariance) <= 1e-5*max(1, wantVariance)) {
				t.Errorf("%s, row %d: %.6f and %.6f, want %.6f and %.6f", name, row, mean, variance, wantMean, wantVariance)
			}
		}
	}
	if phe.Fresh.SampleWeights() != nil || phe.Moments.SampleWeights() != nil {
		t.Error("sampling schemes weigh all samples the same")
	}
}

// Among the toy's rows, only the first shares no table row between its slots. Only there, Table's variance equals the variance
// under the other schemes.
func TestTableSharesNoise(t *testing.T) {
	m := newToy(phe.WeightedSum, 1)
	for row, wantEqual := range []bool{true, false, false} {
		_, own := m.analytic(row, false)
		_, shared := m.analytic(row, true)
		if relative := math.Abs(shared/own - 1); (relative < 1e-12) != wantEqual || !wantEqual && relative < 0.02 {
			t.Errorf("row %d: variance %.4f with own draws, %.4f with shared ones", row, own, shared)
		}
	}
}

// Local claims the very distribution of Fresh, not two moments of it: skewness and kurtosis agree too, where Moments, a Gaussian,
// has none.
func TestLocalHasTheLawOfRows(t *testing.T) {
	const samples, batches = 40009, 20
	m := newToy(phe.WeightedSum, 1)
	rows, local, moments := m.sample(t, phe.Fresh, samples), m.sample(t, phe.Local, samples), m.sample(t, phe.Moments, samples)
	m.embedded = true
	embedded := m.sample(t, phe.Local, samples)
	// kurtosis with its standard error, by cutting the samples into batches.
	kurtosis := func(x []float64) (mean, stdErr float64) {
		var parts []float64
		for i := range batches {
			n := len(x) / batches
			parts = append(parts, stat.ExKurtosis(x[i*n:(i+1)*n], nil))
		}
		mean, stdDev := stat.MeanStdDev(parts, nil)
		return mean, stdDev / math.Sqrt(batches)
	}
	for row := range m.rows {
		a, aErr := kurtosis(rows[row])
		b, bErr := kurtosis(local[row])
		if !(math.Abs(a-b) <= 5*math.Hypot(aErr, bErr)) {
			t.Errorf("row %d: excess kurtosis %.3f ± %.3f under rows, %.3f ± %.3f under local", row, a, aErr, b, bErr)
		}
		if c, cErr := kurtosis(embedded[row]); !(math.Abs(a-c) <= 5*math.Hypot(aErr, cErr)) {
			t.Errorf("row %d: excess kurtosis %.3f ± %.3f under rows, %.3f ± %.3f under local by way of embeddings", row, a, aErr, c, cErr)
		}
		if a < 5*aErr {
			t.Errorf("row %d: excess kurtosis %.3f ± %.3f does not tell the distribution from a Gaussian: the toy is too tame", row, a, aErr)
		}
		if c, cErr := kurtosis(moments[row]); !(math.Abs(c) <= 5*cErr) {
			t.Errorf("row %d: excess kurtosis %.3f ± %.3f under moments, want 0", row, c, cErr)
		}
	}
}

// Rows of a batch with the same items: Fresh and Local draw separately for each, and Items and Table share the draws.
func TestSchemesShareDrawsBetweenRows(t *testing.T) {
	const samples = 5003
	m := newToy(phe.WeightedSum, 4)
	m.index = []int32{0, 2, 0, 2, 1, 3}
	for scheme, share := range map[phe.Scheme]bool{phe.Fresh: false, phe.Local: false, phe.Moments: false, phe.Items: true, phe.Table: true} {
		x := m.sample(t, scheme, samples)
		r := stat.Correlation(x[0], x[1], nil)
		if share && !(math.Abs(r-1) <= 1e-4) || !share && !(math.Abs(r) <= 5/math.Sqrt(samples)) {
			t.Errorf("%s: rows of the same items correlate by %.4f", scheme, r)
		}
	}
}

// The gradient of the negative ELBO against central differences of the ELBO itself, every entry of both tables and head.
func TestMomentsGradient(t *testing.T) {
	const samples, h = 3, 1e-2
	m := newToy(phe.WeightedSum, 5)
	b := nettest.Backend(t)
	loss := func(a []*Node) *Node {
		y := Const(a[0].Graph(), []float32{1, 0, 1})
		l := likelihood.Bernoulli().LogProb(InsertAxes(m.logits(t, a[1:], phe.Moments, samples, phe.Noise{Keys: a[0]}), -1), y)
		tables := m.tablesOf(a[1:])
		dataTerm := Reshape(phe.LogAverage.Reduce(l, nil), 1, 3)
		return phe.NegativeELBO(dataTerm, OnesLike(dataTerm), Const(a[0].Graph(), float32(11)), tables.KL(tables.StandardPrior()), 1)
	}
	key := []uint32{3}
	gradient := nettest.Call(t, b, func(a []*Node) []*Node { return Gradient(loss(a), a[1], a[2], a[6], a[7]) },
		append([]any{key}, m.args()...)...)
	exec := filetest.Must(NewExec(b, func(a []*Node) []*Node { return []*Node{loss(a)} }))(t)
	defer exec.Finalize()
	value := func() float64 {
		out := filetest.Must(exec.Call(append([]any{key}, m.args()...)...))(t)
		return float64(out[0].Value().(float32))
	}
	for p, parameter := range [][]float32{m.eMean, m.eLogStdDev, m.wMean, m.wLogStdDev} {
		for i, v := range parameter {
			parameter[i] = v + h
			up, upAt := value(), parameter[i]
			parameter[i] = v - h
			down, downAt := value(), parameter[i]
			parameter[i] = v
			want := (up - down) / float64(upAt-downAt)
			// A loss near 50 in float32 is good to 4e-6, over 2h to 4e-4; the difference itself errs by h²·f‴/6.
			if got := float64(gradient[p][i]); !(math.Abs(got-want) <= 2e-3*max(1, math.Abs(want))) {
				t.Errorf("parameter %d, entry %d: gradient %.5f, differences %.5f", p, i, got, want)
			}
		}
	}
}
