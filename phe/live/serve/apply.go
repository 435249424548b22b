package serve

import (
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/pkg/errors"

	"gophe/phe/internal/text"
	"gophe/phe/stream"
	"gophe/phe/stream/repeats"
)

// applier changes a learner by operations. Its model and the answers that it keeps depend on the operations and their order only.
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
func (a *applier) apply(number uint64, op operation) (given answer) {
	a.applied = number
	switch {
	case len(op.Learn) > 0:
		given = a.learn(op)
	case len(op.Ask) > 0:
		given = a.ask(op)
	case op.Limit != nil:
		given = a.limit(op)
	default:
		given = a.label(op)
	}
	if op.Key != "" && given.Status < http.StatusInternalServerError {
		a.keys.add(kept{op.Key, op.Sum, given.Status, given.Body})
	}
	return given
}

func (a *applier) learn(op operation) answer {
	for _, r := range op.Learn { // all or none, since a retry of a fault counts
		if _, err := a.learner.Check(r); err != nil { // the records were checked before, so this is a fault of the program
			return a.refuse(fault(err), op.At)
		}
	}
	result := learned{Ignored: op.Ignored}
	for _, r := range op.Learn {
		f, _, err := a.learner.Step(r)
		if err != nil {
			return a.refuse(fault(err), op.At)
		}
		if result.Add(f.Again) {
			result.Learned++
			a.count(op.At, 1)
		}
	}
	return a.learned(op, result)
}

func (a *applier) ask(op operation) answer {
	for _, id := range op.IDs {
		if a.learner.Waits(id) {
			return a.refuse(refusing(http.StatusConflict, "id_waits",
				"a record waits for its label under the id %q already; take a new id. Nothing of this request was kept", id), op.At)
		}
	}
	list := forecasts{Ignored: op.Ignored}
	_, before := a.learner.Waiting()
	for i, r := range op.Ask {
		f, err := a.learner.Ask(op.IDs[i], r)
		if err != nil {
			return a.refuse(fault(err), op.At)
		}
		list.Forecasts = append(list.Forecasts, newForecast(&a.learner.Schema.Target, f))
	}
	_, after := a.learner.Waiting()
	list.Dropped = after - before
	a.sayDropped(list.Dropped)
	list.Model = a.model(op.At)
	return reply(http.StatusOK, list)
}

func (a *applier) label(op operation) answer {
	result, before := learned{}, a.learner.Rows()
	for i, id := range op.IDs {
		err, again := a.learner.Label(id, op.Label[i]), repeats.Fresh
		switch {
		case errors.Is(err, stream.ErrUnknownID):
			result.Unknown, result.Why = append(result.Unknown, id), err.Error()
		case errors.As(err, &again):
			result.Add(again)
		case err != nil:
			return a.refuse(fault(err), op.At)
		}
	}
	if n := a.learner.Rows() - before; n > 0 { // not those of weight 0
		result.Learned = int(n)
		a.count(op.At, n)
	}
	return a.learned(op, result)
}

// learned answers an operation that learns.
func (a *applier) learned(op operation, result learned) answer {
	a.repeated.Add(result.Repeated)
	a.corrected.Add(result.Corrected)
	result.Model = a.model(op.At)
	return reply(http.StatusOK, result)
}

// limit applies new limits.
func (a *applier) limit(op operation) answer {
	_, before := a.learner.Waiting()
	if err := a.learner.SetWaiting(op.Limit.Waiting, op.Limit.WaitingRows, 0); err != nil {
		return a.refuse(fault(err), op.At)
	}
	_, after := a.learner.Waiting()
	if dropped := after - before; dropped > 0 && a.ready.Load() {
		a.log(fmt.Sprintf("warning: %s dropped %s that had no label yet: the new limits have no room for them",
			a.path, text.Counted(dropped, "record")))
	}
	return reply(http.StatusOK, learned{Model: a.model(op.At)})
}

// sayDropped logs, once, that records were dropped whose labels had not come.
func (a *applier) sayDropped(n int64) {
	if n > 0 && !a.dropping && a.ready.Load() {
		a.dropping = true
		o := a.learner.Options()
		a.log(fmt.Sprintf("warning: records that wait for their labels are dropped from now on, "+
			"since more than %s wait, or one has waited for %s; send labels sooner, or let more records wait",
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
		age := float64(max(0, at-learned)) / 1000
		m.Age = &age
	}
	return m
}

// refuse returns the answer to an operation that is refused.
func (a *applier) refuse(p *problem, at int64) answer {
	m := a.model(at)
	return p.answer(&m)
}
