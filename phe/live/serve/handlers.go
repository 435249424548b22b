package serve

import (
	"context"
	_ "embed"
	"math"
	"net/http"
	"sync"
	"time"

	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// predict forecasts records. Those with an id are kept until their labels come.
func (s *Server) predict(r *http.Request, body []byte) (a answer, p *problem) {
	op, p := s.layout.list(body, false)
	switch {
	case p != nil:
		return a, p
	case len(op.IDs) > 0 && s.followed != nil:
		return s.refuseChange(r, body)
	case len(op.IDs) > 0:
		if p := s.checkRecords(op.Ask, false); p != nil { // such as an error of a weight, which the label will need
			return a, p
		}
		return s.change(r, op)
	}
	return s.onlyForecast(r, op, func(l *stream.Learner, record schema.Record) (stream.Forecast, *stream.Explanation, error) {
		f, err := l.Predict(record)
		return f, nil, err
	})
}

// explain forecasts records and says why. It keeps none.
func (s *Server) explain(r *http.Request, body []byte) (a answer, p *problem) {
	var q explainRequest
	if p = decode(body, &q); p != nil {
		return a, p
	}
	op, p := s.layout.listed(&q.recordsRequest, false)
	class, err := s.layout.schema.Target.Class(q.Class)
	switch {
	case p != nil:
		return a, p
	case len(op.IDs) > 0:
		return a, invalid("ids", "records to explain have no ids; /v1/predict keeps records with ids until their labels come")
	case err != nil:
		return a, invalid("class", "%s", err)
	}
	quickest := time.Duration(math.MaxInt64)
	return s.onlyForecast(r, op, func(l *stream.Learner, record schema.Record) (stream.Forecast, *stream.Explanation, error) {
		return s.reasons.next(l, record, class, &quickest)
	})
}

// reasons paces the explanations of forecasts. While the model learns, they take a tenth of its time at most: one costs as much as some
// thirty forecasts.
type reasons struct {
	mu    sync.Mutex // guards the fields below, so that clients take turns
	rows  int64      // rows that were learned at the last reason
	pause time.Time  // until which no reason is made
}

// next explains a record when the pause is over. The cost of a reason is the time of the request's quickest one, since the others have
// waited for the model.
func (t *reasons) next(l *stream.Learner, record schema.Record, class int, quickest *time.Duration) (
	stream.Forecast, *stream.Explanation, error) {
	const lines, rest = 8, 9 // the tenths of the time that reasons leave
	t.mu.Lock()
	defer t.mu.Unlock()
	time.Sleep(time.Until(t.pause))
	began := time.Now()
	f, x, err := l.Explain(record, lines, class)
	if *quickest = min(*quickest, time.Since(began)); f.Rows != t.rows {
		t.rows, t.pause = f.Rows, time.Now().Add(rest**quickest)
	}
	return f, &x, err
}

// onlyForecast answers with forecasts of records that are not kept.
func (s *Server) onlyForecast(r *http.Request, op operation,
	ask func(*stream.Learner, schema.Record) (stream.Forecast, *stream.Explanation, error)) (a answer, p *problem) {
	ctx, cancel := context.WithTimeout(r.Context(), s.options.Timeout)
	defer cancel()
	var rows int64 // at the last forecast
	result := forecasts{Ignored: op.Ignored}
	result.Model = s.readLearner(func(l *stream.Learner) {
		for _, record := range op.Ask {
			if ctx.Err() != nil {
				p = late(s.options.Timeout)
				return
			}
			f, why, err := ask(l, record)
			if err != nil {
				p = fault(err)
				return
			}
			one := newForecast(&s.layout.schema.Target, f)
			one.Why, rows = why, f.Rows
			result.Forecasts = append(result.Forecasts, one)
		}
	})
	result.Model.Rows = rows
	return reply(http.StatusOK, result), p
}

// learnRequest learns records.
func (s *Server) learnRequest(r *http.Request, body []byte) (a answer, p *problem) {
	op, p := s.layout.list(body, true)
	switch {
	case p != nil:
		return a, p
	case len(op.IDs) > 0:
		return a, invalid("ids", "records to learn have no ids; /v1/label takes the labels of records that /v1/predict was given with ids")
	}
	if p := s.checkRecords(op.Ask, true); p != nil {
		return a, p
	}
	return s.change(r, operation{Learn: op.Ask, Ignored: op.Ignored})
}

// checkRecords returns the first problem of records that the model is to learn, now or when their labels come.
func (s *Server) checkRecords(list []schema.Record, now bool) *problem {
	for i, record := range list {
		labelled, err := s.own.learner.Check(record)
		switch {
		case err != nil:
			return badField(err, place(i, len(list)))
		case now && !labelled:
			return invalid("no_target", "%sthe column %q, which is the target, has no value, or the record's weight is 0; "+
				"give it, or ask /v1/predict with an id and send the label later", place(i, len(list)), s.layout.schema.Target.Column)
		}
	}
	return nil
}

// labelRequest learns the targets of records that were kept under ids.
func (s *Server) labelRequest(r *http.Request, body []byte) (a answer, p *problem) {
	op, p := s.layout.labels(body)
	if p != nil {
		return a, p
	}
	return s.change(r, op)
}

// change changes the model by an operation, and waits for the answer.
func (s *Server) change(r *http.Request, op operation) (a answer, p *problem) {
	key := r.Header.Get("Idempotency-Key")
	if given := len(r.Header.Values("Idempotency-Key")) > 0; given && key == "" || len(key) > maxKey {
		return a, invalid("key", "the Idempotency-Key has %d bytes; give 1 to %d, or leave the header out", len(key), maxKey)
	}
	if err := op.sign(key); err != nil {
		return a, fault(err)
	}
	if op.At = now(); len(op.Ask) > 0 {
		op.Room = s.own.room
	}
	w, again, p := s.own.enqueue(op)
	if p != nil {
		return a, p
	}
	limit := time.NewTimer(s.options.Timeout)
	defer limit.Stop()
	select {
	case <-w.done:
		a = w.answer
		a.Again = again
		return a, nil
	case <-limit.C:
		return a, late(s.options.Timeout)
	}
}

// refuseChange refuses a request that would change a model that other programs learn.
func (s *Server) refuseChange(*http.Request, []byte) (a answer, p *problem) {
	return a, refusing(http.StatusConflict, "read_only", "this server only reads the model %s, which another program learns; send rows "+
		"with their targets to that program, and ask for forecasts without ids. Nothing of this request was kept", s.name)
}

// show returns a handler that shows something of the model under a name.
func (s *Server) show(name string, what func(*stream.Learner) any) handler {
	return func(*http.Request, []byte) (answer, *problem) {
		var shown any
		m := s.readLearner(func(l *stream.Learner) { shown = what(l) })
		return reply(http.StatusOK, map[string]any{"model": m, name: shown}), nil
	}
}

// always returns a handler with one answer.
func always(a answer) handler {
	return func(*http.Request, []byte) (answer, *problem) { return a, nil }
}

// readiness says whether the server takes requests that learn, or has caught up with the model that it follows.
func (s *Server) readiness(*http.Request, []byte) (answer, *problem) {
	if why := s.unready(); why != "" {
		return reply(http.StatusServiceUnavailable, map[string]any{"status": "not ready", "reason": why}), nil
	}
	return reply(http.StatusOK, map[string]any{"status": "ready"}), nil
}

//go:embed openapi.json
var description []byte

// index lists the paths.
func (s *Server) index(*http.Request, []byte) (answer, *problem) {
	list := []string{}
	for _, rt := range s.routes {
		list = append(list, rt.method+" "+rt.path)
	}
	return reply(http.StatusOK, map[string]any{"model": s.model(), "target": s.layout.schema.Target.String(), "paths": list}), nil
}
