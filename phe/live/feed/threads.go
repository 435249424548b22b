package feed

import (
	"context"
	"slices"
	"time"

	"gophe/phe/stream"
)

// A feed with several threads learns batches of records in a pipeline (stream.Pipeline). A batch comes out one step later. Whoever looks at
// the learner, or at the feed's state, must drain the pipeline first.

// patience is the longest time for which a pipeline keeps the learner from others, such as a page that shows it.
const patience = 50 * time.Millisecond

// speedUp starts the pipeline as soon as the learner can do with batches.
func (f *feeding) speedUp() {
	if f.options.Threads < 2 || f.options.Delay > 0 || f.pipeline.Load() != nil {
		return
	}
	if p := f.Learner.Pipeline(); p != nil {
		f.pipeline.Store(p)
	}
}

// takeAll learns records in their order, in batches as far as they are prepared, until the context ends.
func (f *feeding) takeAll(ctx context.Context, list []*reading) error {
	for len(list) > 0 && ctx.Err() == nil {
		n := 0
		for n < min(len(list), stream.MaxBatch) && (list[n].row != nil || list[n].left) {
			n++
		}
		if n > 0 {
			if err := f.send(list[:n]); err != nil {
				return err
			}
			list = list[n:]
			continue
		}
		if err := f.drain(); err != nil {
			return err
		}
		if err := f.take(list[0]); err != nil {
			return err
		}
		f.spare.Put(list[0])
		list = list[1:]
	}
	f.speedUp()
	return ctx.Err()
}

// send gives records to the pipeline, and takes account of those before them.
func (f *feeding) send(list []*reading) error {
	if len(f.under) == 0 {
		f.locked = time.Now()
	}
	var batch []*stream.Prepared
	for _, r := range list {
		if r.row != nil {
			batch = append(batch, r.row)
		}
	}
	if len(batch) == 0 { // they go with the records under way
		f.under = append(f.under, list...)
		return nil
	}
	before := f.under
	f.under = slices.Clip(list)
	f.pipeline.Load().Step(batch)
	return f.account(before)
}

// drain waits until the pipeline is empty.
func (f *feeding) drain() error {
	if len(f.under) == 0 {
		return nil
	}
	f.pipeline.Load().Step(nil)
	before := f.under
	f.under = nil
	return f.account(before)
}

// account moves the state behind records that were learned or left out.
func (f *feeding) account(list []*reading) (err error) {
	for _, r := range list {
		if r.left {
			f.State.Left++
			f.pass(r)
		} else if failed := f.count(r, r.row.Forecast); err == nil {
			err = failed
		}
		f.spare.Put(r)
	}
	return err
}
