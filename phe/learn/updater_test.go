package learn_test

import (
	"math"
	"testing"

	"gophe/phe"
	"gophe/phe/belief"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn"
	"gophe/phe/learn/learntest"
	"gophe/phe/learn/likelihood"
)

// With an item a row, a Gaussian likelihood and dim 1, the closed form is Bayes' rule: precisions add up, and the mean is the
// mean of prior and targets, each weighed by its precision. The tables keep what was not learned.
func TestClosedFormIsBayes(t *testing.T) {
	c := config(phe.Posterior)
	c.Encoder.EmbeddingDim, c.Encoder.InitialLogStdDev = 1, -0.5
	l := newLearner(t, sum(), c, learn.Options{Updater: learn.ClosedForm()})
	for i := range l.All.Targets {
		l.All.Targets[i] = float32(i) / 10
	}
	before := make([]learn.Beliefs, 2)
	for run := range 2 {
		before[run] = filetest.Must(l.Beliefs(run))(t)
	}
	check(t, l.Update([]int32{0, 1, 2}, 1)) // gives items 0 … 99 their rows
	check(t, l.Update([]int32{2, 30, 30, 2, 2}, 1))
	for run := range 2 {
		after := filetest.Must(l.Beliefs(run))(t)
		for item, n := range map[int]float64{0: 1, 2: 4, 30: 2, 50: 0} {
			prior, precision := before[run].E.Mean[item], 1/before[run].E.Variance[item]
			wantPrecision := precision + 2*n // σ² of the likelihood is ½
			wantMean := (precision*prior + 2*n*float64(item)/10) / wantPrecision
			if got := 1 / after.E.Variance[item]; !(math.Abs(got/wantPrecision-1) <= 1e-5) {
				t.Errorf("run %d, item %d seen %g times: precision %g, want %g", run, item, n, got, wantPrecision)
			}
			if got := after.E.Mean[item]; !(math.Abs(got-wantMean) <= 1e-5) {
				t.Errorf("run %d, item %d seen %g times: mean %g, want %g", run, item, n, got, wantMean)
			}
		}
	}
}

// With two coordinates to an item, one observation's exact posterior has marginals that the closed form keeps: of the sum of two
// entries of variance v under noise r, mean and variance move by v/(2v+r).
func TestClosedFormKeepsMarginals(t *testing.T) {
	c := config(phe.Posterior)
	c.Encoder.InitialLogStdDev = 0
	l := newLearner(t, sum(), c, learn.Options{Updater: learn.ClosedForm()})
	before := filetest.Must(l.Beliefs(0))(t)
	check(t, l.Update([]int32{0}, 1))
	after := filetest.Must(l.Beliefs(0))(t)
	gain := 1 / (2 + 0.5)
	for d := range 2 {
		mean := before.E.Mean[d] + gain*(1-before.E.Mean[0]-before.E.Mean[1])
		if !(math.Abs(after.E.Mean[d]-mean) <= 1e-5) || !(math.Abs(after.E.Variance[d]-(1-gain)) <= 1e-5) {
			t.Errorf("entry %d: mean %g and variance %g, want %g and %g", d, after.E.Mean[d], after.E.Variance[d], mean, 1-gain)
		}
	}
}

// With a weighted sum, one record moves every entry of its item's rows by the closed form's rule, in both tables: J is a weight for
// an entry of E and the sum of a row of E for a weight, and no draw comes in.
func TestClosedFormOfWeights(t *testing.T) {
	c := hashed(phe.Posterior)
	c.Encoder.InitialLogStdDev = -0.5
	l := newLearner(t, sum(), c, learn.Options{Updater: learn.ClosedForm()})
	encoder := filetest.Must(phe.NewEncoder(c.Encoder))(t)
	const item, target = 1, 1
	rows := filetest.Must(encoder.Items([]string{l.All.Items[item]}))(t)
	if rows.Buckets[0] == rows.Buckets[1] {
		t.Fatal("the item's two buckets are one; choose another item")
	}
	type entry struct {
		table    func(learn.Beliefs) belief.Table
		at       int
		by, mean float64 // the output's slope, and the entry's mean before
		variance float64
	}
	e, w := func(b learn.Beliefs) belief.Table { return b.E }, func(b learn.Beliefs) belief.Table { return b.W }
	var before [2]learn.Beliefs
	for run := range before {
		before[run] = filetest.Must(l.Beliefs(run))(t)
	}
	check(t, l.Update([]int32{item}, 1))
	for run, b := range before {
		var entries []entry
		output := 0.0
		for k, bucket := range rows.Buckets {
			row, _ := b.E.Row(int(bucket))
			weight := int(rows.Weights[0])*2 + k
			output += b.W.Mean[weight] * (row[0] + row[1])
			entries = append(entries, entry{table: w, at: weight, by: row[0] + row[1]})
			for d := range 2 {
				entries = append(entries, entry{table: e, at: 2*int(bucket) + d, by: b.W.Mean[weight]})
			}
		}
		spread := 0.0
		for i := range entries {
			x := &entries[i]
			x.mean, x.variance = x.table(b).Mean[x.at], x.table(b).Variance[x.at]
			spread += x.by * x.by * x.variance
		}
		after := filetest.Must(l.Beliefs(run))(t)
		for _, x := range entries {
			pull := x.variance * x.by
			mean := x.mean - pull*2*(output-target)/(1+2*spread) // σ² of the likelihood is ½
			variance := x.variance - pull*pull*2/(1+2*spread)
			if got := x.table(after); !(math.Abs(got.Mean[x.at]-mean) <= 1e-5) || !(math.Abs(got.Variance[x.at]-variance) <= 1e-5) {
				t.Errorf("run %d, entry %d: mean %g and variance %g, want %g and %g", run, x.at, got.Mean[x.at], got.Variance[x.at], mean, variance)
			}
		}
	}
}

// A record without noise leaves a variance that is small, and not 0: its logarithm stays finite.
func TestClosedFormOfCertainty(t *testing.T) {
	c := config(phe.Posterior)
	c.Encoder.EmbeddingDim, c.Encoder.InitialLogStdDev = 1, 0
	l := newLearner(t, certain(), c, learn.Options{Updater: learn.ClosedForm()})
	check(t, l.Update([]int32{4}, 1))
	b := filetest.Must(l.Beliefs(0))(t)
	if mean, variance := b.E.Row(4); !(math.Abs(mean[0]-1) <= 1e-3) || !(variance[0] > 0 && variance[0] <= 1e-5) {
		t.Errorf("after a record of no noise, mean %v and variance %v", mean, variance)
	}
}

// certain is sum with next to no noise.
func certain() learn.Network {
	n := sum()
	n.Likelihood = likelihood.Gaussian(1e-6)
	return n
}

// An updater that cannot serve says why, and what can.
func TestUpdaterErrors(t *testing.T) {
	point, columns := config(phe.Point), config(phe.Posterior)
	columns.Scope = phe.IncrementalColumn
	for right, c := range map[string]struct {
		n learn.Network
		c learn.Config
		u learn.Updater
	}{
		`use "posterior"`:   {sum(), point, learn.ClosedForm()},
		`use "all-columns"`: {sum(), columns, learn.ClosedForm()},
		"package onepass":   {many(), config(phe.Posterior), learn.ClosedForm()},
		"must be above 0":   {sum(), point, learn.Adam(0)},
	} {
		_, err := learn.New(c.n, c.c, learn.Options{Backend: learntest.Backend(t), Updater: c.u})
		filetest.WantError(t, err, right)
	}
}

// many has several outputs.
func many() learn.Network {
	n := sum()
	n.Likelihood = likelihood.Categorical(3)
	return n
}
