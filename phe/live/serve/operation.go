package serve

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/pkg/errors"

	"gophe/phe/internal/text"
	"gophe/phe/stream"
	"gophe/phe/stream/repeats"
	"gophe/phe/stream/schema"
)

// operation is a change of the model, in the form that the journal holds. It has one of Learn, Ask, Label and Limit.
type operation struct {
	At    int64           `json:"at"`              // when the request came, in milliseconds since 1970
	Key   text.String     `json:"key,omitempty"`   // key by which a retry is recognised
	Sum   string          `json:"sum,omitempty"`   // sum of the request, to recognise another request with the same key
	First bool            `json:"first,omitempty"` // the request has a key, and is not a retry
	Learn []schema.Record `json:"learn,omitempty"`
	Ask   []schema.Record `json:"ask,omitempty"`
	IDs   []string        `json:"ids,omitempty"`   // of the records to ask about or to label
	Label []string        `json:"label,omitempty"` // targets
	Limit *limit          `json:"limit,omitempty"`
	Room  int64           `json:"room,omitempty"` // memory of all records that wait, in bytes; 0 is any, as 0.2.0 has it
	// Ignored are names in the records that are no columns. The answer gives them, to a retry too.
	Ignored []string `json:"ignored,omitempty"`
}

// sign notes the key and the sum of an operation.
func (op *operation) sign(key string) error {
	if key == "" {
		return nil
	}
	b, err := encode(op)
	sum := sha256.Sum256(b)
	op.Key, op.Sum, op.First = text.String(key), base64.RawStdEncoding.EncodeToString(sum[:15]), true
	return err
}

// applier changes a learner by operations. The model and the kept answers depend on the operations and their order only, so a replay of the
// journal gives the same bits.
type applier struct {
	path    string
	log     func(line string)
	ready   atomic.Bool // requests are taken: none is while the journal is replayed, nor after a fault of the disk
	learner *stream.Learner

	rows      atomic.Int64 // learned
	repeated  atomic.Int64 // rows that came before, since the start
	corrected atomic.Int64 // rows that came before with another label, since the start
	learnedAt atomic.Int64 // when the newest row came, in milliseconds since 1970; 0 before the first

	// These fields belong to the goroutine that applies operations.
	applied  uint64 // number of the last operation
	keys     keys
	dropping bool // it was logged that waiting records are dropped
}

// apply changes the model by an operation. Operations come in the order of the journal, from one goroutine. Whether a request is a
// retry was decided before, so that a replay with other options gives the same model.
func (a *applier) apply(number uint64, op operation) answer {
	a.applied = number
	change := a.label
	switch {
	case len(op.Learn) > 0:
		change = a.learn
	case len(op.Ask) > 0:
		change = a.ask
	case op.Limit != nil:
		change = a.limit
	}
	given, p := change(op)
	if p != nil {
		given = p.answer(new(a.model(op.At)))
	}
	if op.Key != "" && given.Status < http.StatusInternalServerError {
		a.keys.add(kept{op.Key, op.Sum, given.Status, given.Body})
	}
	return given
}

func (a *applier) learn(op operation) (given answer, p *problem) {
	for _, r := range op.Learn { // all or none, since a retry of a fault counts
		if _, err := a.learner.Check(r); err != nil { // the records were checked before, so this is a fault of the program
			return given, fault(err)
		}
	}
	result := learned{Ignored: op.Ignored}
	for _, r := range op.Learn {
		f, _, err := a.learner.Step(r)
		if err != nil {
			return given, fault(err)
		}
		if result.Add(f.Again) {
			result.Learned++
			a.count(op.At, 1)
		}
	}
	return a.learned(op, result), nil
}

func (a *applier) ask(op operation) (given answer, p *problem) {
	for _, id := range op.IDs {
		if a.learner.Waits(id) {
			return given, refusing(http.StatusConflict, "id_waits",
				"a record waits for its label under the id %q already; take a new id. Nothing of this request was kept", id)
		}
	}
	list := forecasts{Ignored: op.Ignored}
	_, before := a.learner.Waiting()
	for i, r := range op.Ask {
		f, err := a.learner.Ask(op.IDs[i], r)
		if err != nil {
			return given, fault(err)
		}
		list.Forecasts = append(list.Forecasts, newForecast(&a.learner.Schema.Target, f))
	}
	if op.Room > 0 {
		a.learner.MakeRoom(op.Room)
	}
	_, after := a.learner.Waiting()
	list.Dropped = after - before
	a.sayDropped(list.Dropped)
	list.Model = a.model(op.At)
	return reply(http.StatusOK, list), nil
}

func (a *applier) label(op operation) (given answer, p *problem) {
	result, before := learned{}, a.learner.Rows()
	for i, id := range op.IDs {
		err, again := a.learner.Label(id, op.Label[i]), repeats.Fresh
		switch {
		case errors.Is(err, stream.ErrUnknownID):
			result.Unknown, result.Why = append(result.Unknown, id), err.Error()
		case errors.As(err, &again):
			result.Add(again)
		case err != nil:
			return given, fault(err)
		}
	}
	if n := a.learner.Rows() - before; n > 0 { // rows of weight 0 do not count
		result.Learned = int(n)
		a.count(op.At, n)
	}
	return a.learned(op, result), nil
}

// learned answers an operation that learns.
func (a *applier) learned(op operation, result learned) answer {
	a.repeated.Add(result.Repeated)
	a.corrected.Add(result.Corrected)
	result.Model = a.model(op.At)
	return reply(http.StatusOK, result)
}

// limit is an operation that changes the number of records that may wait for their labels, and their time. The journal has it, so that a
// replay drops the same records. 0 keeps a limit.
type limit struct {
	Waiting     int   `json:"waiting,omitempty"`
	WaitingRows int64 `json:"waiting_rows,omitempty"`
}

// limit applies new limits.
func (a *applier) limit(op operation) (given answer, p *problem) {
	_, before := a.learner.Waiting()
	if err := a.learner.SetWaiting(op.Limit.Waiting, op.Limit.WaitingRows, 0); err != nil {
		return given, fault(err)
	}
	_, after := a.learner.Waiting()
	if dropped := after - before; dropped > 0 && a.ready.Load() {
		a.log(fmt.Sprintf("warning: %s dropped %s that had no label yet: the new limits have no room for them",
			a.path, text.Counted(dropped, "record")))
	}
	return reply(http.StatusOK, learned{Model: a.model(op.At)}), nil
}

// sayDropped logs, once, that records were dropped whose labels had not come.
func (a *applier) sayDropped(n int64) {
	if n > 0 && !a.dropping && a.ready.Load() {
		a.dropping = true
		o := a.learner.Options()
		a.log(fmt.Sprintf("warning: records that wait for their labels are dropped from now on, "+
			"since more than %s wait, or they take too much memory, or one has waited for %s; send labels sooner, or let more records wait",
			text.Grouped(int64(o.Waiting)), text.Counted(o.WaitingRows, "row")))
	}
}

// count notes rows that were learned.
func (a *applier) count(at, rows int64) {
	a.rows.Add(rows)
	a.learnedAt.Store(max(at, a.learnedAt.Load()))
}

// model returns the description of the model at a time.
func (a *applier) model(at int64) model {
	m := model{Rows: a.rows.Load()}
	if learned := a.learnedAt.Load(); learned > 0 {
		m.Age = new(float64(max(0, at-learned)) / 1000)
	}
	return m
}
