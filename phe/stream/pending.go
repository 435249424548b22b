package stream

import (
	"cmp"
	"container/list"
	"math"
	"slices"

	"github.com/pkg/errors"

	"gophe/phe/internal/text"
	"gophe/phe/stream/internal/ensemble"
	"gophe/phe/stream/repeats"
	"gophe/phe/stream/schema"
)

// pending are records whose labels are not known yet, with the forecasts that they got.
type pending struct {
	queue   list.List     // of *asked, by the time when their labels come, and then oldest first
	added   *list.Element // the newest, which may be gone
	bytes   int64         // of memory
	byID    map[string]*list.Element
	dropped int64  // records that had to make room before their labels came
	spare   *asked // memory of a record that was learned
}

type pendingState struct {
	Dropped int64    `json:"dropped"`
	Queue   []*asked `json:"queue"`
}

type asked struct {
	ID          text.String          `json:"id"`
	Record      text.Strings         `json:"record"`
	Row         int64                `json:"row"`  // rows learned when it was asked
	Seen        int64                `json:"seen"` // times that its rarest item had been seen
	Predictions ensemble.Predictions `json:"forecasts"`
	Due         int64                `json:"due,omitempty"` // when its label comes, in microseconds since 1970; 0 if no clock tells

	bytes int64
}

// size estimates the bytes of memory that a record takes, with its place in the queue.
func (a *asked) size() int64 {
	const fixed, each, field = 776, 136, 16 // bytes of a record, a forecast and the head of a text
	p := &a.Predictions
	n := fixed + 2*len(a.ID) + (len(p.Experts)+len(p.Choices))*(each+8*len(p.Main.Classes)) + 24*len(p.Main.Classes) +
		8*(1+len(p.Choices))*len(p.Main.Inputs)
	for _, text := range a.Record {
		n += field + len(text)
	}
	return int64(n)
}

// add adds a record. Rows of one log that are out of order are neighbours of each other, so the search for a place begins at the newest.
func (w *pending) add(a *asked) {
	due := func(e *list.Element) int64 { return e.Value.(*asked).Due }
	at := cmp.Or(w.added, w.queue.Back())
	for at != nil && due(at) <= a.Due && at.Next() != nil {
		at = at.Next()
	}
	for at != nil && due(at) > a.Due {
		at = at.Prev()
	}
	if at == nil {
		w.added = w.queue.PushFront(a)
	} else {
		w.added = w.queue.InsertAfter(a, at)
	}
	a.bytes = a.size()
	w.byID[string(a.ID)], w.bytes = w.added, w.bytes+a.bytes
}

// drop drops the records that have no room, or that have waited too long when a number of rows is learned.
func (w *pending) drop(row int64, o Options) {
	full := func(oldest *list.Element) bool {
		if o.WaitingBytes > 0 {
			return w.bytes > o.WaitingBytes
		}
		return w.queue.Len() > o.Waiting || oldest.Value.(*asked).Row < row-o.WaitingRows
	}
	for e := w.queue.Front(); e != nil && full(e); e = w.queue.Front() {
		w.remove(e)
		w.dropped++
	}
}

func (w *pending) remove(e *list.Element) *asked {
	a := w.queue.Remove(e).(*asked)
	delete(w.byID, string(a.ID))
	if w.bytes -= a.bytes; w.added == e {
		w.added = nil
	}
	return a
}

func (w *pending) state() pendingState {
	s := pendingState{Dropped: w.dropped}
	for e := w.queue.Front(); e != nil; e = e.Next() {
		s.Queue = append(s.Queue, e.Value.(*asked))
	}
	return s
}

// ErrUnknownID is the error of a label for which no record waits.
var ErrUnknownID = errors.New("no record waits for a label under this id: it was never asked about, was labelled before, or waited too long")

// Ask forecasts a record and keeps it until Label brings its target under the id. An id that waits already is an error.
func (l *Learner) Ask(id string, r schema.Record) (Forecast, error) { return l.ask(id, r, 0, false) }

// ask is Ask. With late, the record has its label, which only comes later. A record that came before is no new row of the stream. Ask
// forecasts it all the same, since its label may be new.
func (l *Learner) ask(id string, r schema.Record, due int64, late bool) (f Forecast, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	y, err := l.label(r) // a table with late labels has it already: only the score of the forecast will read it
	if !late {           // the label may come yet
		err = l.check(r)
	}
	if err != nil {
		return Forecast{}, err
	}
	if id == "" || l.pending.byID[id] != nil {
		return Forecast{}, errors.Errorf("the id %q is empty or waits for a label already; give each record an id of its own", id)
	}
	known, call := ensemble.Label{}, ensemble.CallAsk
	if late {
		known = y
	}
	l.read(r, ensemble.Label{})
	again := l.last.See(l.hash(&l.row, known))
	if !again.Learned() {
		if call = ensemble.CallAgain; late {
			return Forecast{Again: again}, nil
		}
	}
	f = l.wait(id, r, y, due, call)
	f.Again = again
	return f, nil
}

// wait forecasts the record that was read, and lets it wait for its label.
func (l *Learner) wait(id string, r schema.Record, y ensemble.Label, due int64, call ensemble.Call) Forecast {
	p, a := &l.takeRead(call).Predictions, cmp.Or(l.pending.spare, &asked{})
	l.pending.spare = nil
	a.Predictions.Keep(p, y)
	if l.eval.Keeps {
		a.Predictions.Width = l.eval.Width(p)
	}
	a.ID, a.Record, a.Row, a.Seen, a.Due = text.String(id), append(a.Record[:0], r...), p.Rows, p.Seen, due
	l.pending.add(a)
	l.pending.drop(a.Row, l.options)
	f := l.forecastRead()
	l.tell(&l.row, &f)
	return f
}

// Await forecasts a record and keeps it until Bring brings its label. The schema has its id, which names one record: a record with an id
// that waits, or that one of the last records had, is not forecast, as Forecast.Again says.
func (l *Learner) Await(r schema.Record) (f Forecast, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.label(r); err != nil {
		return f, err
	}
	c := &l.Schema.Columns[l.id]
	id, _ := c.Value(r[l.id])
	if id == "" {
		return f, &schema.FieldError{Column: c.Name, Problem: "no label can come for a row without an id", Remedy: "give it one"}
	}
	l.read(r, ensemble.Label{})
	f.Again = l.last.SeeFirst(l.hash(&l.row, ensemble.Label{}))
	if l.pending.byID[id] != nil {
		f.Again = cmp.Or(f.Again, repeats.Repeated)
	}
	if f.Again != repeats.Fresh {
		return f, nil
	}
	return l.wait(id, r, ensemble.Label{}, 0, ensemble.CallAsk), nil
}

// Bring is Label for a record that Await keeps. The forecast has only the number of alarms so far, and the reason of a new one. The label
// of a record that waits no more is Repeated or Corrected if that record had one. For an empty label no record waits.
func (l *Learner) Bring(id, target string) (f Forecast, err error) {
	id, _ = l.Schema.Columns[l.id].Value(id)
	y, known, err := l.Schema.Target.Parse(target)
	if !known {
		return f, cmp.Or(err, ErrUnknownID)
	}
	if err = l.learnLate(id, target, true); err == ErrUnknownID && l.last != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		h := l.last.Hash(id, 0)
		h.Label(math.Float64bits(y))
		if again := l.last.SeeLabel(h); again != repeats.Fresh {
			return f, again
		}
	}
	if err != nil {
		return f, err
	}
	return l.LearnWaiting(math.MaxInt)
}

// Label learns the target of a record that Ask forecast, and scores that forecast. It returns ErrUnknownID if no record waits under the id,
// and Repeated or Corrected for a record that waits no more, and came before. A target that is missing drops the record, unlearned.
func (l *Learner) Label(id, target string) error { return l.learnLate(id, target, true) }

// learnLate learns the target of a record that waits. With see, it does not learn a record that came before.
func (l *Learner) learnLate(id, target string, see bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	waits := l.pending.byID[id]
	if waits == nil {
		return ErrUnknownID
	}
	a := waits.Value.(*asked)
	record := schema.Record(a.Record)
	before := record[l.target]
	record[l.target] = target
	y, err := l.label(record)
	if err != nil {
		record[l.target] = before
		return err
	}
	if before != target { // the probability that is kept is another label's
		a.Predictions.Main.Log, a.Predictions.BaseRate.Log = 0, 0
	}
	l.pending.remove(waits)
	l.read(record, y)
	r := &l.row
	if see {
		if again := l.last.See(l.hash(r, y)); !again.Learned() {
			return again
		}
	}
	if r.Reason, r.Changed = "", 0; y.Known {
		r.Late = &a.Predictions
		r.Late.Seen, r.Late.Rows = a.Seen, a.Row
		l.takeRead(ensemble.CallLabel)
		r.Late = nil
	}
	l.score(r)
	l.pending.spare = a
	return nil
}

// Waiting returns the number of records that wait for their labels, and the number of records that were dropped.
func (l *Learner) Waiting() (waiting int, dropped int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pending.queue.Len(), l.pending.dropped
}

// SetWaiting changes the limits of Options for records that wait; 0 keeps one. It drops the records for which the new limits have no room.
func (l *Learner) SetWaiting(records int, rows, bytes int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.options
	o.Waiting, o.WaitingRows, o.WaitingBytes = cmp.Or(records, o.Waiting), cmp.Or(rows, o.WaitingRows), cmp.Or(bytes, o.WaitingBytes)
	if err := o.Validate(); err != nil || o == l.options {
		return err
	}
	l.options = o
	l.pending.drop(l.model.Rows, o)
	return nil
}

// MakeRoom drops the oldest records that wait, until all take at most some bytes of memory.
func (l *Learner) MakeRoom(bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending.drop(0, Options{WaitingBytes: bytes})
}

// Room estimates the number of records that may wait, by WaitingSize.
func (l *Learner) Room() int64 { return l.options.WaitingBytes / l.WaitingSize() }

// WaitingSize estimates the memory of a record that waits. It takes a field for a text of eight bytes.
func (l *Learner) WaitingSize() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.take(make(schema.Record, len(l.Schema.Columns)), ensemble.Label{}, ensemble.CallPeek).Predictions
	if p.Choices = make([]ensemble.Prediction, 2); l.model.Counter != nil { // once a label has come late
		p.Choices = nil
	}
	a := asked{ID: "12345678", Record: slices.Repeat([]string{"12345678"}, len(l.Schema.Columns)), Predictions: p}
	return a.size()
}

// Check returns the error that Learn would return for a record's fields, and whether the record has a target. A server calls it
// before it promises to learn the record. It does not wait for a learner that is busy.
func (l *Learner) Check(r schema.Record) (labelled bool, err error) {
	y, err := l.label(r)
	return y.Known, err
}

// Waits returns whether a record waits for its label under an id.
func (l *Learner) Waits(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pending.byID[id] != nil
}
