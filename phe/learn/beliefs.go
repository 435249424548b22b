package learn

import (
	"math"

	"github.com/pkg/errors"

	"gophe/phe"
	"gophe/phe/belief"
)

// Beliefs are one run's parameters on the host, to look at: what it believes about each entry of the tables, and θ.
type Beliefs struct {
	E, W  belief.Table // W is empty where there is no table W. Entries of a point estimate have variance 0
	Theta [][]float32  // in the order of the network's weights
}

// Beliefs copies what run number run believes, counted from 0.
func (l *Learner) Beliefs(run int) (Beliefs, error) {
	if run < 0 || run >= l.runs {
		return Beliefs{}, errors.Errorf("run %d of a learner of %d; count from 0", run, l.runs)
	}
	s, err := l.Snapshot()
	if err != nil {
		return Beliefs{}, err
	}
	parameters := s.Parameters
	next := func() []float32 {
		all := parameters[0]
		parameters = parameters[1:]
		size := len(all) / l.runs
		return all[run*size : (run+1)*size]
	}
	table := func(dim int) belief.Table {
		means := next()
		t := belief.Table{Dim: dim, Mean: make([]float64, len(means)), Variance: make([]float64, len(means))}
		for i, mean := range means {
			t.Mean[i] = float64(mean)
		}
		if l.Encoder.Estimate == phe.Posterior {
			for i, logStdDev := range next() {
				stdDev := math.Exp(float64(logStdDev))
				t.Variance[i] = stdDev * stdDev
			}
		}
		return t
	}
	beliefs := Beliefs{E: table(l.Encoder.EmbeddingDim)}
	if l.Encoder.HasWeights() {
		beliefs.W = table(l.Encoder.NumHashes)
	}
	for len(parameters) > 0 {
		beliefs.Theta = append(beliefs.Theta, next())
	}
	return beliefs, nil
}
