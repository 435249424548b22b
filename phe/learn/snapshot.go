package learn

import (
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"

	"gophe/phe"
	"gophe/phe/belief"
)

// Snapshot is a learner's state on the host. Moments are the moments of Adam, and with Config.InitialConvergence the course of the ELBO.
// They are empty after the initial phase.
type Snapshot struct {
	Parameters, Moments [][]float32
	Counts              Counts
	Vocabulary          []string // items in the order of their rows; empty with hashes
	HashSeed            int64    // of the hash functions; only a learner that chooses them reads it
}

// Snapshot copies the state to the host. Several methods can start from one initial model, and a stopped run can continue.
func (l *Learner) Snapshot() (Snapshot, error) {
	if err := l.draw(); err != nil {
		return Snapshot{}, err
	}
	l.mutex.RLock()
	defer l.mutex.RUnlock()
	parameters, err := copied(l.parameters)
	if err != nil {
		return Snapshot{}, err
	}
	moments, err := copied(l.moments)
	return Snapshot{parameters, moments, l.counts, l.hasher.Vocabulary(), l.hasher.HashSeed}, err
}

// Of returns the snapshot of a learner that has some of the runs, counted from 0, in this order. runs is the number of runs of s. It leaves
// the optimiser of the initial phase behind.
func (s Snapshot) Of(chosen []int, runs int) Snapshot {
	of := s
	of.Parameters, of.Moments = make([][]float32, len(s.Parameters)), nil
	for i, all := range s.Parameters {
		size := len(all) / runs
		for _, r := range chosen {
			of.Parameters[i] = append(of.Parameters[i], all[r*size:(r+1)*size]...)
		}
	}
	return of
}

// momentShapes returns the shapes of a snapshot's moments, from the shapes of the parameters.
func (l *Learner) momentShapes(shapes [][]int) [][]int {
	shapes = slices.Concat(shapes, shapes)
	if l.InitialConvergence > 0 {
		shapes = append(shapes, []int{l.runs, courseLength})
	}
	return shapes
}

func copied(ts []*tensors.Tensor) ([][]float32, error) {
	var all [][]float32
	for _, t := range ts {
		flat, err := tensors.CopyFlatData[float32](t)
		if err != nil {
			return nil, errors.WithMessage(err, "copying parameters from the device")
		}
		all = append(all, flat)
	}
	return all, nil
}

// Restore replaces the state by a snapshot. It returns an error and changes nothing if the snapshot does not fit the learner.
func (l *Learner) Restore(s Snapshot) error {
	l.learned.Lock()
	defer l.learned.Unlock()
	return l.restore(s)
}

func (l *Learner) restore(s Snapshot) error {
	hasher, err := l.hasherOf(s)
	if err != nil {
		return err
	}
	_, shapes := l.layout(hasher.Config)
	parameters, err := uploaded(s.Parameters, shapes)
	if err != nil {
		return err
	}
	var moments []*tensors.Tensor
	if len(s.Moments) > 0 {
		if moments, err = uploaded(s.Moments, l.momentShapes(shapes)); err != nil {
			return err
		}
	}
	other := l.hasher.Config != hasher.Config || !slices.Equal(l.hasher.Vocabulary(), s.Vocabulary)
	p := l.pinned
	if other {
		if p, err = l.pin(l.pinned.batch, hasher); err != nil {
			return err
		}
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	release(l.parameters)
	release(l.moments)
	l.parameters, l.moments, l.counts = parameters, moments, s.Counts
	l.taken = nil
	if other {
		l.rehash(hasher, p)
	}
	return nil
}

// hasherOf returns the encoder of the snapshot's learner: of the same draw, grown as often, and with the same vocabulary.
func (l *Learner) hasherOf(s Snapshot) (hasher *phe.Encoder, err error) {
	c := l.encoder.Config
	if l.Encoder.HashDraws > 0 {
		c.HashSeed = s.HashSeed
	}
	if hasher, err = phe.NewEncoder(c); err != nil {
		return nil, err
	}
	for range s.Counts.Doublings {
		if hasher, err = hasher.Grown(); err != nil {
			return nil, err
		}
	}
	_, err = hasher.Items(s.Vocabulary)
	return hasher, err
}

func uploaded(flat [][]float32, shapes [][]int) ([]*tensors.Tensor, error) {
	if len(flat) != len(shapes) {
		return nil, errors.Errorf("the snapshot has %d parameters and the model %d; take a snapshot of the same model",
			len(flat), len(shapes))
	}
	ts := make([]*tensors.Tensor, len(shapes))
	for i, dims := range shapes {
		if want := product(dims); len(flat[i]) != want {
			return nil, errors.Errorf("parameter %d of the snapshot has %d numbers, and the model's has %d; "+
				"take a snapshot of the same model", i, len(flat[i]), want)
		}
		ts[i] = tensors.FromFlatDataAndDimensions(append([]float32{}, flat[i]...), dims...)
	}
	return ts, nil
}

// Beliefs are the parameters of one run on the host: a mean and a variance for each entry of the tables, and θ.
type Beliefs struct {
	E, W  belief.Table // W is empty if there is no table W; entries of a point estimate have variance 0
	Theta [][]float32  // in the order of the network's weights
}

// Beliefs returns a copy of the beliefs of one run, counted from 0.
func (l *Learner) Beliefs(run int) (Beliefs, error) {
	if run < 0 || run >= l.runs {
		return Beliefs{}, errors.Errorf("run %d does not exist; the learner has %d runs, counted from 0", run, l.runs)
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
		t := belief.Table{Dim: dim, Mean: belief.Converted[float64](means), Variance: make([]float64, len(means))}
		if l.Encoder.Estimate == phe.Posterior {
			for i, logStdDev := range next() {
				stdDev := math.Exp(float64(logStdDev))
				t.Variance[i] = stdDev * stdDev
			}
		}
		return t
	}
	beliefs := Beliefs{E: table(l.Encoder.EmbeddingDim)}
	if l.Encoder.NumWeights > 0 {
		beliefs.W = table(l.Encoder.NumHashes)
	}
	for len(parameters) > 0 {
		beliefs.Theta = append(beliefs.Theta, next())
	}
	return beliefs, nil
}
