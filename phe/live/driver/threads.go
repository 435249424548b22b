package driver

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"gophe/phe/stream"
)

// batches are the readings that a pipeline learns. A batch comes out one step later: drain it before a look at the learner or the state.
type batches struct {
	pipeline atomic.Pointer[stream.Pipeline] // nil while records are learned one by one
	under    []*reading                      // of the batch under way
	locked   time.Time                       // when the pipeline took the learner
}

// patience is the longest time for which a pipeline keeps the learner from others, such as a page that shows it.
const patience = 50 * time.Millisecond

// takeAll learns records in their order, in batches as far as they are prepared, until the context ends.
func (d *Driver) takeAll(ctx context.Context, list []*reading) error {
	for len(list) > 0 && ctx.Err() == nil {
		n := 0
		for n < min(len(list), stream.MaxBatch) && (list[n].row != nil || list[n].left) {
			n++
		}
		if n > 0 {
			if err := d.send(list[:n]); err != nil {
				return err
			}
			list = list[n:]
			continue
		}
		if err := d.drain(); err != nil {
			return err
		}
		if err := d.take(list[0]); err != nil {
			return err
		}
		d.ahead.spare.Put(list[0])
		list = list[1:]
	}
	if d.options.Threads > 1 && !d.State.Settings.Late() && d.pipeline.Load() == nil {
		d.pipeline.Store(d.Learner.Pipeline()) // as soon as the learner can do with batches
	}
	return ctx.Err()
}

// send gives records to the pipeline, and counts the records before them. Without records, the pipeline is then empty.
func (d *Driver) send(list []*reading) error {
	if len(d.under) == 0 {
		d.locked = time.Now()
	}
	var batch []*stream.Prepared
	for _, r := range list {
		if r.row != nil {
			batch = append(batch, r.row)
		}
	}
	if len(batch) == 0 && len(list) > 0 { // they go with the records under way
		d.under = append(d.under, list...)
		return nil
	}
	before := d.under
	d.under = slices.Clip(list)
	d.pipeline.Load().Step(batch)
	return d.account(before)
}

// drain waits until the pipeline is empty.
func (d *Driver) drain() error {
	if len(d.under) == 0 {
		return nil
	}
	return d.send(nil)
}

// account moves the state behind records that were learned or left out.
func (d *Driver) account(list []*reading) (err error) {
	for _, r := range list {
		if r.left {
			d.leave(r)
		} else if failed := d.count(r, r.row.Forecast); err == nil {
			err = failed
		}
		d.ahead.spare.Put(r)
	}
	return err
}
