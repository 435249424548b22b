// Package serve answers HTTP requests by a learner of a stream: forecasts, learning, and labels that come later under an id.
//
// A request that changes the model is first written to a journal and answered after the journal is synced to the disk. Requests that
// come at the same time share a sync. One goroutine applies them in the journal's order. After a restart the server replays the part of
// the journal that the last checkpoint lacks, and the model has the same bits. A request with a key counts once, even if it is sent
// several times.
//
// The model is a checkpoint of package feed: `phe stream`, `phe predict` and `phe inspect` read it.
//
// A server can also follow a belief that other machines learn. It then only forecasts. Each answer has the number of contributions that
// the belief has folded, and the number that it lacks.
package serve

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/pkg/errors"

	"gophe/phe/checkpoint"
	"gophe/phe/feed"
	"gophe/phe/journal"
	"gophe/phe/page"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// Server serves one model. Open makes a server that learns, and Follow a server that follows other machines.
type Server struct {
	options Options
	path    string // or the name of the belief that is followed
	schema  schema.Schema
	columns map[string]int // places of the names
	routes  []route
	metrics *metrics
	page    *page.Page    // nil without Options.Page
	slots   chan struct{} // one element for each request under way
	ready   atomic.Bool

	followed Followed // nil for a server that learns

	store   *checkpoint.Store
	journal *journal.Journal
	learner *stream.Learner

	order   sync.Mutex // held while an operation enters journal and queue, so that both have one order
	queue   chan *waiting
	closed  bool
	written atomic.Uint64 // number of the last record in the journal
	wake    chan struct{} // something is to be synced

	rows      atomic.Int64 // learned
	learnedAt atomic.Int64 // when the newest row came, in milliseconds since 1970; 0 before the first

	// These fields belong to the goroutine that applies operations.
	applied uint64 // number of the last operation
	keys    keys
	state   feed.State // state of the checkpoint

	keeping
	ended sync.WaitGroup
}

// waiting is an operation in the queue.
type waiting struct {
	number    uint64
	operation operation
	answer    answer        // after done
	done      chan struct{} // closed when there is an answer
}

// Open opens the model at a path and its journal. The journal is the folder beside the model with ".journal" after the model's name. If
// there is no model, begin makes the learner of a new model. A nil begin makes that an error. Open replays the operations that the last
// checkpoint lacks.
func Open(path string, begin func() (*stream.Learner, error), o Options) (*Server, error) {
	s, err := newServer(path, o)
	if err != nil {
		return nil, err
	}
	if s.store, err = checkpoint.Open(path); err != nil {
		return nil, err
	}
	if err := s.open(begin); err != nil {
		s.store.Close()
		return nil, err
	}
	s.start(filepath.Base(path), s.learner.Moment)
	s.ended.Go(s.syncAll)
	s.ended.Go(s.applyAll)
	return s, nil
}

// newServer returns a server without a model.
func newServer(path string, o Options) (*Server, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	return &Server{options: o, path: path, keys: newKeys(o), metrics: newMetrics(), queue: make(chan *waiting, o.Queue),
		slots: make(chan struct{}, o.Queue), wake: make(chan struct{}, 1)}, nil
}

// describeRecords notes the schema of the records.
func (s *Server) describeRecords(of schema.Schema) {
	s.schema, s.columns = of, map[string]int{}
	for i, name := range of.Names() {
		s.columns[name] = i
	}
	for _, name := range append(of.Names(), of.Target.Classes...) {
		if !utf8.ValidString(name) {
			s.options.Log(fmt.Sprintf("warning: %q is a column or a class and not UTF-8, so no request can name it; convert the file to UTF-8 and learn it anew", name))
		}
	}
}

// start makes the page and the paths of a server that has its model.
func (s *Server) start(title string, moment func() stream.Moment) {
	if s.options.Page {
		s.page = page.New(moment, page.Options{Title: title})
	}
	s.routes = s.allRoutes()
	s.ready.Store(true)
}

// open loads the model and replays the journal.
func (s *Server) open(begin func() (*stream.Learner, error)) error {
	served, err := s.load(begin)
	if err != nil {
		return err
	}
	s.describeRecords(s.learner.Schema())
	s.rows.Store(s.learner.Rows())
	s.learnedAt.Store(served.LearnedAt)
	s.applied = served.Applied
	for _, a := range served.Keys {
		s.keys.add(a)
	}
	s.identity, s.kept = served.Journal, served.Applied
	if s.identity == "" {
		if err := s.baptise(); err != nil {
			return err
		}
	}
	return s.openJournal()
}

// load loads the model, or begins one.
func (s *Server) load(begin func() (*stream.Learner, error)) (served served, err error) {
	loaded, err := s.store.Load(feed.Kind)
	if errors.Is(err, checkpoint.ErrNone) {
		if begin == nil {
			return served, errors.Errorf("there is no model %s; `phe stream FILE --target COLUMN` makes one, and --schema begins an empty one", s.path)
		}
		s.learner, err = begin()
		return served, err
	}
	if err != nil {
		return served, err
	}
	if loaded.Warning != "" {
		s.options.Log("warning: " + loaded.Warning)
	}
	if s.learner, s.state, err = feed.Load(loaded.Payload); err != nil {
		return served, errors.WithMessagef(err, "the model %s", s.path)
	}
	s.keptAt = loaded.Saved
	if s.state.Served == nil {
		if waiting, _ := s.learner.Waiting(); waiting > 0 {
			return served, errors.Errorf("%d records of %s wait for labels that come with its next rows; let `phe stream` learn that input to its end first", waiting, s.state.Input.Name)
		}
		if s.learner.Rows() > 0 {
			served.LearnedAt = loaded.Saved.UnixMilli()
		}
		return served, nil
	}
	return served, errors.Wrapf(json.Unmarshal(s.state.Served, &served), "the model %s was served by a newer program; use that program", s.path)
}

// baptise gives the model the name by which its journal is recognised. It saves the name in both generations of the checkpoint. If one
// is damaged, the other must still find the journal.
func (s *Server) baptise() error {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // it never fails
	s.identity = hex.EncodeToString(b)
	for range 2 {
		copied, err := s.snapshot()
		if err != nil {
			return err
		}
		if err := s.save(copied); err != nil {
			return err
		}
	}
	return nil
}

// openJournal opens the journal and replays the operations that the model lacks.
func (s *Server) openJournal() (err error) {
	folder := s.path + ".journal"
	if s.journal, err = journal.Open(folder, journal.Options{Identity: s.identity, First: s.applied + 1}); err != nil {
		return err
	}
	if w := s.journal.Warning(); w != "" {
		s.options.Log("warning: " + w)
	}
	stats := s.journal.Stats()
	if stats.Last < s.applied {
		err = errors.Errorf("the journal %s ends with record %d, and the model has learned %d records: the journal is an older copy, and everything in it is in the model; move the folder away",
			folder, stats.Last, s.applied)
	} else {
		err = s.replay()
	}
	if err != nil {
		s.journal.Close()
		return errors.WithMessagef(err, "the model %s", s.path)
	}
	s.written.Store(stats.Last)
	return nil
}

// replay applies the operations that came after the checkpoint.
func (s *Server) replay() error {
	start, before := time.Now(), s.applied
	err := s.journal.Replay(s.applied, func(number uint64, record []byte) error {
		op, err := decodeOperation(record)
		switch {
		case err != nil:
			return err
		case !op.First && s.keys.find(op.Key) != nil: // programs before 2026-11-23 wrote retries into the journal too
			s.applied = number
		default:
			s.apply(number, op)
		}
		return nil
	})
	if n := s.applied - before; err == nil && n > 0 {
		s.options.Log(fmt.Sprintf("%s: replayed %s requests of the journal in %.1f s; %s rows learned", s.path, stream.Grouped(int64(n)), time.Since(start).Seconds(), stream.Grouped(s.rows.Load())))
	}
	return err
}

// enqueue writes an operation into the journal and the queue. The answer comes after the operation is safe and applied. A retry writes
// nothing: again is true, and its answer is the answer of the first request, which may still be under way.
func (s *Server) enqueue(op operation) (w *waiting, again bool, p *problem) {
	record, err := op.encode()
	if err != nil {
		return nil, false, fault(err)
	}
	if len(record) > journal.MostRecord {
		return nil, false, tooLarge(s.options.MaxBody)
	}
	s.order.Lock()
	defer s.order.Unlock()
	if s.closed {
		return nil, false, stopping()
	}
	if first := s.keys.find(op.Key); first != nil {
		if first.operation.Sum != op.Sum {
			return nil, false, keyReused(string(op.Key))
		}
		return first, true, nil
	}
	if len(s.queue) == cap(s.queue) {
		return nil, false, busy()
	}
	number, err := s.journal.Write(record)
	if err != nil {
		s.fail(err)
		return nil, false, notSafe(err)
	}
	w = &waiting{number: number, operation: op, done: make(chan struct{})}
	s.keys.begin(w)
	s.queue <- w // there is room: only this lock's holders send
	s.written.Store(number)
	select {
	case s.wake <- struct{}{}:
	default: // it is awake
	}
	return w, false, nil
}

// syncAll syncs the journal to the disk while operations are applied.
func (s *Server) syncAll() {
	for range s.wake {
		_ = s.journal.Sync(s.written.Load()) // each operation meets the error again
	}
}

// applyAll applies operations as soon as they are safe, and makes checkpoints.
func (s *Server) applyAll() {
	tick := time.NewTicker(s.options.Checkpoint)
	defer tick.Stop()
	for {
		select {
		case w, open := <-s.queue:
			if !open {
				return
			}
			if err := s.journal.Sync(w.number); err != nil {
				s.fail(err)
				s.keys.end(w, s.refuse(notSafe(err), now()))
				continue
			}
			s.keys.end(w, s.apply(w.number, w.operation))
		case <-tick.C:
			s.keep()
		}
	}
}

// fail logs, once, that nothing can be learned any more.
func (s *Server) fail(err error) {
	if s.ready.Swap(false) {
		s.options.Log("warning: nothing more can be learned, and forecasts go on: " + err.Error())
	}
}

// Close applies the operations in the queue, saves a checkpoint and closes the model. A server that follows has none of these. The
// server must get no more requests.
func (s *Server) Close() error {
	s.order.Lock()
	if s.closed {
		s.order.Unlock()
		return nil
	}
	s.closed = true
	s.ready.Store(false)
	close(s.queue)
	close(s.wake)
	s.order.Unlock()
	s.closePage()
	s.ended.Wait()
	if s.followed != nil {
		return nil
	}
	err := s.keepLast()
	if closed := s.journal.Close(); err == nil {
		err = closed
	}
	if closed := s.store.Close(); err == nil {
		err = closed
	}
	return err
}
