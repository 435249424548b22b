package log

import (
	"context"
	"fmt"
	"path"
	"sync"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/live/broker"
	"gophe/phe/remedy"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// Following says how far a program follows a model that another one learns.
type Following struct {
	Learned    string        // name of the rows that the other program learns
	Checkpoint uint64        // number of the newest checkpoint that was loaded, or that agreed
	Rows       int64         // learned
	Age        time.Duration // since the last checkpoint was loaded, or the last row was learned here
	// CaughtUp makes a server ready. A row or a checkpoint that was written just now should not clear it: a load balancer would then take
	// the server out at each one.
	CaughtUp bool
	File     bool // a model's file is read, and there is no store

	Replays            bool   // the rows behind the checkpoint are learned here
	Behind             int64  // rows that are not learned yet, as far as known; only if Replays
	Compared, Differed uint64 // checkpoints whose bits were compared with those here; only if Replays
}

// Follower keeps the learner of a store's newest checkpoint. With a log it also learns the rows behind that checkpoint, and compares its
// bits with the later ones. All methods are safe for concurrent use. The context ends it.
type Follower struct {
	context.Context
	stop    func()        // ends the context
	ended   chan struct{} // closed when nothing is learned here any more
	store   *NATSStore
	replay  Replay
	log     Table // nil without replay
	options Options
	silent  *silence

	mu            sync.Mutex // guards all below
	d             *driver    // its learner forecasts
	at            Following
	moved         time.Time // when Age began
	current       time.Time // when nothing was behind
	tried, judged uint64    // checkpoints: the newest when one was loaded; the last that was compared, or passed
	key, newest   Mark      // to be compared next; of the newest look
	noted         Mark      // of the bits here
	from          streamPlace
	base          int64  // records at from
	failed        error  // of the log
	told          string // the last error
	differs       bool   // the bits, when they were last compared
}

// Replay opens the log of a learner's rows, which waits for more at its end, and says how they are learned.
type Replay func(*stream.Learner, State) (Table, Options, error)

// moment is the time for which a follower counts as caught up.
const moment = 5 * time.Second

// Follow waits for the first checkpoint of a store, and follows the store until ctx ends. A nil replay only loads checkpoints.
func Follow(ctx context.Context, s *NATSStore, replay Replay) (*Follower, error) {
	f := &Follower{store: s, replay: replay, ended: make(chan struct{})}
	f.Context, f.stop = context.WithCancel(ctx)
	f.silent = &silence{what: "checkpoint of the store " + s.name, again: "the servers of the store " + s.name + " answer again",
		say: s.c.Say, why: s.c.Why}
	if m, err := s.Look(ctx); err == nil && m.Generation == 0 {
		s.c.Say(fmt.Sprintf("waits for the first checkpoint of the store %s", s.name))
	}
	if err := f.load(); err != nil {
		return nil, err
	}
	if replay != nil {
		for _, err := range f.log.Read(ctx, f.d.State.Position) { // a wrong log is told at once
			if err != nil {
				return nil, err
			}
			break
		}
	} else {
		go f.silent.watch(ctx)
	}
	go f.run()
	return f, nil
}

// load takes the newest checkpoint.
func (f *Follower) load() error {
	payload, generation, err := f.store.Newest(f, 0)
	if err != nil {
		return err
	}
	f.mu.Lock()
	f.tried = max(generation, f.newest.Generation) // the newest may be damaged
	f.mu.Unlock()
	var s State
	l, err := stream.Read(payload, &s)
	if err != nil {
		return errors.WithMessagef(err, "checkpoint %d of the store %s", generation, f.store.name)
	}
	m, err := MarkOf(payload)
	if err != nil {
		return err
	}
	from := s.inStream()
	if f.replay != nil && s.Records() > 0 && from.Stream == "" {
		return remedy.Errorf("replay", "the model in the store %s learns %s, which is no stream of NATS", f.store.name, s.Name())
	}
	if f.d == nil && f.replay != nil {
		f.log, f.options, err = f.replay(l, s)
	} else if f.d != nil {
		err = SameRecords("of the store "+f.store.name, f.d.Learner.Schema, l.Schema)
	}
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	f.silent.since(now)
	f.d, f.moved, f.current, f.failed = newDriver(l, s, nil, f.log, f.options), now, now, nil
	m.Generation = generation
	f.noted, f.key, f.newest, f.judged = m, m, m, generation
	f.from, f.base = from, s.Records()
	f.at.Checkpoint, f.at.Learned = generation, path.Base(string(s.Name()))
	return nil
}

// SameRecords returns an error if a newer model reads other records than a server was begun with.
func SameRecords(model string, was, now schema.Schema) error {
	records := func(of schema.Schema) string { return fmt.Sprint(of.Names(), of.Target, of.Commas()) }
	if records(was) != records(now) {
		return errors.Errorf("the model %s has other columns, another target or other decimal commas now; start the server again", model)
	}
	return nil
}

// run loads checkpoints, or learns rows between them, until the context ends.
func (f *Follower) run() {
	defer close(f.ended)
	for f.Err() == nil {
		ctx, stop := context.WithCancel(f)
		var learning sync.WaitGroup
		if f.replay != nil {
			learning.Go(func() { f.learn(ctx) })
		}
		f.watch()
		stop()
		learning.Wait()
		if f.Err() == nil {
			f.tell(f.load())
		}
	}
}

// tell says an error, once.
func (f *Follower) tell(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil && f.Err() == nil && f.told != err.Error() {
		f.told = err.Error()
		f.store.c.Say("warning: forecasts come from the model as it was: " + f.told)
	}
}

// watch returns when a checkpoint must be loaded.
func (f *Follower) watch() {
	for ; f.Err() == nil; broker.Sleep(f, lookEvery) {
		m, err := f.store.Look(f)
		if f.tell(err); err == nil && f.judge(m) {
			return
		}
	}
}

// judge looks at the mark of the newest checkpoint, and returns whether a checkpoint must be loaded.
func (f *Follower) judge(m Mark) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.newest = m
	if f.replay == nil || f.failed != nil {
		if m.Generation == f.tried && f.failed == nil {
			f.current = time.Now()
		}
		return m.Generation != f.tried && m.Generation > 0
	}
	if f.key.Generation == f.judged {
		f.key = m
	}
	if f.failed = f.note(); f.failed != nil || f.key.Generation == f.judged {
		return false
	}
	if rows := f.d.State.Rows; f.noted.Rows != f.key.Rows {
		if rows > f.key.Rows { // nobody had announced that it would be saved
			f.judged = f.key.Generation
		}
		return false
	}
	f.judged = f.key.Generation
	f.at.Compared++
	f.compare()
	return f.differs
}

// compare compares the bits here with the key's. It says it when they differ that agreed before, and when they agree again.
func (f *Follower) compare() {
	was := f.differs
	if f.differs = f.noted.CRC != f.key.CRC; f.differs {
		f.at.Differed++
	} else {
		f.at.Checkpoint = f.judged
	}
	switch {
	case was && !f.differs:
		f.store.c.Say(fmt.Sprintf("after %d rows the bits here agree again with the store %s", f.key.Rows, f.store.name))
	case !was && f.differs:
		f.store.c.Say(fmt.Sprintf("warning: after %d rows the bits here differ from checkpoint %d of the store %s: "+
			"another kind of processor or another program computes otherwise, a row of the stream was changed, or a bit of a memory; "+
			"the checkpoint is loaded here, and each later one whose bits differ", f.key.Rows, f.judged, f.store.name))
	}
}

// note takes the mark of the bits here if a checkpoint is saved after as many rows.
func (f *Follower) note() error {
	rows := f.d.State.Rows
	if rows == f.noted.Rows || rows != f.key.Rows && rows != f.newest.Next {
		return nil
	}
	crc, err := CRC(f.d.Learner)
	f.noted = Mark{Rows: rows, CRC: crc}
	return err
}

// learn learns the rows of the log until ctx ends or one cannot be learned.
func (f *Follower) learn(ctx context.Context) {
	for e, err := range f.log.Read(ctx, f.d.State.Position) {
		f.mu.Lock()
		if err == nil {
			err = f.take(e)
		}
		f.failed = err
		f.mu.Unlock()
		if err != nil {
			f.tell(errors.WithMessage(err, "rows are learned here no more, until the next checkpoint"))
			return
		}
	}
}

// take learns a row.
func (f *Follower) take(e Entry) error {
	if e.Waits {
		if e.AtEnd {
			f.current = time.Now()
		}
		return nil
	}
	if err := f.d.take(&reading{record: e.Record, err: e.Bad, after: e.After}); err != nil {
		return err
	}
	f.moved = time.Now()
	return f.note()
}

// Release ends the following, and returns the learner and its state if it has the bits of a checkpoint, or had them and learned on.
func (f *Follower) Release(m Mark) (l *stream.Learner, s State, same bool) {
	f.stop()
	<-f.ended
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.log != nil {
		f.log.Close()
	}
	if s = f.d.State; f.d.after != nil {
		s.Position = f.d.after.Position()
	}
	f.key = m // perhaps nobody has compared it yet
	err := f.note()
	agreed := f.at.Checkpoint == m.Generation && !f.differs || f.noted.Rows == m.Rows && f.noted.CRC == m.CRC
	return f.d.Learner, s, agreed && m.Generation > 0 && f.failed == nil && err == nil
}

// Read calls use with the learner and where it stands, which belong together. The learner stays as it is until use returns. use must not
// change it nor keep it.
func (f *Follower) Read(use func(*stream.Learner, Following)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	use(f.d.Learner, f.position())
	return nil
}

// Position returns how far the follower has come.
func (f *Follower) Position() Following {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.position()
}

func (f *Follower) position() Following {
	at := f.at
	at.Rows, at.Age, at.CaughtUp = f.d.Learner.Rows(), time.Since(f.moved), time.Since(f.current) < moment
	if at.Replays = f.replay != nil; !at.Replays {
		return at
	}
	at.Behind = max(0, f.newest.Rows-f.d.State.Rows)
	if after, ok := f.d.after.(streamPlace); ok && after.Next > f.from.Next {
		read, size := f.log.Progress() // in messages, which have as many rows as those before
		at.Behind = max(at.Behind, (size-read)*(f.d.State.Records()-f.base)/int64(after.Next-f.from.Next))
	}
	return at
}
