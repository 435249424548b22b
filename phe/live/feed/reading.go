package feed

import (
	"context"
	"time"

	"gophe/data/records"
	"gophe/phe/stream"
)

// reading is the result of one call of a source's Read.
type reading struct {
	record        []string
	err           error
	before, after records.Position
	bytes         Fingerprint      // of the bytes before after; only of a plain file
	row           *stream.Prepared // nil unless the pipeline will learn the record
	left          bool             // the condition leaves out a record that the pipeline would learn
	prepared      stream.Prepared
}

// last tells whether nothing can be read after the reading.
func (r *reading) last() bool { return r.err != nil && !isBad(r.err) }

// Limits of a list of readings: enough to keep threads at work, in little memory.
const maxAhead, maxAheadBytes = 128, 1 << 20

// ahead is what a feed has read and not yet learned.
type ahead struct {
	lists chan []*reading // of one place
	stop  chan struct{}   // closed when nothing more is to be read
	ended chan struct{}   // closed when nothing more is read
}

// readAhead begins to read in a goroutine of its own, if it has not begun.
func (f *feeding) readAhead() {
	if f.ahead == nil {
		f.spare.New = func() any { return &reading{} }
		f.ahead = &ahead{make(chan []*reading, 1), make(chan struct{}), make(chan struct{})}
		go f.fill(f.ahead, f.isPipe())
	}
}

// fill gives full lists of a file's records. Of a pipe it keeps no record back, so the feed learns each record when it comes, and can save and
// stop while the pipe is silent.
func (f *feeding) fill(a *ahead, pipe bool) {
	defer close(a.ended)
	var list []*reading
	size, full := 0, false
	for {
		r := f.spare.Get().(*reading)
		f.read(r)
		if pipe && !full {
			select {
			case list = <-a.lists: // nobody has taken it yet
			default:
				list, size = nil, 0
			}
		}
		if full {
			list, size = nil, 0
		}
		list = append(list, r)
		for _, field := range r.record {
			size += len(field)
		}
		full = len(list) >= maxAhead || size >= maxAheadBytes
		if !pipe && !full && !r.last() {
			continue
		}
		select {
		case a.lists <- list:
		case <-a.stop:
			return
		}
		if r.last() {
			return
		}
	}
}

// isPipe returns whether the input cannot be read again.
func (f *feeding) isPipe() bool { return f.State.Input.isPipe() && !f.plain }

// read reads one record. It prepares the record if there is a pipeline. A record that the pipeline cannot learn gets its error where
// records are learned one by one.
func (f *feeding) read(r *reading) {
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

// await returns the next records that were read, at least one unless the context ends. While it waits, the feed saves the records before
// them.
func (f *feeding) await(ctx context.Context) (list []*reading, err error) {
	if list, f.rest = f.rest, nil; len(list) > 0 {
		return list, nil
	}
	if ctx.Err() == nil {
		select {
		case list = <-f.ahead.lists:
			return list, nil
		default:
		}
	}
	tick := time.NewTicker(max(f.options.Every, time.Millisecond))
	defer tick.Stop()
	for ctx.Err() == nil {
		if err := f.drain(); err != nil {
			return nil, f.stop(err)
		}
		if err := f.saveIfDue(); err != nil {
			return nil, err
		}
		select {
		case list = <-f.ahead.lists:
			return list, nil
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	return nil, f.stop(ctx.Err())
}
