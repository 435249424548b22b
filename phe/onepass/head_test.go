package onepass

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"gophe/phe/disk/filetest"
)

// posterior integrates N(η; mu, q)·likelihood(η) on a fine grid: the exact mean and standard deviation.
func posterior(mu, q float64, logLikelihood func(eta float64) float64) (mean, sd float64) {
	const points = 2001 // of a smooth integrand: exact to many digits
	width := math.Sqrt(q)
	log := make([]float64, points)
	most := math.Inf(-1)
	at := func(i int) float64 { return mu + width*(80*float64(i)/(points-1)-40) }
	for i := range log {
		z := (at(i) - mu) / width
		log[i] = logLikelihood(at(i)) - z*z/2
		most = max(most, log[i])
	}
	total, second := 0.0, 0.0
	for i, l := range log {
		w := math.Exp(l - most)
		total += w
		mean += w * at(i)
	}
	mean /= total
	for i, l := range log {
		second += math.Exp(l-most) * (at(i) - mean) * (at(i) - mean)
	}
	return mean, math.Sqrt(second / total)
}

// worst returns the largest error of a head's posterior mean, in exact standard deviations, over means within ±6.
func worst(targets, variances []float64, logLikelihood func(eta, y float64) float64,
	gradient func(mu, q, y float64) (a, m float64)) (meanError float64) {
	for mu := -6.0; mu <= 6; mu += 0.5 {
		for _, q := range variances {
			for _, y := range targets {
				mean, sd := posterior(mu, q, func(eta float64) float64 { return logLikelihood(eta, y) })
				a, _ := gradient(mu, q, y)
				meanError = max(meanError, math.Abs(mu+q*a-mean)/sd)
			}
		}
	}
	return meanError
}

func bernoulliLog(eta, y float64) float64 { return -math.Log1p(math.Exp(-(2*y - 1) * eta)) }
func poissonLog(eta, y float64) float64   { return y*eta - math.Exp(eta) }

// classPull returns the function that gives gradient and curvature of a class.
func classPull(kind Approximation) func(mu, q, y float64) (a, m float64) {
	if kind == PlugIn {
		return func(mu, q, y float64) (a, m float64) { return plugIn(sigmoid(mu), q, y) }
	}
	return bernoulli
}

// Every rule's posterior of a logit against integration: in exact standard deviations, for tight beliefs and for wide
// ones. The bounds are the cost of each rule's approximation on this grid; the study's grid gave nearly the same.
func TestHeadsAgainstIntegration(t *testing.T) {
	tight, wide := []float64{0.01, 0.1, 0.3, 1}, []float64{3, 8, 20}
	classes, counts := []float64{0, 1}, []float64{0, 1, 3, 12}
	for _, c := range []struct {
		head        Head
		gradient    Approximation
		tight, wide float64
	}{
		{Bernoulli, MacKay, 0.15, 0.7}, {Bernoulli, PlugIn, 0.06, 4.9}, {Poisson, MacKay, 0.005, 0.56},
	} {
		targets, log := classes, bernoulliLog
		rule := classPull(c.gradient)
		if c.head == Poisson {
			targets, log = counts, poissonLog
			rule = func(mu, q, y float64) (float64, float64) { return poisson(c.gradient, mu, q, y) }
		}
		e := worst(targets, tight, log, rule)
		filetest.True(t, e <= c.tight, "%s, %s: the mean is %.4f standard deviations off with q up to 1; at most %g", c.head,
			c.gradient, e, c.tight)
		e = worst(targets, wide, log, rule)
		filetest.True(t, e <= c.wide, "%s, %s: the mean is %.4f standard deviations off with q up to 20; at most %g", c.head,
			c.gradient, e, c.wide)
	}
}

// The variance shrinks, and never below zero: q·m < 1 for all rules, and q·m ≤ 2/π for MacKay's.
func TestCurvature(t *testing.T) {
	for _, kind := range []Approximation{MacKay, PlugIn} {
		bound := 1.0
		if kind == MacKay {
			bound = 2 / math.Pi
		}
		for mu := -30.0; mu <= 30; mu += 0.25 {
			for q := 1e-8; q < 1e9; q *= 7 {
				for _, y := range []float64{0, 1} {
					if _, m := classPull(kind)(mu, q, y); !(m >= 0 && q*m <= bound+1e-15) {
						t.Fatalf("bernoulli, %s: mu %g, q %g, y %g give q·m = %g", kind, mu, q, y, q*m)
					}
				}
				for _, y := range []float64{0, 1, 1000} {
					if a, m := poisson(kind, mu, q, y); !(m >= 0 && q*m <= 1+1e-15) || math.IsNaN(a) || math.IsInf(a, 0) {
						t.Fatalf("poisson, %s: mu %g, q %g, y %g give a = %g, q·m = %g", kind, mu, q, y, a, q*m)
					}
				}
			}
		}
	}
}

// The closed form for independent logits is what elimination gives, for classes that are likely and not, and logits that are sure and not.
func TestIndependentLogits(t *testing.T) {
	s, rng := newSums(9), rand.New(rand.NewPCG(7, 7))
	for range 200 {
		s.weight = math.Exp(3 * rng.NormFloat64())
		for o := range s.outputs {
			s.mean[o], s.cov[o*s.outputs+o] = 5*rng.NormFloat64(), math.Exp(6*rng.NormFloat64())
		}
		filetest.True(t, s.independent(), "Q is diagonal")
		for _, kind := range []Approximation{MacKay, PlugIn} {
			p := slices.Clone(s.probabilities(kind))
			s.solveCurvature(kind, p)
			want := slices.Clone(s.curvature)
			s.independentCurvature(kind, p)
			for i, m := range s.curvature {
				filetest.Near(t, m, want[i], 1e-9*s.weight, "%s: entry %d of M", kind, i)
			}
		}
	}
}

// Softmax over the logits (η, 0) is the logistic function of η, for certain and uncertain η.
func TestSoftmaxOfTwo(t *testing.T) {
	for _, kind := range []Approximation{MacKay, PlugIn} {
		for _, q := range []float64{1e-12, 0.5, 8} {
			s := newSums(2)
			s.mean[0], s.cov[0] = 0.7, q
			s.softmaxGradient(kind, 0)
			a, m := s.gradient[0], s.curvature[0]
			// The damped second logit is 0 for any κ.
			wantA, wantM := classPull(kind)(0.7, q, 1)
			if kind == MacKay { // the safe form: M = L/(1 + qL)
				wantM = wantM / (1 + q*wantM)
			}
			filetest.Near(t, a, wantA, 1e-12, "%s, q = %g: gradient by softmax, and of one logit", kind, q)
			filetest.Near(t, m, wantM, 1e-12, "%s, q = %g: curvature by softmax, and of one logit", kind, q)
		}
	}
}

// A number of another unit is forecast as the same number: mean and deviation of a forecast follow the unit, and only the bias is less sure
// than before. A row that was predicted before the unit changed is learned as one that is predicted after it.
func TestRescale(t *testing.T) {
	for bits, most := range map[int]float64{0: 1e-6, 32: 1e-4} { // codes round
		testRescale(t, Shape{Columns: 2, Head: Gaussian, Memory: 16 << 10, BeliefBits: bits}, most)
	}
}

// The label of an item's latest row follows the unit too: to the bit, if the unit is a power of two times the one before.
func TestRescaleLatest(t *testing.T) {
	c := Stream(Shape{Columns: 1, Head: Gaussian})
	c.Standard, c.Latest = true, true
	m, row := mustNew(t, c), &Row{}
	row.Add(Cell{Share: 1, Key: 5}, 3, 4)
	for _, y := range []float64{0.5, 1.75, -1} {
		step(m, row, y)
	}
	m.evidence.weight[justBin].mean = 1
	before := m.Predict(row).Mean
	m.Rescale(0.25, 0)
	filetest.Near(t, m.Predict(row).Mean, 0.25*before, 1e-9, "the mean in a unit four times as large")
	forged := m.Beliefs()
	forged.Lists[evidenceMeans][0] = float64(math.Float32frombits(noNumber))
	check(t, m.SetBeliefs(forged))
	filetest.Want(t, m.evidence.latestLabel(0), 0, "an infinite label in a file")
}

// With Level, a mean is bounded only if it grows, and the row at hand is forecast as before: what the bound takes off it goes to the bias.
func TestRescaleLevel(t *testing.T) {
	for _, level := range []bool{false, true} {
		c := Stream(Shape{Columns: 1, Head: Gaussian})
		c.Standard, c.Level = true, level
		m, row := mustNew(t, c), &Row{}
		row.Add(Cell{Share: 1, Key: 5}, 3, 4)
		before, slots := 0.0, m.parts[0].(*weights[float32]).slots
		for _, change := range []struct {
			by           float64
			entry, after float32 // after: with Level
		}{{2, 2, 3}, {0.5, 8, 4}, {2, 4, 4}, {1, 4, 4}} {
			slots[3].mean = change.entry
			before = m.Predict(row).Mean
			m.Rescale(change.by, -7)
			want := min(change.after, mostMean)
			if level {
				want = change.after
			}
			filetest.Want(t, slots[3].mean, want, "level %t: an entry of %g", level, change.entry)
			got := m.Predict(row).Mean
			filetest.Want(t, math.Abs(got-(change.by*before-7)) < 1e-5, level, "level %t: a forecast of %g turns to %g", level, before, got)
		}
	}
}

func testRescale(t *testing.T, s Shape, most float64) {
	c := Stream(s)
	c.Standard = true
	e := filetest.Must(NewEncoder(c, []string{"a", "b"}))(t)
	rng := rand.New(rand.NewPCG(5, 6))
	row := func() (*Row, float64) {
		a, b := rng.IntN(9), rng.IntN(9)
		e.Item(0, fmt.Sprint(a))
		e.Item(1, fmt.Sprint(b))
		return e.Row(), float64(a-4)/4 + float64(b%2)/2 + 0.1*rng.NormFloat64()
	}
	m := mustNew(t, c)
	for range 2000 {
		r, y := row()
		m.Predict(r)
		m.Update(y, 1)
	}
	for _, change := range []struct{ by, shift float64 }{{0.25, 3}, {1.5, -0.5}, {1, 7}} {
		r, y := row()
		old, open := m.Predict(r), m.evidence.bias[0].variance
		other := mustNew(t, c)
		check(t, other.SetBeliefs(m.Beliefs()))
		m.Rescale(change.by, change.shift) // between forecast and label
		other.Rescale(change.by, change.shift)
		got := other.Predict(r)
		sure := change.by == 1 && math.Abs(got.Spread*got.Spread-old.Spread*old.Spread-openBias+open) > 1e-9
		filetest.True(t, math.Abs(got.Mean-(change.by*old.Mean+change.shift)) <= most && !sure,
			"%d bits, %+v: %+v turns to %+v", s.BeliefBits, change, old, got)
		for _, l := range []*Model{m, other} {
			l.Update(change.by*y+change.shift, 1)
		}
		after, want := m.Predict(r), other.Predict(r)
		filetest.Want(t, after.Mean, want.Mean, "%+v: the mean after the change", change)
		filetest.Want(t, after.Variance, want.Variance, "%+v: the variance after the change", change)
	}
	filetest.True(t, m.target.noise*1e12 >= 1, "the noise is %g, which the next unit does not bring above 1", m.target.noise)
	m.Rescale(1e6, 0)
	filetest.Want(t, m.target.noise, 1, "the noise in a unit that is a million times smaller")
	largest := floats.Norm(m.Beliefs().Tables[tableE].Mean, math.Inf(1))
	filetest.True(t, largest <= mostMean, "an entry is ±%v after the unit became a million times smaller", largest)
}
