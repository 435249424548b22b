package learn

import (
	"cmp"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"

	"gophe/phe"
)

// Grow doubles the rows of the tables and keeps everything learned. Every item keeps its beliefs, and items that shared a row by
// chance may part from now on. Updates and predictions need no new programs, but Fit and a pinned batch do. Grow pins a pinned
// batch anew.
//
// An item's row is a hash modulo the number of rows. In a table of twice the rows, the item is at the old row or at the old row plus the
// old number of rows. Both rows get a copy of the belief. The authors' hash functions depend on the number of rows in another way, so their
// tables cannot grow. A vocabulary gets room for as many items again, and their rows are drawn as at the beginning.
func (l *Learner) Grow() error {
	l.learned.Lock()
	defer l.learned.Unlock()
	hasher, err := l.hasher.Grown()
	if err == nil {
		err = l.draw()
	}
	if err != nil {
		return errors.WithMessage(err, "growing tables")
	}
	p, err := l.repinned(hasher)
	if err != nil {
		return err
	}
	grown, err := l.doubled(l.parameters, l.firstRows)
	if err != nil {
		return err
	}
	moments, err := l.doubledMoments()
	if err != nil {
		return err
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	release(l.parameters[:l.numEmbedding()])
	release(l.moments)
	l.parameters, l.moments = append(grown, l.parameters[l.numEmbedding():]...), moments
	l.counts.Doublings++
	l.hasher = hasher
	l.setPinned(p)
	return nil
}

// doubled returns the tables among the parameters with twice the rows for each run. Hashed tables get every row twice. A vocabulary
// gets fresh rows that no item uses yet.
func (l *Learner) doubled(parameters []*tensors.Tensor, fresh func(parameter, run, n int) []float32) ([]*tensors.Tensor, error) {
	flats, err := copied(parameters[:l.numEmbedding()])
	if err != nil {
		return nil, err
	}
	var grown []*tensors.Tensor
	for i, flat := range flats {
		dims := parameters[i].Shape().Dimensions
		perRun := len(flat) / l.runs
		twice := make([]float32, 0, 2*len(flat))
		for r := range l.runs {
			own := flat[r*perRun : (r+1)*perRun]
			twice = append(twice, own...)
			if l.Encoder.Rows == phe.Vocabulary {
				own = fresh(i, r, perRun)
			}
			twice = append(twice, own...)
		}
		grown = append(grown, tensors.FromFlatDataAndDimensions(twice, 2*dims[0], dims[1]))
	}
	return grown, nil
}

// firstRows returns n initial numbers of new rows. It draws means on the host from the distribution of the encoder's initial means.
func (l *Learner) firstRows(parameter, run, n int) []float32 {
	rows := make([]float32, n)
	if l.Encoder.Estimate == phe.Posterior && parameter%2 == 1 {
		for i := range rows {
			rows[i] = float32(l.Encoder.InitialLogStdDev)
		}
		return rows
	}
	rng := rand.New(rand.NewPCG(uint64(phe.NoiseKey(l.seeds[run], "grown rows")), l.counts.Doublings))
	for i := range rows {
		rows[i] = float32(cmp.Or(l.Encoder.InitialMeanStdDev, 1) * rng.NormFloat64())
	}
	return rows
}

// doubledMoments returns the moments of the initial phase's Adam for the grown tables; nil if the phase is over.
func (l *Learner) doubledMoments() ([]*tensors.Tensor, error) {
	var all []*tensors.Tensor
	n := l.numParameters()
	for from := 0; from < len(l.moments); from += n {
		half := l.moments[from : from+n]
		grown, err := l.doubled(half, func(_, _, n int) []float32 { return make([]float32, n) })
		if err != nil {
			return nil, err
		}
		rest, err := copied(half[l.numEmbedding():])
		if err != nil {
			return nil, err
		}
		all = append(all, grown...)
		for i, flat := range rest {
			all = append(all, tensors.FromFlatDataAndDimensions(flat, half[l.numEmbedding()+i].Shape().Dimensions...))
		}
	}
	return all, nil
}

// repinned pins the pinned batch again with the rows that hasher finds.
func (l *Learner) repinned(hasher *phe.Encoder) (pinned, error) {
	if l.pinned.batch == nil {
		return pinned{}, nil
	}
	return l.pin(l.pinned.batch, hasher)
}

// TableRows returns the present number of rows of table E: B, or a vocabulary's capacity.
func (l *Learner) TableRows() int {
	l.mutex.RLock()
	defer l.mutex.RUnlock()
	return l.hasher.Config().TableRows()
}
