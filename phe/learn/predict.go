package learn

import (
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"
)

// Predict returns the likelihood's forecasts of a batch. It does not read the targets and changes nothing. The same call gives the
// same numbers.
func (l *Learner) Predict(b *Batch) (Predictions, error) {
	return l.predictions(b, func() uint64 { return l.counts.Updates })
}

// PredictDraw is Predict with the noise of update number draw. It takes other draws from the same beliefs.
func (l *Learner) PredictDraw(b *Batch, draw uint64) (Predictions, error) {
	return l.predictions(b, func() uint64 { return draw })
}

// Predictions are numbers that a model's Forecast reads.
type Predictions struct {
	Runs, Records, Width int
	Values               []float32 // [Runs, Records, Width]
}

// Of returns the numbers of one record in one run.
func (p Predictions) Of(run, record int) []float32 {
	from := (run*p.Records + record) * p.Width
	return p.Values[from : from+p.Width]
}

// predictions predicts a batch block by block, while no call changes the learner. No two blocks share noise.
func (l *Learner) predictions(b *Batch, number func() uint64) (Predictions, error) {
	if err := l.draw(); err != nil {
		return Predictions{}, err
	}
	l.mutex.RLock()
	defer l.mutex.RUnlock()
	p, draw, most := Predictions{Runs: l.runs, Records: b.Records}, number(), maxExcerpted
	if whole, _ := b.source(); l.pinned.batch == whole { // the size of an update, or a second one for longer predictions
		if most = l.pinnedSize(b.Records); most >= maxPinned || b.Records > most {
			most = maxPinned
		}
	}
	all := numbers(b.Records)
	for start := 0; start < max(1, b.Records); start += most {
		block := b
		if b.Records > most {
			block = b.Take(all[start:min(start+most, b.Records)])
		}
		values, size, err := l.block(block, most, draw, uint64(start/most))
		if err != nil {
			return Predictions{}, errors.WithMessagef(err, "prediction %d", draw)
		}
		if p.Values == nil {
			p.Width = len(values) / (l.runs * size)
			p.Values = make([]float32, l.runs*b.Records*p.Width)
		}
		for r := range l.runs {
			copy(p.Values[(r*b.Records+start)*p.Width:], values[r*size*p.Width:(r*size+block.Records)*p.Width])
		}
	}
	return p, nil
}

// block predicts at most most records, padded to a size: [runs, size, width].
func (l *Learner) block(b *Batch, most int, draw, block uint64) (values []float32, size int, err error) {
	x, err := l.excerpt(b, forecast)
	if err != nil {
		return nil, 0, err
	}
	defer x.release()
	if x.lent {
		x.size = most
	}
	const draws, blocks = 20, 12 // bits in the number of the noise; the rest selects another key
	keys := l.keys("prediction", draw>>draws+block>>blocks<<(64-draws))
	step := uint32(draw&(1<<draws-1) + block&(1<<blocks-1)<<draws)
	q := l.asked(x, 0, x.size, keys, step)
	out, err := l.predict.Call(listed(&q)...)
	if err != nil {
		return nil, 0, err
	}
	defer release(out)
	values, err = tensors.CopyFlatData[float32](out[0])
	return values, x.size, err
}

// asked returns the query of size records of an excerpt from number first on. The last record fills the rest.
func (l *Learner) asked(x excerpt, first, size int, keys *tensors.Tensor, step uint32) query[*tensors.Tensor] {
	records := make([]int32, size)
	for i := range records {
		records[i] = x.records[min(first+i, len(x.records)-1)]
	}
	return query[*tensors.Tensor]{Parameters: x.with(l.parameters), Keys: keys, Step: tensors.FromScalar(step),
		Records: tensors.FromFlatDataAndDimensions(records, size), arrays: x.data}
}
