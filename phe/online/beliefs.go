package online

import (
	"math"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/stat/distuv"

	"gophe/phe"
)

// Beliefs are one run's parameters on the host, to look at: what it holds about each entry of the tables, and θ.
type Beliefs struct {
	E, W  Belief      // W is empty where there is no table W
	Theta [][]float32 // in the order of the network's weights
}

// Belief is what is held about a table's entries: [rows·dim], row after row. StdDev (σ, not log σ) is empty of a point
// estimate.
type Belief struct {
	Dim          int
	Mean, StdDev []float64
}

// Row returns the means and the standard deviations of one row of the table.
func (b Belief) Row(row int) (mean, stdDev []float64) {
	from, to := row*b.Dim, (row+1)*b.Dim
	if len(b.StdDev) == 0 {
		return b.Mean[from:to], nil
	}
	return b.Mean[from:to], b.StdDev[from:to]
}

// KL is KL(b‖prior) in nats of each row of the table: how far an update moved it, where prior is the belief before (Eq. 3).
// It panics if the two are not posteriors of one table.
func (b Belief) KL(prior Belief) []float64 {
	if b.Dim != prior.Dim || len(b.Mean) != len(prior.Mean) || len(b.StdDev) != len(b.Mean) || len(prior.StdDev) != len(b.Mean) {
		panic(errors.Errorf("KL of %d by %d entries, %d of them with σ, from %d by %d, %d of them with σ; want two posteriors of one table",
			len(b.Mean)/b.Dim, b.Dim, len(b.StdDev), len(prior.Mean)/prior.Dim, prior.Dim, len(prior.StdDev)))
	}
	kl := make([]float64, len(b.Mean)/b.Dim)
	for i := range b.Mean {
		kl[i/b.Dim] += distuv.KullbackLeibler{}.DistNormal(distuv.Normal{Mu: b.Mean[i], Sigma: b.StdDev[i]},
			distuv.Normal{Mu: prior.Mean[i], Sigma: prior.StdDev[i]})
	}
	return kl
}

// Beliefs copies what run number run holds, counted from 0.
func (l *Learner) Beliefs(run int) (Beliefs, error) {
	if run < 0 || run >= len(l.seeds) {
		return Beliefs{}, errors.Errorf("run %d of a learner of %d; count from 0", run, len(l.seeds))
	}
	s, err := l.Snapshot()
	if err != nil {
		return Beliefs{}, err
	}
	parameters := s.Parameters
	next := func() []float32 {
		all := parameters[0]
		parameters = parameters[1:]
		size := len(all) / len(l.seeds)
		return all[run*size : (run+1)*size]
	}
	c := l.model.Encoder
	table := func(dim int) Belief {
		b := Belief{Dim: dim, Mean: widened(next())}
		if c.Estimate == phe.Posterior {
			b.StdDev = widened(next())
			for i, logStdDev := range b.StdDev {
				b.StdDev[i] = math.Exp(logStdDev)
			}
		}
		return b
	}
	beliefs := Beliefs{E: table(c.EmbeddingDim)}
	if c.HasWeights() {
		beliefs.W = table(c.NumHashes)
	}
	for len(parameters) > 0 {
		beliefs.Theta = append(beliefs.Theta, next())
	}
	return beliefs, nil
}

func widened(x []float32) []float64 {
	wide := make([]float64, len(x))
	for i, v := range x {
		wide[i] = float64(v)
	}
	return wide
}
