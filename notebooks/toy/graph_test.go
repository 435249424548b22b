package toy_test

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distmv"

	"gophe/notebooks/toy"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn/likelihood"
)

func TestCompile(t *testing.T) {
	got := toy.Compile(func(a []*graph.Node) []*graph.Node {
		return []*graph.Node{graph.Add(a[0], a[1]), graph.ReduceAllSum(a[0])}
	})([]float64{1, 2}, []float64{3, 4})
	filetest.Want(t, [2]float64{got[0][1], got[1][0]}, [2]float64{6, 3}, "a sum of two rows, and of one row's numbers")
}

// The sums that the library draws have the mean and the spread of the closed form, and a row that is used twice is drawn twice by
// scheme two.
func TestEmbed(t *testing.T) {
	const n = 1 << 15
	data := toy.Conjugate{X: [][]float64{{1, 1, 0}, {0, 0, 2}}, Y: []float64{0, 0}, NoiseStdDev: 1}
	q := toy.Independent([]float64{1, -2, 0.5}, []float64{0.3, 0.4, 0.5})
	for scheme, variances := range map[phe.Scheme][2]float64{phe.Table: {0.25, 1}, phe.Fresh: {0.25, 0.5}, phe.Quadrature: {0.25, 0.5}} {
		sums := toy.Compile(func(a []*graph.Node) []*graph.Node {
			drawn := data.Embed(phe.Tables{E: phe.FromLogStdDev(a[0], a[1])}, scheme, n)
			sum := func(i int) *graph.Node { return graph.Slice(drawn, graph.AxisRange(), graph.AxisElem(i)) }
			return []*graph.Node{sum(0), sum(1)}
		})(q.Mean(nil), toy.LogStdDevs(q))
		for i, want := range []float64{-1, 1} {
			mean, variance := stat.PopMeanVariance(sums[i], scheme.SampleWeights())
			filetest.Near(t, mean, want, 0.02, "%s", string(scheme)+" mean")
			filetest.Near(t, variance, variances[i], 0.03, "%s", string(scheme)+" variance")
		}
	}
}

// The library's objective by quadrature is the closed form, to the digits of single precision.
func TestObjective(t *testing.T) {
	data, prior := toy.SharedRow(6, 1, 0.5), toy.Standard(3)
	q := toy.Independent([]float64{0.5, -0.2, 1}, []float64{0.3, 0.6, 0.2})
	got := toy.Value(func(a []*graph.Node) *graph.Node {
		tables := phe.Tables{E: phe.FromLogStdDev(a[0], a[1])}
		logs := likelihood.Gaussian(0.5).LogProb(data.Embed(tables, phe.Quadrature, 0), toy.Row(a[0].Graph(), data.Y))
		terms := graph.InsertAxes(phe.Expected.Reduce(logs, phe.Quadrature.SampleWeights()), 0)
		return phe.NegativeELBO(terms, graph.OnesLike(terms), graph.Const(a[0].Graph(), float32(6)), tables.KL(tables.StandardPrior()), 1)
	}, q)
	filetest.Near(t, -got, data.ELBO(q, prior), 1e-5*math.Abs(got), "library's ELBO")
}

// The best belief by search is the best in closed form.
func TestBest(t *testing.T) {
	data, prior := toy.SharedRow(6, 1, 0.5), toy.Standard(3)
	found := toy.Best(3, func(q *distmv.Normal) float64 { return data.ELBO(q, prior) })
	filetest.Near(t, data.ELBO(found, prior), data.ELBO(data.MeanField(prior), prior), 1e-6, "ELBO")
	filetest.Near(t, data.MeanSquare(found), data.MeanSquare(data.MeanField(prior)), 1e-3, "mean square")
}

func TestNoisy(t *testing.T) {
	y := toy.Noisy(0.7, 10_000)
	mean, variance := stat.MeanVariance(y, nil)
	filetest.Near(t, mean, 0.7, 0.04, "the mean") // four standard errors
	filetest.Near(t, variance, 1, 0.06, "the variance")
	filetest.Want(t, toy.Noisy(0.7, 10), y[:10], "the numbers of a second call")
}
