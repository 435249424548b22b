package driver

import (
	"context"
	"io"
	"sync"
	"time"

	"gophe/phe/live/source"
	"gophe/phe/stream"
)

// reading is an entry of a log with a record of its own. Of the end, Bad is io.EOF or why reading ended.
type reading struct {
	source.Entry
	row      *stream.Prepared // nil unless the pipeline will learn the record
	left     bool             // the condition leaves out a record that the pipeline would learn
	prepared stream.Prepared
}

// last tells whether nothing can be read after the reading.
func (r *reading) last() bool { return r.Bad != nil && !source.IsBad(r.Bad) }

// Limits of a list of readings: enough to keep threads at work, in little memory.
const maxAhead, maxAheadBytes = 128, 1 << 20

// ahead holds entries that a driver has read and not yet learned.
type ahead struct {
	lists  chan []*reading // has room for one
	full   chan struct{}   // a list is full or the last; has room for one
	begun  chan struct{}   // closed when the log has found the position, or failed
	failed error           // why it did not find the position
	stop   func()          // ends the reading
	ended  chan struct{}   // closed when nothing more is read
	spare  sync.Pool       // of readings
}

// readAhead begins to read in a goroutine of its own, if it has not begun.
func (d *Driver) readAhead(ctx context.Context) {
	if d.ahead != nil {
		return
	}
	ctx, stop := context.WithCancel(ctx)
	d.ahead = &ahead{lists: make(chan []*reading, 1), full: make(chan struct{}, 1), begun: make(chan struct{}), stop: stop,
		ended: make(chan struct{}), spare: sync.Pool{New: func() any { return &reading{} }}}
	go d.fill(ctx, d.ahead, d.State.Position)
}

// fill sends lists of entries: full ones, and a shorter one when the source has to wait. It extends a list that is not received yet.
func (d *Driver) fill(ctx context.Context, a *ahead, from source.Position) {
	defer close(a.ended)
	var list []*reading
	var once sync.Once // for begun
	size, full, end := 0, false, &reading{Entry: source.Entry{Bad: io.EOF}}
	give := func() (given bool) {
		if !full {
			select {
			case earlier := <-a.lists:
				list = append(earlier, list...)
			default:
			}
		}
		if full = len(list) >= maxAhead || size >= maxAheadBytes || list[len(list)-1] == end; full {
			size = 0
			select {
			case a.full <- struct{}{}:
			default:
			}
		}
		select {
		case a.lists <- list:
			given = true
		case <-ctx.Done():
		}
		list = nil
		return given
	}
	for e, err := range d.source.Read(ctx, from) {
		once.Do(func() { a.failed = err; close(a.begun) })
		if end.AtEnd = e.AtEnd; err != nil {
			end.Bad = err
			break
		}
		if !e.Waits {
			list = append(list, d.read(e))
		}
		for _, field := range e.Record {
			size += len(field)
		}
		if (e.Waits && len(list) > 0 || len(list) >= maxAhead || size >= maxAheadBytes) && !give() {
			return
		}
	}
	once.Do(func() { close(a.begun) })
	list = append(list, end)
	give()
}

// read copies an entry, and prepares the record if there is a pipeline. A record that this cannot learn gets its error in take.
func (d *Driver) read(e source.Entry) *reading {
	r := d.ahead.spare.Get().(*reading)
	e.Record = append(r.Record[:0], e.Record...)
	r.Entry, r.left, r.row = e, false, nil
	p := d.pipeline.Load()
	if p == nil || len(r.Record) == 0 {
		return r
	}
	if r.left = d.keep != nil && !d.keep(r.Record); !r.left && p.Prepare(r.Record, &r.prepared) {
		r.row = &r.prepared
	}
	return r
}

// await returns the next records that were read, at least one unless the context ends. While it waits, it saves the records before them.
func (d *Driver) await(ctx context.Context) (list []*reading, err error) {
	select {
	case <-d.ahead.full:
	case <-time.After(source.Linger):
	case <-ctx.Done():
	}
	if ctx.Err() == nil {
		select {
		case list = <-d.ahead.lists:
			return list, nil
		default:
		}
	}
	tick := time.Tick(max(d.options.Every, time.Millisecond))
	for ctx.Err() == nil {
		if err := d.drain(); err != nil {
			return nil, d.stop(err)
		}
		if err := d.saveIfDue(); err != nil {
			return nil, err
		}
		select {
		case list = <-d.ahead.lists:
			return list, nil
		case <-tick:
		case <-ctx.Done():
		}
	}
	return nil, d.stop(ctx.Err())
}
