package online

import (
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"

	"gophe/phe"
)

// Snapshot is a learner's state on the host. Moments is Adam's, empty once the initial phase is over.
type Snapshot struct {
	Parameters, Moments [][]float32
}

// Snapshot copies the state to the host, so that several methods can start from one initial model, or a stopped run
// can go on.
func (l *Learner) Snapshot() (Snapshot, error) {
	copyAll := func(ts []*tensors.Tensor) ([][]float32, error) {
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
	parameters, err := copyAll(l.parameters)
	if err != nil {
		return Snapshot{}, err
	}
	moments, err := copyAll(l.moments)
	return Snapshot{parameters, moments}, err
}

// Restore puts a snapshot back. One that does not fit the model is an error.
func (l *Learner) Restore(s Snapshot) error {
	shapes := l.model.shapes()
	parameters, err := upload(s.Parameters, shapes)
	if err != nil {
		return err
	}
	var moments []*tensors.Tensor
	if len(s.Moments) > 0 {
		if moments, err = upload(s.Moments, append(shapes, shapes...)); err != nil {
			return err
		}
	}
	l.set(parameters)
	phe.Release(l.moments)
	l.moments = moments
	return nil
}

func upload(flat [][]float32, shapes [][]int) ([]*tensors.Tensor, error) {
	if len(flat) != len(shapes) {
		return nil, errors.Errorf("a snapshot of %d parameters does not fit a model of %d", len(flat), len(shapes))
	}
	ts := make([]*tensors.Tensor, len(shapes))
	for i, dims := range shapes {
		size := 1
		for _, d := range dims {
			size *= d
		}
		if len(flat[i]) != size {
			return nil, errors.Errorf("a snapshot's parameter %d has %d numbers; the model's has %d", i, len(flat[i]), size)
		}
		ts[i] = tensors.FromFlatDataAndDimensions(append([]float32{}, flat[i]...), dims...)
	}
	return ts, nil
}
