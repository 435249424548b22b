package stream

import (
	"cmp"
	"container/list"

	"github.com/pkg/errors"

	"gophe/phe/internal/text"
	"gophe/phe/stream/internal/ensemble"
	"gophe/phe/stream/schema"
)

// pending are records whose labels are not known yet, with the forecasts that they got.
type pending struct {
	queue   list.List // of *asked, oldest first
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
}

// add adds a record. It drops the oldest records if there is no room.
func (w *pending) add(a *asked, o Options) {
	w.byID[string(a.ID)] = w.queue.PushBack(a)
	w.drop(a.Row, o)
}

// drop drops the records for which there is no room, or which have waited too long when this number of rows is learned.
func (w *pending) drop(row int64, o Options) {
	for e := w.queue.Front(); e != nil && (w.queue.Len() > o.Waiting || e.Value.(*asked).Row < row-o.WaitingRows); e = w.queue.Front() {
		w.remove(e)
		w.dropped++
	}
}

func (w *pending) remove(e *list.Element) *asked {
	a := w.queue.Remove(e).(*asked)
	delete(w.byID, string(a.ID))
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
func (l *Learner) Ask(id string, r schema.Record) (Forecast, error) { return l.ask(id, r, false) }

// ask is Ask. A record that came before is no new row of the stream: only its label may be one. If the label is only late, and known, such
// a record is not even forecast.
func (l *Learner) ask(id string, r schema.Record, late bool) (f Forecast, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.check(r); err != nil {
		return Forecast{}, err
	}
	if id == "" || l.pending.byID[id] != nil {
		return Forecast{}, errors.Errorf("the id %q is empty or waits for a label already; give each record an id of its own", id)
	}
	y, _ := l.label(r) // a table with late labels has it already: only the score of the forecast will read it
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
	p, a := &l.takeRead(call).Predictions, cmp.Or(l.pending.spare, &asked{})
	l.pending.spare = nil
	a.Predictions.Keep(p, y)
	a.ID, a.Record, a.Row, a.Seen = text.String(id), append(a.Record[:0], r...), p.Rows, p.Seen
	l.pending.add(a, l.options)
	f = l.forecastRead()
	l.tell(&l.row, &f)
	f.Again = again
	return f, nil
}

// Label learns the target of a record that Ask forecast, and scores that forecast. It returns ErrUnknownID if no record waits under the id,
// and Repeated or Corrected for a record that waits no more, and came before.
func (l *Learner) Label(id, target string) error { return l.learnLate(id, target, true) }

// learnLate learns the target of a record that waits, unless it is to be seen and came before.
func (l *Learner) learnLate(id, target string, see bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	waits := l.pending.byID[id]
	if waits == nil {
		return ErrUnknownID
	}
	a := waits.Value.(*asked)
	record := schema.Record(a.Record)
	if record[l.target] != target { // the probability that is kept is another label's
		a.Predictions.Main.Log, a.Predictions.BaseRate.Log = 0, 0
	}
	record[l.target] = target
	y, err := l.label(record)
	if err != nil {
		return err
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

// SetWaiting changes Options.Waiting and Options.WaitingRows; 0 keeps a limit. It drops the records for which the new limits have no room.
func (l *Learner) SetWaiting(records int, rows int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.options
	o.Waiting, o.WaitingRows = cmp.Or(records, o.Waiting), cmp.Or(rows, o.WaitingRows)
	if err := o.Validate(); err != nil || o == l.options {
		return err
	}
	l.options = o
	l.pending.drop(l.model.Rows, o)
	return nil
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
