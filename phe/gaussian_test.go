package phe_test

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"gophe/phe"
	"gophe/phe/internal/nettest"

	"gophe/phe/disk/filetest"
)

// randomBelief is a table of means and log σ, deviations within a factor e of each other.
func randomBelief(rng *rand.Rand, rows, dim int) (mean, logStdDev []float32) {
	for range rows * dim {
		mean = append(mean, float32(rng.NormFloat64()))
		logStdDev = append(logStdDev, float32(rng.Float64()-1))
	}
	return
}

func table(flat []float32, dims ...int) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(append([]float32{}, flat...), dims...)
}

func TestKLClosedForm(t *testing.T) {
	const rows, dim = 5, 3
	rng := rand.New(rand.NewPCG(1, 1))
	qm, qs := randomBelief(rng, rows, dim)
	pm, ps := randomBelief(rng, rows, dim)
	got := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
		return []*Node{phe.KL(phe.FromLogStdDev(a[0], a[1]), phe.FromLogStdDev(a[2], a[3]))}
	}, table(qm, rows, dim), table(qs, rows, dim), table(pm, rows, dim), table(ps, rows, dim))[0][0]
	want := 0.0
	for i := range qm {
		q := distuv.Normal{Mu: float64(qm[i]), Sigma: math.Exp(float64(qs[i]))}
		p := distuv.Normal{Mu: float64(pm[i]), Sigma: math.Exp(float64(ps[i]))}
		want += distuv.KullbackLeibler{}.DistNormal(q, p)
	}
	// 15 float32 terms of size about 1.
	filetest.Near(t, float64(got), want, 1e-5*want, "KL")
}

// At q = p the divergence and its gradient are exactly 0: a row without data stays where it is.
func TestKLAtItselfIsZero(t *testing.T) {
	const rows, dim = 7, 5
	mean, logStdDev := randomBelief(rand.New(rand.NewPCG(2, 2)), rows, dim)
	logStdDev[0], logStdDev[1] = -10, 3 // the authors' start, and a wide one
	got := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
		kl := phe.KL(phe.FromLogStdDev(a[0], a[1]), phe.FromLogStdDev(a[2], a[3]))
		return append([]*Node{kl}, Gradient(kl, a[0], a[1])...)
	}, table(mean, rows, dim), table(logStdDev, rows, dim), table(mean, rows, dim), table(logStdDev, rows, dim))
	for i, values := range got {
		for _, v := range values {
			filetest.Want(t, v, 0, "result %d (KL, gradient of mean, of log σ)", i)
		}
	}
}

func TestKLOfPointEstimateIsZero(t *testing.T) {
	got := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
		q := phe.FromLogStdDev(a[0], nil)
		both := phe.Tables{E: q, W: q}
		return []*Node{phe.KL(q, phe.Tables{E: q}.StandardPrior().E), both.KL(both), both.KLOfRuns(both, 1)}
	}, table([]float32{1, 2}, 1, 2))
	filetest.Want(t, got, [][]float32{{0}, {0}, {0}}, "KL")
}

// Each of several runs has the KL of both of its own tables, and their sum is the KL of all.
func TestKLOfRuns(t *testing.T) {
	const runs = 3
	mean, logStdDev := randomBelief(rand.New(rand.NewPCG(5, 5)), 2*runs, 2)
	got := nettest.Call(t, nettest.Backend(t), func(a []*Node) (kl []*Node) {
		tables := func(from, to int) phe.Tables {
			rows := func(x *Node) *Node { return Slice(x, AxisRange(2*from, 2*to)) }
			return phe.Tables{E: phe.FromLogStdDev(rows(a[0]), rows(a[1])), W: phe.FromLogStdDev(rows(a[1]), rows(a[0]))}
		}
		all := tables(0, runs)
		kl = []*Node{all.KLOfRuns(all.StandardPrior(), runs), all.KL(all.StandardPrior())}
		for run := range runs {
			own := tables(run, run+1)
			kl = append(kl, own.KL(own.StandardPrior()))
		}
		return kl
	}, table(mean, 2*runs, 2), table(logStdDev, 2*runs, 2))
	sum := float32(0)
	for run, kl := range got[0] {
		sum += kl
		filetest.Near(t, kl, got[2+run][0], 1e-5*float64(kl), "the KL of run %d, which it has alone", run)
	}
	filetest.Want(t, len(got[0]), runs, "runs")
	filetest.Near(t, sum, got[1][0], 1e-5*float64(sum), "the sum of the KL of the runs")
}

// Samples have the belief's moments; a point estimate returns itself.
func TestSampleMoments(t *testing.T) {
	const samples, rows, dim = 20011, 3, 2
	mean, logStdDev := randomBelief(rand.New(rand.NewPCG(3, 3)), rows, dim)
	got := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
		noise := phe.Noise{Keys: a[2]}.Normal(1, samples, rows, dim)
		return []*Node{phe.Sample(phe.FromLogStdDev(a[0], a[1]), noise), phe.Sample(phe.FromLogStdDev(a[0], nil), nil)}
	}, table(mean, rows, dim), table(logStdDev, rows, dim), []uint32{17})
	for i := range mean {
		draws := make([]float64, samples)
		for s := range draws {
			draws[s] = float64(got[0][s*rows*dim+i])
		}
		m, variance := stat.MeanVariance(draws, nil)
		sigma := math.Exp(float64(logStdDev[i]))
		// Five standard errors: σ/√n of the mean, σ²·√(2/n) of the variance. The numbers are fixed by the key.
		filetest.Near(t, m, float64(mean[i]), 5*sigma/math.Sqrt(samples), "entry %d: mean", i)
		filetest.Near(t, variance, sigma*sigma, 5*sigma*sigma*math.Sqrt(2.0/samples), "entry %d: variance", i)
		filetest.Want(t, got[1][i], mean[i], "entry %d of a point estimate", i)
	}
}
