// Package serve answers HTTP requests by a learner of a stream: forecasts, learning, and labels that come later under an id.
//
// A request that changes the model is first written to a journal and answered after the journal is synced to the disk. Requests that
// come at the same time share a sync. One goroutine applies them in the journal's order. After a restart the server replays the part of
// the journal that the last checkpoint lacks, and the model has the same bits. A request with a key counts once, even if it is sent
// several times.
//
// The model is a checkpoint of package driver: `phe stream`, `phe predict` and `phe inspect` read it.
//
// A program calls Open and then Server.Run, which serves until its context ends and closes the server. Run does both, and answers from the
// first moment. With a server of its own a program mounts Server.Handler, and calls Server.Close. Peek reads a model without a server.
//
// Follow makes a server of a model that another program learns. It only forecasts. Each answer has the number of the checkpoint by which it
// forecasts. With Options.ReadOnly, Open does so for a model's file, and changes no file.
package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/internal/journal"
	"gophe/phe/internal/text"
	"gophe/phe/live/checkpoint"
	"gophe/phe/live/driver"
	"gophe/phe/live/page"
	"gophe/phe/live/store"
	"gophe/phe/records"
	"gophe/phe/remedy"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// Server serves one model. Open makes a server that learns, and Follow a server that follows other machines.
type Server struct {
	options Options
	path    string // or the name of the store that is followed
	schema  schema.Schema
	columns map[string]int // places of the names
	marks   []byte         // of the decimals of each column: a comma, or 0 for any
	nested  records.Nested // the objects in a record; nil for a model that takes apart one level
	routes  []route
	metrics *metrics
	page    *page.Page // nil without Options.Page
	seats   *seats
	slots   chan struct{} // one element for each request under way
	ready   atomic.Bool

	stopping atomic.Bool             // Run ends soon
	early    func() (*Server, error) // makes the server that takes the place of one without a model; nil for one with a model
	next     atomic.Pointer[Server]  // what early has made

	followed *store.Follower // nil for a server that learns

	store   *checkpoint.Store
	journal *journal.Journal
	learner *stream.Learner

	order  sync.Mutex // held while an operation enters journal and queue, so that both have one order
	queue  chan *waiting
	closed bool

	rows      atomic.Int64 // learned
	repeated  atomic.Int64 // rows that came before, since the start
	corrected atomic.Int64 // and with another label
	learnedAt atomic.Int64 // when the newest row came, in milliseconds since 1970; 0 before the first

	explaining sync.Mutex // guards the fields below, so that clients of reasons take turns
	explained  int64      // rows that were learned at the last reason
	pause      time.Time  // until which no reason is made

	scraping   sync.Mutex         // guards the fields below
	seen, grew map[string]float64 // the model's counters when they were last seen, and their growth since the start

	// These fields belong to the goroutine that applies operations.
	applied uint64 // number of the last operation
	keys    keys
	state   driver.State // state of the checkpoint

	dropping bool // it was logged that waiting records are dropped

	saving sync.Mutex // held from a snapshot until it is saved, so that an older snapshot never replaces a newer one
	keptMu sync.Mutex // guards the field below
	kept   checkpoints

	ended sync.WaitGroup
}

// waiting is an operation in the queue.
type waiting struct {
	number    uint64
	operation operation
	answer    answer        // after done
	done      chan struct{} // closed when there is an answer
}

// Open opens the model at a path and its journal, the folder PATH.journal. If there is no model, begin makes the learner of a new one, and
// a nil begin makes that an error. Open replays the operations that the last checkpoint lacks.
func Open(path string, begin func() (*stream.Learner, error), o Options) (*Server, error) {
	if o.ReadOnly {
		say := o.withDefaults().Log
		f, err := store.Follow(context.Background(), path, newer(path, say), say)
		if err != nil {
			return nil, err
		}
		return Follow(path, f, o)
	}
	s, err := newServer(path, o)
	if err != nil {
		return nil, err
	}
	if s.store, err = checkpoint.Open(disk.System, path); err != nil {
		return nil, remedy.With("read only", err)
	}
	if err := s.open(begin); err != nil {
		s.store.Close()
		return nil, err
	}
	s.start(filepath.Base(path), s.learner.Moment)
	s.ended.Go(s.applyAll)
	return s, nil
}

// Explainer answers /v1/explain by a learner that its program takes along, under any host's name.
func Explainer(l *stream.Learner) http.Handler {
	s, _ := newServer("", Options{AnyHost: true}) // these options are valid
	s.learner = l
	s.describeRecords(l.Schema)
	s.routes = []route{{"/v1/explain", http.MethodPost, needsPlace, s.explain}}
	return s.Handler()
}

// newServer returns a server without a model.
func newServer(path string, o Options) (*Server, error) {
	o = o.withDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	return &Server{options: o, path: path, keys: newKeys(o.Keys, maxKeyBytes), metrics: &metrics{paths: map[string]*requests{}},
		seats: &seats{taken: map[peer]*seat{}, free: int(o.BodyMemory), spare: int(o.BodyMemory / 8)}, seen: map[string]float64{},
		queue: make(chan *waiting, o.Queue), slots: make(chan struct{}, o.Queue), grew: map[string]float64{}}, nil
}

// describeRecords notes the schema of the records.
func (s *Server) describeRecords(of schema.Schema) {
	s.schema, s.columns, s.marks = of, map[string]int{}, make([]byte, len(of.Columns))
	for i, name := range of.Names() {
		s.columns[name] = i
	}
	if of.Nested {
		s.nested = records.Nest(of.Names())
	}
	for _, name := range of.Commas() {
		s.marks[s.columns[name]] = ','
	}
	for _, name := range append(of.Names(), of.Target.Classes...) {
		if !utf8.ValidString(name) {
			s.options.Log(fmt.Sprintf("warning: %q is a column or a class and not UTF-8, so no request can name it; "+
				"convert the file to UTF-8 and learn it anew", name))
		}
	}
}

// start makes the page and the paths of a server that has its model.
func (s *Server) start(title string, moment func() stream.Moment) {
	if s.options.Page {
		s.page = page.New(moment, page.Options{Title: title, Viewers: max(1, s.options.Connections/4), Serving: true,
			Asks: s.schema})
	}
	s.routes = s.allRoutes()
	_, _ = s.showMetrics(nil, nil)
	clear(s.grew) // counters begin at 0
	s.ready.Store(true)
}

// open loads the model and replays the journal.
func (s *Server) open(begin func() (*stream.Learner, error)) error {
	if err := s.load(begin); err != nil {
		return err
	}
	s.adopt()
	if s.kept.Journal == "" {
		if err := s.nameJournal(); err != nil {
			return err
		}
	}
	if err := s.openJournal(); err != nil {
		return errors.WithMessagef(err, "the model %s", s.path)
	}
	err := s.replay()
	if err == nil {
		err = s.limitWaiting()
	}
	if newest := s.journal.Stats().Newest; err == nil && (newest != s.kept.Newest || s.kept.Closed) {
		err = s.saveFirst(newest)
	}
	if err != nil {
		s.journal.Close()
	}
	return errors.WithMessagef(err, "the model %s", s.path)
}

// load loads the model, or begins one.
func (s *Server) load(begin func() (*stream.Learner, error)) error {
	loaded, err := checkpoint.Peek(s.path)
	switch {
	case errors.Is(err, checkpoint.ErrNone) && begin == nil:
		return remedy.Errorf("make or begin a model", "there is no model %s", s.path)
	case errors.Is(err, checkpoint.ErrNone):
		s.learner, err = begin()
		s.state.Settings = s.options.Settings
		return err
	case err != nil:
		return err
	}
	if loaded.Warning != "" {
		s.options.Log("warning: " + loaded.Warning)
	}
	s.kept.at = loaded.Saved
	if err = s.decode(loaded); err == nil {
		err = errors.WithMessagef(s.state.Settings.Fits(s.options.Settings), "the model %s has other settings", s.path)
	}
	if err != nil || s.state.Served != nil {
		return err
	}
	if waiting, _ := s.learner.Waiting(); waiting > 0 {
		return errors.Errorf("%d records of %s wait for labels that come with its next rows; "+
			"let `phe stream` learn that input to its end first", waiting, s.state.Input.Name)
	}
	if s.learner.Rows() > 0 {
		s.kept.LearnedAt = loaded.Saved.UnixMilli()
	}
	return nil
}

// decode reads a checkpoint. The part of the server stays empty for a model that was never served.
func (s *Server) decode(loaded checkpoint.Loaded) (err error) {
	if s.learner, s.state, err = driver.Load(loaded); err != nil {
		return errors.WithMessagef(err, "the model %s", s.path)
	}
	if s.state.Served == nil {
		return nil
	}
	return errors.WithMessagef(text.Decode(s.state.Served, &s.kept.served), "the model %s was served by a newer program; use that program",
		s.path)
}

// adopt takes over the state of the checkpoint.
func (s *Server) adopt() {
	s.describeRecords(s.learner.Schema)
	s.rows.Store(s.learner.Rows())
	s.learnedAt.Store(s.kept.LearnedAt)
	s.applied = s.kept.Applied
	for _, a := range s.kept.Keys {
		s.keys.add(a)
	}
	s.kept.Keys = nil
}

// nameJournal gives the model the name by which its journal is recognised. It saves the name in both generations of the checkpoint. If one
// is damaged, the other must still find the journal.
func (s *Server) nameJournal() error {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // it never fails
	s.kept.Journal = hex.EncodeToString(b)
	return cmp.Or(s.saveFirst(0), s.saveFirst(0))
}

// openJournal opens the journal. A fault of the disk is no damage.
func (s *Server) openJournal() (err error) {
	s.journal, err = journal.Open(journalOf(s.path), s.journalOptions())
	switch {
	case err == nil || disk.Failed(err):
		return err
	case !s.options.LoseJournal:
		return remedy.With("lose journal", err)
	}
	return s.loseJournal(err)
}

// journalOf returns the folder of a model's journal.
func journalOf(path string) string { return path + ".journal" }

// journalOptions returns the options that find a damaged journal. A server that has stopped needs nothing of its journal. Only
// saveAndTrim begins new files, so that a checkpoint knows each.
func (s *Server) journalOptions() journal.Options {
	o := journal.Options{Identity: s.kept.Journal, First: s.applied + 1, Newest: s.kept.Newest, Last: s.applied}
	if s.kept.Closed {
		o.Newest = 0
	}
	return o
}

// loseJournal begins a new journal in place of a damaged or missing one. The model first learns what can be read of the old one. The old
// one gets another name, and the new one another identity, so that they cannot be mixed.
func (s *Server) loseJournal(why error) error {
	folder := journalOf(s.path)
	if err := s.readJournal(); disk.Failed(err) { // it is read up to the damage
		return err
	}
	lost := folder + ".lost-" + s.kept.Journal
	if err := s.nameJournal(); err != nil {
		return err
	}
	if err := os.Rename(folder, lost); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Wrapf(err, "cannot give the damaged journal the name %s; give it another name yourself", lost)
	}
	s.options.Log(fmt.Sprintf("warning: %s. The model goes on without the requests after number %d; what is left of them is in %s",
		why, s.applied, lost))
	var err error
	s.journal, err = journal.Open(folder, s.journalOptions())
	return err
}

// replay applies the operations that came after the checkpoint.
func (s *Server) replay() error {
	if w := s.journal.Stats().Warning; w != "" {
		s.options.Log("warning: " + w)
	}
	start, before := time.Now(), s.applied
	err := s.readJournal()
	if n := s.applied - before; err == nil && n > 0 {
		s.options.Log(fmt.Sprintf("%s: replayed %s of the journal in %.1f s; %s learned",
			s.path, text.Counted(n, "request"), time.Since(start).Seconds(), text.Counted(s.rows.Load(), "row")))
	}
	return err
}

// readJournal applies the records of the journal that the model lacks, up to the first fault.
func (s *Server) readJournal() error {
	return journal.Read(journalOf(s.path), s.journalOptions(), s.applied, func(number uint64, record []byte) error {
		var op operation
		err := text.Decode(record, &op)
		if err == nil {
			s.apply(number, op)
		}
		return errors.WithMessage(err, "reading the journal, which a newer program may have written; use that program")
	})
}

// enqueue writes an operation into the journal and the queue. The answer comes after the operation is safe and applied. A retry writes
// nothing: again is true, and its answer is the answer of the first request, which may still be under way.
func (s *Server) enqueue(op operation) (w *waiting, again bool, p *problem) {
	record, err := op.encode()
	if err != nil {
		return nil, false, fault(err)
	}
	if len(record) > journal.MaxRecord {
		return nil, false, bodyTooLarge(s.options.MaxBody)
	}
	s.order.Lock()
	defer s.order.Unlock()
	if s.closed {
		return nil, false, refusing(http.StatusServiceUnavailable, "stopping", "the server stops; nothing of this request was done. "+
			"Send it again later").after(5)
	}
	if first := s.keys.find(op.Key); first != nil {
		if first.operation.Sum != op.Sum {
			return nil, false, invalid("key_reused", "another request had the key %q; "+
				"take a new key for each request, and the same one for its retries", op.Key)
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
	s.queue <- w                                      // there is room: only this lock's holders send
	s.ended.Go(func() { _ = s.journal.Sync(number) }) // while earlier operations are applied; applyAll gets the error again
	return w, false, nil
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
			if s.journal.Stats().NewestBytes > maxSegment {
				s.keep()
			}
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
	s.order.Unlock()
	s.closePage()
	s.ended.Wait()
	if s.followed != nil {
		s.followed.Close()
		return nil
	}
	c, at := s.snapshot(), s.journal.Stats() // the journal may be missing after it, unless an operation was written and not applied
	c.served.Closed = at.Err == nil && at.Last == s.applied
	return cmp.Or(s.saveAndTrim(c), s.journal.Close(), s.store.Close())
}
