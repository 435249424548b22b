package count

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"gophe/phe/disk/filetest"
)

func Example() {
	cells, err := NewCells(1, 2, 6, 7, 12, 13) // 1, 2 … 5, 6, 7 … 11, 12, and more than 12
	if err != nil {
		fmt.Println(err)
		return
	}
	forecast := Histogram(cells, []float64{0.3, 0, 0, 0, 0.6, 0.1})
	fmt.Printf("median %.0f, mean %.0f, log probability of a dozen %.2f, P(Y ≤ 24) %.1f\n",
		forecast.Quantile(0.5), forecast.Mean(), forecast.LogProbability(12), forecast.CDF(24))
	// Output: median 12, mean 15, log probability of a dozen -0.51, P(Y ≤ 24) 1.0
}

// random returns a generator of distributions of all kinds.
func random(seed uint64) func() Distribution {
	r := rand.New(rand.NewPCG(seed, 95))
	positive := func(n int, spread float64) []float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = math.Exp(spread * r.NormFloat64())
		}
		return values
	}
	kind := 0
	return func() Distribution {
		kind++
		n := 1 + r.IntN(5)
		switch kind % 4 {
		case 0:
			p := positive(95, 3)
			floats.Scale(1/floats.Sum(p), p)
			return Histogram(dozens(), p)
		case 1:
			return Poisson(positive(n, 2)...)
		case 2:
			return Mixture(r.Float64(), Poisson(positive(n, 2)...), NegativeBinomial(positive(n, 2), positive(n, 2)))
		default:
			return NegativeBinomial(positive(n, 2), positive(n, 2))
		}
	}
}

// TestConsistent holds a distribution's methods against sums of its probabilities: CDF, median, mean.
func TestConsistent(t *testing.T) {
	next := random(1)
	for range 150 {
		d := next()
		sum, mean, median := 0.0, 0.0, -1.0
		for y := 0; y <= 3000 && sum < 1-1e-12; y++ {
			p := math.Exp(d.LogProbability(y))
			if from, to := d.CDF(y-1), d.CDF(y); !(math.Abs(from-sum) <= 1e-7) || !(math.Abs(to-sum-p) <= 1e-7) {
				t.Fatalf("%v: the CDF before and at %d is %v and %v, the sums say %v and %v", d, y, from, to, sum, sum+p)
			}
			sum += p
			mean += p * float64(y)
			if cdf := d.CDF(y); !(math.Abs(cdf-sum) <= 1e-7) { // RegIncBeta's worst is 3e-9, peizerPratt's 3e-7 further out
				t.Fatalf("%v: P(Y ≤ %d) is %v, the sum %v", d, y, cdf, sum)
			}
			if median < 0 && d.CDF(y) >= 0.5 { // not the sum, which rounds otherwise
				median = float64(y)
			}
		}
		filetest.Want(t, d.Quantile(0.5), median, "%v: the median, by counting", d)
		if sum >= 1-1e-12 {
			filetest.Near(t, d.Mean()/mean, 1, 1e-7, "%v: the mean, and the sum", d)
		}
	}
}

func TestClosedForms(t *testing.T) {
	geometric := NegativeBinomial([]float64{3}, []float64{1}) // P(Y = y) = ¼ ¾ʸ
	poisson := Poisson(0.5, 4)
	for _, test := range []struct {
		what      string
		got, want float64
	}{
		{"geometric log probability", geometric.LogProbability(5), math.Log(0.25) + 5*math.Log(0.75)},
		{"geometric CDF", geometric.CDF(5), 1 - math.Pow(0.75, 6)},
		{"geometric median", geometric.Quantile(0.5), 2}, // 1 − ¾³ = 37/64
		{"Poisson mixture at 0", poisson.LogProbability(0), math.Log((math.Exp(-0.5) + math.Exp(-4)) / 2)},
		{"Poisson mixture CDF", poisson.CDF(1), (1.5*math.Exp(-0.5) + 5*math.Exp(-4)) / 2},
		{"Poisson mixture mean", poisson.Mean(), 2.25},
		{"impossible", math.Exp(poisson.LogProbability(-1)), 0},
		{"below 0", poisson.CDF(-1) + geometric.CDF(-1), 0},
		{"Poisson as a limit", NegativeBinomial([]float64{4}, []float64{1e9}).LogProbability(7), Poisson(4).LogProbability(7)},
		{"certain 0", NegativeBinomial([]float64{4}, []float64{0}).Quantile(0.5), 0},
		{"rate 0", Poisson(0).LogProbability(0), 0},
	} {
		filetest.Near(t, test.got, test.want, 1e-8, "%s", test.what)
	}
}

// TestExtremes: the median is found, and is a number, for every parameter that a network's exponential can give. For
// large rates it is the mean up to 1 (Poisson), and mean·log 2 for the exponential distribution that dispersion 1 tends to.
func TestExtremes(t *testing.T) {
	for _, rate := range []float64{0, 5e-324, 1e-30, 1e-3, 0.69, 0.7, 1, 20, 200, 1e3, 1e5, 1e7, 1e9, 1e12} {
		got := Poisson(rate).Quantile(0.5)
		filetest.True(t, got == 0 || rate-1 < got && got < rate+1, "Poisson of rate %g has median %v", rate, got)
		for _, dispersion := range []float64{0, 5e-324, 1e-30, 1e-3, 1, 1e3, 1e6, 1e9, 1e30, math.MaxFloat64, math.Inf(1)} {
			d := NegativeBinomial([]float64{rate}, []float64{dispersion})
			got := d.Quantile(0.5)
			filetest.True(t, 0 <= got && got <= rate+1, "mean %g, dispersion %g: median %v", rate, dispersion, got)
			for _, y := range []int{0, 1, 12, 80995, 1e9} {
				p, cdf := d.LogProbability(y), d.CDF(y)
				filetest.True(t, p <= 1e-4, "mean %g, dispersion %g: log P(%d) is %v", rate, dispersion, y, p)
				filetest.True(t, 0 <= cdf && cdf <= 1, "mean %g, dispersion %g: CDF of %d is %v", rate, dispersion, y, cdf)
			}
		}
	}
	got := NegativeBinomial([]float64{1e9}, []float64{1}).Quantile(0.5)
	filetest.Near(t, got/1e9, math.Ln2, 1e-5, "the geometric distribution's median, for 1 of mean") // log beta of 1e9 cancels
}

// TestDiverged: an infinite rate is valid, and NaN shows in the answers.
func TestDiverged(t *testing.T) {
	infinite, nan := math.Inf(1), math.NaN()
	// the ¾ quantile of the finite rate
	filetest.Want(t, Poisson(2, 2, infinite).Quantile(0.5), 3, "the median with one infinite rate of three")
	filetest.Want(t, Poisson(2, infinite, infinite).Quantile(0.5), infinite, "the median with two infinite rates of three")
	broken := make([]float64, 95)
	broken[7] = nan
	for _, d := range []Distribution{
		Poisson(1, nan), Poisson(1, -1), Poisson(),
		NegativeBinomial([]float64{nan}, []float64{1}), NegativeBinomial([]float64{1}, []float64{nan}),
		Histogram(dozens(), broken),
	} {
		for _, got := range []float64{d.Quantile(0.5), d.Mean(), d.CDF(8), d.LogProbability(8)} {
			filetest.True(t, math.IsNaN(got), "%v: %v", d, got)
		}
	}
}

func TestHistogramAllocatesNothing(t *testing.T) {
	h := random(2)
	h()
	h()
	d := h()
	n := testing.AllocsPerRun(100, func() { d.LogProbability(700); d.CDF(55); d.Quantile(0.5); d.Mean() })
	filetest.Want(t, n, 0, "allocations")
}

// A median is the first integer that reaches ½, also where it does so exactly.
func TestMedianIsReached(t *testing.T) {
	for y := range 20 {
		cdf := func(at int) float64 { return []float64{0.25, 0.5, 0.75}[1+cmp.Compare(at, y)] }
		filetest.Want(t, quantile(cdf, 0.5), float64(y), "the median, where ½ is reached at %d", y)
	}
}
