package onepass

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gophe/phe/disk/filetest"
)

// opponents learns games between players of given strengths. The stronger one wins more often.
func opponents(t *testing.T, head Head) (*Encoder, *Model) {
	t.Helper()
	c := Stream(Shape{Columns: 2, Head: head, Memory: 64 << 10})
	e := filetest.Must(NewEncoder(c, []string{"white", "black"}))(t)
	e.Same(1, 0, true)
	l := mustNew(t, c)
	rng := rand.New(rand.NewPCG(1, 2))
	names := []string{"Ada", "Ben", "Cem", "Dora", "Eva"}
	for range 2000 {
		a, b := rng.IntN(5), rng.IntN(5)
		if a == b {
			continue
		}
		difference := float64(a-b)/2 + 0.3*rng.NormFloat64()
		if head == Bernoulli {
			difference = math.Max(0, math.Copysign(1, difference))
		}
		e.Item(0, names[a])
		e.Item(1, names[b])
		step(l, e.Row(), difference)
	}
	return e, l
}

// The result of a game holds with the other sign if the two players change places: in the slots, in the evidence and in the pair.
// This is exact if the first player has no advantage, as in this test.
func TestOpponents(t *testing.T) {
	for _, head := range []Head{Bernoulli, Gaussian} {
		e, l := opponents(t, head)
		f := l.Beliefs()
		f.Lists[evidenceBase][0] = map[Head]float64{Bernoulli: 0.5, Gaussian: 0}[head]
		check(t, l.SetBeliefs(f))
		usual := l.Predict(&Row{}).Logit
		logit := func(white, black string) float64 {
			e.Item(0, white)
			e.Item(1, black)
			return l.Predict(e.Row()).Logit - usual
		}
		for _, pair := range [][2]string{{"Ada", "Eva"}, {"Ben", "Cem"}, {"Dora", "nobody"}} {
			there, back := logit(pair[0], pair[1]), logit(pair[1], pair[0])
			filetest.Near(t, back, -there, 1e-6*(1+math.Abs(there)), "%s: %v the other way round", head, pair) // P stands as float32
		}
		weak, strong := logit("Ada", "Cem"), logit("Eva", "Cem")
		filetest.True(t, weak < -0.5, "%s: the weakest player has %v against the middle one", head, weak)
		filetest.True(t, strong > 0.5, "%s: the strongest player has %v against the middle one", head, strong)
	}
}

// A column that shares its items with another one knows at once what was learned there.
func TestSame(t *testing.T) {
	c := Stream(Shape{Columns: 2, Memory: 64 << 10, Interactions: None})
	e := filetest.Must(NewEncoder(c, []string{"from", "to"}))(t)
	e.Same(1, 0, false)
	l := mustNew(t, c)
	for i := range 400 {
		e.Item(0, []string{"Ada", "Ben"}[i%2])
		step(l, e.Row(), float64(i%2))
	}
	e.Item(1, "Ben")
	p := l.Predict(e.Row()).Mean
	filetest.True(t, p > 0.9, "Ben as a receiver has %v, as a sender always 1", p)
}

// exactWeights has one weight an item and a Gaussian target, so that Bayes' rule is exact.
func exactWeights() Config {
	c := Stream(Shape{Columns: 1, Head: Gaussian})
	c.Noise, c.Tempering, c.Tau, c.Prior, c.Evidence, c.Least, c.Compact = 0.7, 1, 0, Prior{E: 2}, 0, 1e-9, false
	c.Hashes = 1
	return c
}

// A row of weight 3 counts as three rows.
func TestWeightOfExactRow(t *testing.T) {
	row := &Row{}
	row.Add(Cell{Share: 1}, 5)
	once, thrice := mustNew(t, exactWeights()), mustNew(t, exactWeights())
	once.Predict(row)
	once.Update(1.3, 3)
	for range 3 {
		step(thrice, row, 1.3)
	}
	a, b := once.Predict(row), thrice.Predict(row)
	filetest.Near(t, a.Mean, b.Mean, 1e-12, "the mean of weight 3, and of three rows")
	filetest.Near(t, a.Variance, b.Variance, 1e-12, "the variance of weight 3, and of three rows")
	filetest.True(t, mustNew(t, exactWeights()).Predict(row).Variance > a.Variance, "nothing was learned")
}

func mustNew(t *testing.T, c Config) *Model {
	t.Helper()
	return filetest.Must(New(c))(t)
}

// Two classes are one softmax: with weights, two logits of half the variance each move as one.
func TestWeightOfSoftmax(t *testing.T) {
	two := newSums(2)
	two.weight = 2.5
	copy(two.mean, []float64{-0.2, 0.3})
	copy(two.cov, []float64{0.4, 0, 0, 0.4})
	two.softmaxGradient(PlugIn, 1)
	one := newSums(1)
	one.weight, one.mean[0], one.cov[0] = 2.5, 0.5, 0.8
	one.gradient[0], one.curvature[0] = plugIn(sigmoid(0.5), 0.8, 1)
	one.weigh()
	moved := 0.4 * (two.gradient[1] - two.gradient[0])
	filetest.Near(t, moved, 0.8*one.gradient[0], 1e-12, "the difference of two logits moves as one logit by")
	s := two.curvature
	lost := 0.16 * (s[0] + s[3] - 2*s[1])
	filetest.Near(t, lost, 0.64*one.curvature[0], 1e-12, "the difference of two logits loses, as one logit, a variance of")
}

// Evidence weighs labels: a label of weight 3 counts as three among rows of weight 1.
func TestWeightOfEvidence(t *testing.T) {
	c := Stream(Shape{Columns: 1, Interactions: None})
	l := mustNew(t, c)
	item := func(key uint64) *Row {
		row := &Row{}
		row.Add(Cell{Share: 1, Key: key}, 1, 2)
		return row
	}
	for i := range 3000 {
		l.Predict(item(1 << 50))
		l.Update(float64(i%2), []float64{0.5, 1.5}[i%2])
	}
	f := l.Beliefs()
	filetest.Near(t, f.Lists[evidenceBase][0], 0.75, 0.01, "the base rate, where class 1 has three quarters of the weight")
	filetest.Near(t, slices.Max(f.Lists[evidenceMeans]), 0.75, 0.02, "the item's frequency, where class 1 has three quarters of its weight")
}
