package onepass

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"gophe/phe/disk/filetest"
)

// linear is a model for a number whose θ and W are certain: its logit is linear in E and the block, so that a full
// covariance makes it exact.
func linear(t *testing.T) *Model {
	t.Helper()
	c := Paper(2, 1, 1)
	c.Dim, c.Hashes, c.Buckets, c.WeightRows = 2, 2, 5, 3
	c.Head, c.Noise, c.Joint = Gaussian, 0.25, true
	c.Prior = Prior{E: 1, W: 0, Theta: 0, Block: 4}
	return mustNew(t, c)
}

// linearRows are rows for it with their targets.
func linearRows(rng *rand.Rand, n int) (rows []Row, targets []float64) {
	for range n {
		row := Row{Numbers: []float64{rng.NormFloat64()}}
		for c := range 2 {
			a, b := rng.Int32N(5), rng.Int32N(5)
			row.Add(Cell{Column: int32(c), Share: 1, Weights: rng.Int32N(3)}, a, b)
		}
		rows, targets = append(rows, row), append(targets, 2*rng.NormFloat64())
	}
	return rows, targets
}

// Prop. 3.1, by rows: where the model is linear and Gaussian and keeps all covariances, the beliefs after forty rows are the
// exact posterior of all forty, in any order.
func TestExactInAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rows, targets := linearRows(rng, 40)
	for range 5 {
		l := linear(t)
		f := l.Beliefs()
		means := f.Tables[tableE].Mean
		precision, information := mat.NewSymDense(len(means)+2, nil), mat.NewVecDense(len(means)+2, nil) // Bayes' rule is addition here
		for i := range len(means) + 2 {
			precision.SetSym(i, i, 1)
		}
		// The unknowns are E's deviations from the drawn means and the block's entries in units of its prior's deviation.
		order := rng.Perm(len(rows))
		for _, i := range order {
			x := mat.NewVecDense(len(means)+2, design(l, &rows[i], len(means)))
			precision.SymRankOne(precision, 1/0.25, x)
			information.AddScaledVec(information, (targets[i]-certain(l, &rows[i], means))/0.25, x)
		}
		for _, i := range order {
			step(l, &rows[i], targets[i])
		}
		var want, covariance mat.Dense
		check(t, covariance.Inverse(precision))
		want.Mul(&covariance, information)
		got := l.Beliefs()
		for i, m := range got.Tables[tableE].Mean {
			filetest.Near(t, m, means[i]+want.At(i, 0), 1e-10, "the mean of entry %d of E", i)
			filetest.Near(t, got.Tables[tableE].Variance[i], covariance.At(i, i), 1e-10, "the variance of entry %d of E", i)
		}
		for i, m := range got.Lists[blockMean] {
			filetest.Near(t, m, 2*want.At(len(means)+i, 0), 1e-10, "the mean of number %d of the block", i)
		}
	}
}

// design is the derivative of a row's logit by E's entries and by the block's, in units of their prior deviations.
func design(l *Model, row *Row, entries int) []float64 {
	x := make([]float64, entries+2)
	l.read(row)
	e := &l.joint.embedding.e
	for k, b := range e.touched.keys {
		for i := range 2 {
			x[int(b)*2+i] = e.gradients[k*2+i]
		}
	}
	x[entries], x[entries+1] = 2*row.Numbers[0], 2
	return x
}

// certain returns a row's logit at the initial means, by explicit sums.
func certain(l *Model, row *Row, means []float64) (logit float64) {
	e := l.joint.embedding
	for j, c := range row.Cells {
		for k, b := range row.Slots[2*j : 2*j+2] {
			for i := range 2 {
				logit += e.theta.mean[int(c.Column)*2+i] * e.w.mean[int(c.Weights)*2+k] * means[int(b)*2+i]
			}
		}
	}
	return logit
}

// A full covariance learns the first row as independent variances do, since nothing is correlated yet. Then it differs.
func TestJointStartsAsDiagonal(t *testing.T) {
	for _, outputs := range []int{1, 3} {
		c := Paper(2, 2, outputs)
		c.Dim, c.Hashes, c.Buckets, c.WeightRows, c.Prior = 3, 2, 5, 3, Prior{E: 0.5, W: 0.3, Theta: 0.2, Block: 2}
		diagonal := mustNew(t, c)
		c.Joint = true
		joint := mustNew(t, c)
		row := Row{Numbers: []float64{0.3, -1}}
		row.Add(Cell{Column: 0, Share: 1, Weights: 2}, 1, 4)
		row.Add(Cell{Column: 1, Share: 1, Weights: 2}, 4, 4)
		step(diagonal, &row, 1)
		step(joint, &row, 1)
		a := diagonal.Beliefs()
		b := joint.Beliefs()
		for _, name := range []string{tableE, tableW, tableTheta} {
			for i, m := range a.Tables[name].Mean {
				filetest.Near(t, b.Tables[name].Mean[i], m, 1e-12, "%d outputs: number %d of %s, and with independent variances",
					outputs, i, name)
				filetest.Near(t, b.Tables[name].Variance[i], a.Tables[name].Variance[i], 1e-12,
					"%d outputs: variance %d of %s, and of independent variances", outputs, i, name)
			}
		}
		next := Row{Numbers: []float64{1, 1}, Cells: row.Cells, Slots: row.Slots}
		step(diagonal, &next, 0)
		step(joint, &next, 0)
		a = diagonal.Beliefs()
		b = joint.Beliefs()
		filetest.True(t, math.Abs(a.Tables[tableE].Mean[12]-b.Tables[tableE].Mean[12]) >= 1e-6,
			"%d outputs: after a second row one covariance still learns as independent variances do", outputs)
	}
}

// streamOf makes rows for the paper's preset with labels by a rule of the items.
func streamOf(c Config, n int) (rows []Row, labels []float64) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range n {
		row := Row{Numbers: []float64{10 * rng.NormFloat64()}}
		label := 0
		for column := range c.Columns {
			item := rng.IntN(30)
			label += item
			hash := rand.New(rand.NewPCG(uint64(item), uint64(column)))
			row.Add(Cell{Column: int32(column), Share: 1, Weights: hash.Int32N(int32(c.WeightRows))})
			for range c.Hashes {
				row.Slots = append(row.Slots, hash.Uint32N(uint32(c.Buckets)))
			}
		}
		rows, labels = append(rows, row), append(labels, float64(label%max(2, c.Outputs)))
	}
	return rows, labels
}

// From a posterior of σ = 1e-4 a few rows change nothing: the model forecasts as a frozen one. (The published update, fifteen epochs of a
// fresh Adam, moves it all the same.)
func TestTightStaysFrozen(t *testing.T) {
	c := Paper(3, 1, 1)
	c.Prior = Prior{E: 1e-8, W: 1e-8, Theta: 1e-8, Block: 1e-8}
	rows, labels := streamOf(c, 100)
	frozen, _ := New(c)
	learned := mustNew(t, c)
	for i := range rows {
		step(learned, &rows[i], labels[i])
	}
	for i := range rows {
		a, b := frozen.Predict(&rows[i]).Mean, learned.Predict(&rows[i]).Mean
		filetest.Near(t, b, a, 1e-3, "row %d by the frozen model, 100 rows later", i)
	}
}

// From nothing, with variances of 3 and large inputs, beliefs stay finite: MacKay's gradient is damped where beliefs are wide. So
// do counts, whose rate is an exponential.
func TestFiniteFromNothing(t *testing.T) {
	counts := Paper(4, 1, 1)
	counts.Head = Poisson
	for _, c := range []Config{Paper(4, 1, 1), Paper(4, 1, 7), counts} {
		c.Prior = Prior{E: 3, W: 3, Theta: 3, Block: 10}
		l := mustNew(t, c)
		rows, labels := streamOf(c, 3000)
		for i := range rows {
			f := l.Predict(&rows[i])
			if !isFinite(f.Logit, f.Spread) {
				t.Fatalf("%s, %d outputs, row %d: logit %g ± %g", c.Head, c.Outputs, i, f.Logit, f.Spread)
			}
			step(l, &rows[i], labels[i])
		}
		for name, table := range l.Beliefs().Tables {
			for i, v := range table.Variance {
				m := table.Mean[i]
				filetest.True(t, v > 0 && isFinite(m, v), "%s, %d outputs, %s: entry %d is N(%g, %g)", c.Head, c.Outputs, name, i, m, v)
			}
		}
	}
}

// isFinite tells whether all numbers are finite.
func isFinite(numbers ...float64) bool {
	return !math.IsInf(floats.Norm(numbers, 1), 1) && !floats.HasNaN(numbers)
}

// The belief about products w·e after one row, against importance sampling. W's means are .012 off (root of the mean square,
// in prior deviations) where Q has the products' own variance, and .022 where it has not.
func TestProductsAgainstSampling(t *testing.T) {
	own, without := productError(t, true), productError(t, false)
	filetest.True(t, own <= 0.015, "W's means are %.4f off with the product's variance", own)
	filetest.True(t, without >= 1.5*own, "W's means are %.4f off without the product's variance, and %.4f with it", without, own)
}

// productError returns the root mean square error of W's means after one row, over rows and labels.
func productError(t *testing.T, withProduct bool) float64 {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 8))
	sum, count := 0.0, 0.0
	for trial := range 6 {
		c := Paper(2, 0, 1)
		c.Dim, c.Hashes, c.Buckets, c.WeightRows, c.Seed = 4, 2, 5, 3, int64(trial)
		c.Prior = Prior{E: 1, W: 1, Theta: 0, Block: 0}
		l := mustNew(t, c)
		row := Row{}
		for column := range 2 {
			row.Add(Cell{Column: int32(column), Share: 1, Weights: int32(column)}, int32(2*column), int32(2*column+1))
		}
		e := l.parts[0].(*embedding)
		label := float64(trial % 2)
		want := sampledMeans(rng, e, &row, label, 100_000)
		if withProduct {
			step(l, &row, label)
		} else {
			learnWithoutProduct(l, &row, label)
		}
		for i, w := range want {
			sum += (e.w.mean[i] - w) * (e.w.mean[i] - w)
			count++
		}
	}
	return math.Sqrt(sum / count)
}

// learnWithoutProduct leaves the variance v_w·v_e of a product out of Q.
func learnWithoutProduct(l *Model, row *Row, label float64) {
	s := l.read(row)
	e := l.parts[0].(*embedding)
	for j, c := range row.Cells {
		for k, b := range row.Slots[j*e.Hashes : (j+1)*e.Hashes] {
			theta := e.theta.mean[int(c.Column)*e.Dim:][:e.Dim]
			for i, v := range e.e.variance[int(b)*e.Dim:][:e.Dim] {
				s.cov[0] -= e.w.variance[int(c.Weights)*e.Hashes+k] * v * theta[i] * theta[i]
			}
		}
	}
	l.linearise(s, label)
	for _, p := range l.parts {
		p.write(row, s)
	}
}

// sampledMeans returns the posterior means of the W entries that the row touches, by weighing draws of the prior with the
// label's probability. Draws come in antithetic pairs.
func sampledMeans(rng *rand.Rand, e *embedding, row *Row, label float64, draws int) []float64 {
	touched := len(row.Cells) * e.Hashes
	sums, total := make([]float64, touched), 0.0
	w, noise := make([]float64, touched), make([]float64, touched*(1+e.Dim))
	for range draws / 2 {
		for i := range noise {
			noise[i] = rng.NormFloat64()
		}
		for _, sign := range []float64{1, -1} {
			logit, at := 0.0, 0
			for j, c := range row.Cells {
				for k, b := range row.Slots[j*e.Hashes : (j+1)*e.Hashes] {
					x := noise[at*(1+e.Dim):]
					w[at] = e.w.mean[int(c.Weights)*e.Hashes+k] + sign*x[0]
					for i := range e.Dim {
						logit += w[at] * (e.e.mean[int(b)*e.Dim+i] + sign*x[1+i]) * e.theta.mean[int(c.Column)*e.Dim+i]
					}
					at++
				}
			}
			likelihood := math.Exp(bernoulliLog(logit, label))
			total += likelihood
			for i, v := range w {
				sums[i] += likelihood * v
			}
		}
	}
	means := append([]float64(nil), e.w.mean...)
	for j, c := range row.Cells {
		for k := range e.Hashes {
			means[int(c.Weights)*e.Hashes+k] = sums[j*e.Hashes+k] / total
		}
	}
	return means
}

// Resettle makes variances from rows and keeps the means. It takes the same rows in one pass, and the variances become as narrow as
// after learning. The block starts from its prior.
func TestResettle(t *testing.T) {
	c := Paper(3, 1, 1)
	rows, labels := streamOf(c, 200)
	l := mustNew(t, c)
	before := l.Beliefs()
	l.Resettle(func(yield func(*Row, float64) bool) {
		for i := range rows {
			if !yield(&rows[i], labels[i]) {
				return
			}
		}
	})
	after := l.Beliefs()
	for name, table := range before.Tables {
		narrower := 0
		for i, m := range table.Mean {
			filetest.Want(t, after.Tables[name].Mean[i], m, "mean %d of %s", i, name)
			if after.Tables[name].Variance[i] < table.Variance[i] {
				narrower++
			}
		}
		filetest.True(t, narrower >= len(table.Mean)*9/10, "%d of %d entries of %s are narrower", narrower,
			len(table.Mean), name)
	}
	for i, v := range before.Lists[blockCov] {
		filetest.Want(t, after.Lists[blockCov][i], v, "number %d of the block's covariance", i)
	}
	filetest.Want(t, l.rows, 0, "rows that have been learned")
}
