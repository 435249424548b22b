package feed

import (
	"context"
	"sync"
	"time"

	"gophe/data/records"
	"gophe/phe/stream"
)

// reading is the result of one call of a source's Read.
type reading struct {
	record        []string
	err           error
	before, after records.Position
	bytes         fingerprint      // of the bytes before after; only of a plain file
	row           *stream.Prepared // nil unless the pipeline will learn the record
	left          bool             // the condition leaves out a record that the pipeline would learn
	prepared      stream.Prepared
}

// last tells whether nothing can be read after the reading.
func (r *reading) last() bool { return r.err != nil && !isBad(r.err) }

// ahead reads an input in a goroutine of its own, while the feed learns what was read before. It gives full lists of a file's records. Of a
// pipe it keeps no record back, so the feed learns each record when it comes, and can save and stop while the pipe is silent.
type ahead struct {
	pipe bool

	mu    sync.Mutex
	list  []*reading // read and not yet taken
	size  int        // bytes of the list
	last  bool       // nothing comes after the list
	spare []*reading

	more  chan struct{} // the list has grown
	room  chan struct{} // the list was taken
	stop  chan struct{} // closed when nothing more is to be read
	ended chan struct{} // closed when nothing more is read
}

// Limits of the list: enough to keep threads at work, in little memory.
const maxAhead, maxAheadBytes = 128, 1 << 20

func newAhead(read func(*reading), pipe bool) *ahead {
	a := &ahead{pipe: pipe, more: make(chan struct{}, 1), room: make(chan struct{}, 1), stop: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(a.ended)
		for {
			r := a.empty()
			if read(r); !a.put(r) {
				return
			}
		}
	}()
	return a
}

// empty returns a reading to fill.
func (a *ahead) empty() *reading {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := len(a.spare)
	if n == 0 {
		return &reading{}
	}
	r := a.spare[n-1]
	a.spare = a.spare[:n-1]
	return r
}

// put adds a reading to the list, and waits while the list is full. It returns false if nothing more is to be read.
func (a *ahead) put(r *reading) bool {
	a.mu.Lock()
	a.list = append(a.list, r)
	for _, field := range r.record {
		a.size += len(field)
	}
	full := a.full()
	a.last = r.last()
	a.mu.Unlock()
	if a.pipe || full || r.last() {
		wake(a.more)
	}
	if r.last() {
		return false
	}
	if !full {
		select {
		case <-a.stop:
			return false
		default:
			return true
		}
	}
	select {
	case <-a.room:
		return true
	case <-a.stop:
		return false
	}
}

// full tells whether the list has no room.
func (a *ahead) full() bool { return len(a.list) >= maxAhead || a.size >= maxAheadBytes }

// take returns what was read, in a list of the caller's, and takes back readings that are done. If nothing is ready, the caller must wait
// for more.
func (a *ahead) take(list, done []*reading) []*reading {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.spare = append(a.spare, done...)
	if !a.pipe && !a.full() && !a.last {
		return list
	}
	list = append(list, a.list...)
	if a.full() {
		wake(a.room)
	}
	a.list, a.size = a.list[:0], 0
	return list
}

// wake wakes whoever waits for a channel of one place.
func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// isPipe returns whether the input cannot be read again.
func (f *Feed) isPipe() bool { return f.State.Input.isPipe() && !f.plain }

// read reads one record. It prepares the record if there is a pipeline. A record that the pipeline cannot learn gets its error where
// records are learned one by one.
func (f *Feed) read(r *reading) {
	r.left, r.row, r.before = false, nil, f.source.Position()
	record, err := f.source.Read()
	r.record, r.err, r.after = append(r.record[:0], record...), err, f.source.Position()
	r.bytes = f.next
	p := f.pipeline.Load()
	if p == nil || err != nil {
		return
	}
	if r.left = f.keep != nil && !f.keep(r.record); r.left {
		return
	}
	if p.Prepare(r.record, &r.prepared) {
		r.row = &r.prepared
	}
}

// readAhead begins to read ahead, if it has not begun.
func (f *Feed) readAhead() {
	if f.ahead == nil {
		f.ahead = newAhead(f.read, f.isPipe())
	}
}

// await returns the records that were read since the last call, at least one unless the context ends. While it waits, the feed saves the
// records before them.
func (f *Feed) await(ctx context.Context) (list []*reading, err error) {
	if len(f.rest) > 0 {
		list, f.rest = f.rest, nil
		return list, nil
	}
	tick := (<-chan time.Time)(nil)
	for ctx.Err() == nil {
		if f.list = f.ahead.take(f.list[:0], f.done); len(f.list) > 0 {
			f.done = f.done[:0]
			return f.list, nil
		}
		f.done = f.done[:0]
		if err := f.drain(); err != nil {
			return nil, f.stop(err)
		}
		if err := f.saveIfDue(); err != nil {
			return nil, err
		}
		if tick == nil {
			timer := time.NewTicker(max(f.options.Every, time.Millisecond))
			defer timer.Stop()
			tick = timer.C
		}
		select {
		case <-f.ahead.more:
		case <-tick:
		case <-ctx.Done():
		}
	}
	return nil, f.stop(ctx.Err())
}
