package learn

import (
	"slices"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"
)

// Grow doubles the rows of hashed tables and keeps everything learned. Every item keeps its beliefs, and items that shared a row by
// chance may part from now on. Updates and predictions need no new programs, but Fit and a pinned batch do, and on a GPU two small ones
// that move rows. Grow pins a pinned batch anew.
//
// An item's row is a hash modulo the number of rows. In a table of twice the rows, the item is at the old row or at the old row plus the
// old number of rows. Both rows get a copy of the belief. Tables under the authors' hash functions and vocabularies cannot grow.
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
	p, err := l.pin(l.pinned.batch, hasher)
	if err != nil {
		return err
	}
	small := slices.Concat(l.parameters, l.moments)
	grown := slices.Clone(small)
	for i := range small {
		if l.isTable(i) {
			if grown[i], err = l.doubled(small[i]); err != nil {
				return err
			}
		}
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for i := range small {
		if l.isTable(i) {
			release(small[i : i+1])
		}
	}
	n := l.numParameters()
	l.parameters, l.moments = grown[:n:n], grown[n:]
	l.counts.Doublings++
	l.rehash(hasher, p)
	return nil
}

// isTable tells whether an array belongs to a table. Arrays are numbered as in a file: the parameters, Adam's moments, and a course.
func (m graph) isTable(array int) bool {
	n := m.numParameters()
	return array < 3*n && array%n < m.numEmbedding()
}

// doubled returns a table with every row of each run twice.
func (l *Learner) doubled(table *tensors.Tensor) (*tensors.Tensor, error) {
	flat, err := tensors.CopyFlatData[float32](table)
	if err != nil {
		return nil, errors.WithMessage(err, "copying a table from the device")
	}
	twice := make([]float32, 0, 2*len(flat))
	for own := range slices.Chunk(flat, len(flat)/l.runs) {
		twice = append(append(twice, own...), own...)
	}
	dims := table.Shape().Dimensions
	return tensors.FromFlatDataAndDimensions(twice, 2*dims[0], dims[1]), nil
}
