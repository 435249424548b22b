package learn

import (
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"

	"gophe/phe"
	"gophe/phe/hash"
)

// Grow doubles the rows of the tables and forgets nothing: every item finds the beliefs it had, and items that shared a row by
// chance may part from now on. It takes no compilation of updates and predictions, but of a pinned batch's and of Fit. Pinned
// batches are pinned anew.
//
// An item's row is a number modulo the rows, so that in tables of twice the rows it is the old one or the old one plus the old
// number of rows. Both then hold a copy of the belief (see [gophe/phe/belief.Table.Double]). The authors' hash has no such law.
func (l *Learner) Grow() error {
	l.learned.Lock()
	defer l.learned.Unlock()
	if l.Encoder.Rows == phe.Hash && l.Encoder.Hash == hash.Authors {
		return errors.Errorf("tables under hash %q cannot grow: its functions depend on the number of buckets; use %q", hash.Authors, hash.CarterWegman)
	}
	if err := l.draw(); err != nil {
		return err
	}
	hasher, err := l.hasher.Grown()
	if err != nil {
		return errors.WithMessage(err, "growing tables")
	}
	grown, err := l.doubled(l.parameters)
	if err != nil {
		return err
	}
	moments, err := l.doubledMoments()
	if err != nil {
		return err
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	phe.Release(l.parameters[:l.numEmbedding()])
	phe.Release(l.moments)
	l.parameters, l.moments = append(grown, l.parameters[l.numEmbedding():]...), moments
	l.counts.Doublings++
	l.setHasher(hasher)
	return nil
}

// doubled are the tables of parameters with each run's rows twice.
func (l *Learner) doubled(parameters []*tensors.Tensor) ([]*tensors.Tensor, error) {
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
			twice = append(append(twice, own...), own...)
		}
		grown = append(grown, tensors.FromFlatDataAndDimensions(twice, 2*dims[0], dims[1]))
	}
	return grown, nil
}

// doubledMoments are Adam's of the initial phase, if it goes on.
func (l *Learner) doubledMoments() ([]*tensors.Tensor, error) {
	var all []*tensors.Tensor
	n := l.numParameters()
	for from := 0; from < len(l.moments); from += n {
		half := l.moments[from : from+n]
		grown, err := l.doubled(half)
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

// setHasher takes another encoder. What was found by the one before is forgotten, and pinned batches find their rows anew.
func (l *Learner) setHasher(hasher *phe.Encoder) {
	l.hasher = hasher
	l.forgetFitted()
	l.known.Lock()
	l.known.batch = nil
	l.known.Unlock()
	for b := range l.pinned {
		slots, err := l.slots(b, true, false)
		l.unpin(b)
		if err == nil { // its items had rows before
			l.pinned[b] = l.upload(b, slots, layout{b.Records, b.numEvents(l.network.NumColumns()), len(b.Items)})
		}
	}
}

// TableRows returns the rows of table E now, B or a vocabulary's capacity.
func (l *Learner) TableRows() int {
	l.mutex.RLock()
	defer l.mutex.RUnlock()
	return l.hasher.Config().TableRows()
}
