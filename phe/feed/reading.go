package feed

import (
	"context"
	"time"
)

// reading is the result of one call of a source's Read.
type reading struct {
	record        []string
	err           error
	before, after Position
}

// isPipe returns whether the input cannot be read again.
func (f *Feed) isPipe() bool { return f.State.Input.isPipe() && !f.options.Plain }

// read returns the next record. It gives away the lock while it waits for a pipe.
func (f *Feed) read() reading {
	if f.isPipe() {
		f.waits = true
		f.mu.Unlock()
		defer func() {
			f.mu.Lock()
			f.waits = false
		}()
	}
	r := reading{before: f.source.Position()}
	r.record, r.err = f.source.Read()
	r.after = f.source.Position()
	return r
}

// watch waits for the end of a goroutine that learns a pipe. Nobody knows when a pipe sends its next record. Until then watch
// saves the records that have come, and it can stop the feed.
func (f *Feed) watch(ctx context.Context, ended <-chan error) error {
	tick := time.NewTicker(max(f.options.Every, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return err
		case <-tick.C:
			if err := f.saveWhileWaiting(); err != nil {
				return err
			}
		case <-ctx.Done():
			if stopped, err := f.stopWhileWaiting(ctx.Err()); stopped {
				return err
			}
			return <-ended
		}
	}
}

// saveWhileWaiting saves a checkpoint if it is time. After an error the goroutine that learns does nothing more.
func (f *Feed) saveWhileWaiting() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.look()
	f.stopped = err != nil
	return err
}

// stopWhileWaiting stops the goroutine that learns, if it waits for the pipe. If not, that goroutine notices by itself that the
// context has ended.
func (f *Feed) stopWhileWaiting(reason error) (stopped bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.waits {
		return false, nil
	}
	f.stopped = true
	return true, f.stop(reason)
}
