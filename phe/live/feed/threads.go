package feed

import (
	"context"
	"time"

	"gophe/phe/stream"
)

// A feed with several threads learns batches of records in a pipeline (stream.Pipeline). A batch comes out one step later. Whoever looks at
// the learner, or at the feed's state, must drain the pipeline first.

// patience is the longest time for which a pipeline keeps the learner from others, such as a page that shows it.
const patience = 50 * time.Millisecond

// speedUp starts the pipeline as soon as the learner can do with batches.
func (f *Feed) speedUp() {
	if f.options.Threads < 2 || f.options.Delay > 0 || f.pipeline.Load() != nil {
		return
	}
	if p := f.Learner.Pipeline(); p != nil {
		f.pipeline.Store(p)
	}
}

// takeAll learns records in their order, in batches as far as they are prepared, until the context ends.
func (f *Feed) takeAll(ctx context.Context, list []*reading) error {
	for len(list) > 0 && ctx.Err() == nil {
		n := 0
		for n < len(list) && (list[n].row != nil || list[n].left) {
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
		f.done, list = append(f.done, list[0]), list[1:]
	}
	f.speedUp()
	return ctx.Err()
}

// send gives records to the pipeline, and takes account of those before them.
func (f *Feed) send(list []*reading) error {
	var batch []*stream.Prepared
	for _, r := range list {
		if r.row != nil {
			batch = append(batch, r.row)
		}
	}
	if len(batch) == 0 {
		if err := f.drain(); err != nil {
			return err
		}
		return f.account(list)
	}
	if len(f.under) == 0 {
		f.locked = time.Now()
	}
	f.pipeline.Load().Step(batch)
	before := f.under
	f.under = append([]*reading(nil), list...)
	return f.account(before)
}

// drain waits until the pipeline is empty.
func (f *Feed) drain() error {
	if len(f.under) == 0 {
		return nil
	}
	f.pipeline.Load().Step(nil)
	before := f.under
	f.under = nil
	return f.account(before)
}

// account moves the state behind records that were learned or left out.
func (f *Feed) account(list []*reading) (err error) {
	for _, r := range list {
		f.pass(r)
		if r.left {
			f.State.Left++
			continue
		}
		f.State.Rows++
		f.tell(r.row.Forecast.Alarms)
		if failed := f.output.write(f.State.Position.Record, r.record, r.row.Forecast); err == nil {
			err = failed
		}
	}
	f.done = append(f.done, list...)
	return err
}
