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

// wantMoments checks samples of a row's logit against its mean and variance in closed form, within five standard errors: √(Var/n)
// and √((m₄ − Var²)/n). The key fixes the numbers.
func (m toy) wantMoments(t *testing.T, x []float64, row int, shared bool) {
	t.Helper()
	wantMean, wantVariance := m.analytic(row, shared)
	mean, variance := stat.MeanVariance(x, nil)
	fourth, n := stat.Moment(4, x, nil), float64(len(x))
	filetest.Near(t, mean, wantMean, 5*math.Sqrt(variance/n), "%s, row %d: mean", m.config.Assembly, row)
	filetest.Near(t, variance, wantVariance, 5*math.Sqrt((fourth-variance*variance)/n), "%s, row %d: variance", m.config.Assembly, row)
}

func toys() map[string]toy {
	return map[string]toy{
		"weighted-sum": newToy(phe.WeightedSum, 1), "sum": newToy(phe.PlainSum, 2), "mean": newToy(phe.Average, 3),
		"vocabulary": newVocabularyToy(),
	}
}

// The logit's mean and variance under every scheme equal the closed form (see sampling.md: "Why the noise is unnecessary"). Under
// Table they equal the closed form for shared draws. Local by way of embeddings, as heads of several logits take it, has the same
// moments, hence the covariance of an embedding's coordinates through W, in every assembly.
func TestSchemeMoments(t *testing.T) {
	const samples = 40009
	for name, m := range toys() {
		for i, scheme := range []phe.Scheme{phe.Local, phe.Local, phe.Fresh, phe.Items, phe.Moments, phe.Table} {
			m.embedded = i == 0
			t.Run(fmt.Sprintf("%s/%s/embedded %t", name, scheme, m.embedded), func(t *testing.T) {
				for row, x := range m.sample(t, scheme, samples) {
					m.wantMoments(t, x, row, scheme == phe.Table)
				}
			})
		}
	}
}

// Quadrature has no noise: its weighted nodes have the mean and variance exactly, to float32.
func TestQuadratureMoments(t *testing.T) {
	weights := phe.Quadrature.SampleWeights()
	for name, m := range toys() {
		for row, x := range m.sample(t, phe.Quadrature, 1) {
			filetest.Want(t, len(x), len(weights), "samples")
			wantMean, wantVariance := m.analytic(row, false)
			var mean, variance float64
			for i, w := range weights {
				mean += w * x[i]
			}
			for i, w := range weights {
				variance += w * (x[i] - mean) * (x[i] - mean)
			}
			filetest.Near(t, mean, wantMean, 1e-5, "%s, row %d: mean", name, row)
			filetest.Near(t, variance, wantVariance, 1e-5*max(1, wantVariance), "%s, row %d: variance", name, row)
		}
	}
	filetest.True(t, phe.Fresh.SampleWeights() == nil && phe.Moments.SampleWeights() == nil,
		"sampling schemes weigh all samples the same")
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
		filetest.Near(t, b, a, 5*math.Hypot(aErr, bErr), "row %d: excess kurtosis under local, and under rows", row)
		c, cErr := kurtosis(embedded[row])
		filetest.Near(t, c, a, 5*math.Hypot(aErr, cErr), "row %d: excess kurtosis under local by way of embeddings, and under rows", row)
		filetest.True(t, a >= 5*aErr,
			"row %d: excess kurtosis %.3f ± %.3f does not tell the distribution from a Gaussian: the toy is too tame", row, a, aErr)
		c, cErr = kurtosis(moments[row])
		filetest.Near(t, c, 0, 5*cErr, "row %d: excess kurtosis under moments", row)
	}
}

// Rows of a batch with the same items: Fresh and Local draw separately for each, and Items and Table share the draws.
func TestSchemesShareDrawsBetweenRows(t *testing.T) {
	const samples = 5003
	m := newToy(phe.WeightedSum, 4)
	m.index = []int32{0, 2, 0, 2, 1, 3}
	for _, scheme := range []phe.Scheme{phe.Fresh, phe.Local, phe.Moments, phe.Items, phe.Table} {
		share := scheme == phe.Items || scheme == phe.Table
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
			filetest.Near(t, float64(gradient[p][i]), want, 2e-3*max(1, math.Abs(want)),
				"parameter %d, entry %d: gradient, and differences", p, i)
		}
	}
}
