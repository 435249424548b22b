package serve

import (
	"context"
	_ "embed"
	"math"
	"net/http"
	"time"

	"gophe/phe/records"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// forecasts answers /v1/predict and /v1/explain.
type forecasts struct {
	Model     model      `json:"model"`
	Forecasts []forecast `json:"forecasts"`         // in the order of the records
	Dropped   int64      `json:"dropped,omitempty"` // records that waited for their labels, and had to make room for these
	Ignored   []string   `json:"ignored,omitempty"` // names in the records that are no columns
}

// forecast is the model's forecast of a record.
type forecast struct {
	Class         string             `json:"class,omitempty"`         // the likeliest
	Probabilities map[string]float64 `json:"probabilities,omitempty"` // probabilities of all classes
	Value         *float64           `json:"value,omitempty"`         // a number's mean, or a count's median
	Low           *float64           `json:"low,omitempty"`           // the interval that holds nine in ten numbers or counts
	High          *float64           `json:"high,omitempty"`
	// Novelty is the number of times that the record's rarest item was learned; nil if the record has no items.
	Novelty *int64   `json:"novelty"`
	Unread  []string `json:"unread,omitempty"` // columns whose fields could not be read
	Spread  float64  `json:"spread"`           // standard deviation of the model's uncertainty, in the logit or the mean

	Why *stream.Explanation `json:"why,omitempty"` // of /v1/explain
}

// forecast returns a learner's forecast as clients see it.
func (s *Server) forecast(f stream.Forecast) forecast {
	result := forecast{Spread: finite(f.Spread), Unread: f.Unread}
	if f.Novelty >= 0 {
		result.Novelty = &f.Novelty
	}
	t := &s.schema.Target
	if t.Kind != schema.Classes {
		value, low, high := finite(f.Value), finite(f.Low), finite(f.High)
		result.Value, result.Low, result.High = &value, &low, &high
		return result
	}
	result.Class = t.Classes[int(f.Value)]
	result.Probabilities = map[string]float64{}
	if len(t.Classes) == 2 {
		result.Probabilities[t.Classes[0]], result.Probabilities[t.Classes[1]] = 1-f.Probability, f.Probability
	}
	for k, p := range f.Classes {
		result.Probabilities[t.Classes[k]] = p
	}
	return result
}

// finite returns the nearest number that JSON can write.
func finite(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return max(-math.MaxFloat64, min(v, math.MaxFloat64))
}

// predict forecasts records. Those with an id are kept until their labels come.
func (s *Server) predict(r *http.Request, body []byte) (a answer, p *problem) {
	op, p := s.list(body, false)
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

// explain forecasts records and says why. It keeps none. While the model learns, all reasons together take a tenth of its time at most: one
// costs as much as some thirty forecasts. Its cost is the time of the quickest one, since the others have waited for the model.
func (s *Server) explain(r *http.Request, body []byte) (a answer, p *problem) {
	const lines, rest = 8, 9 // the tenths of the time that reasons leave
	var q explainRequest
	if p = decode(body, &q); p != nil {
		return a, p
	}
	op, p := s.listed(&q.recordsRequest, false)
	class, err := s.schema.Target.Class(q.Class)
	switch {
	case p != nil:
		return a, p
	case len(op.IDs) > 0:
		return a, invalid("ids", "records to explain have no ids; /v1/predict keeps records with ids until their labels come")
	case err != nil:
		return a, invalid("class", "%s", err)
	}
	cost := time.Duration(math.MaxInt64)
	return s.onlyForecast(r, op, func(l *stream.Learner, record schema.Record) (stream.Forecast, *stream.Explanation, error) {
		s.explaining.Lock()
		defer s.explaining.Unlock()
		time.Sleep(time.Until(s.pause))
		began := time.Now()
		f, x, err := l.Explain(record, lines, class)
		if cost = min(cost, time.Since(began)); f.Rows != s.explained {
			s.explained, s.pause = f.Rows, time.Now().Add(rest*cost)
		}
		return f, &x, err
	})
}

// onlyForecast answers with forecasts of records that are not kept.
func (s *Server) onlyForecast(r *http.Request, op operation,
	ask func(*stream.Learner, schema.Record) (stream.Forecast, *stream.Explanation, error)) (a answer, p *problem) {
	ctx, cancel := context.WithTimeout(r.Context(), s.options.Timeout)
	defer cancel()
	var rows int64 // at the last forecast
	result := forecasts{Ignored: op.Ignored}
	result.Model, p = s.readLearner(func(l *stream.Learner) *problem {
		for _, record := range op.Ask {
			if ctx.Err() != nil {
				return late(s.options.Timeout)
			}
			f, why, err := ask(l, record)
			if err != nil {
				return fault(err)
			}
			one := s.forecast(f)
			one.Why, rows = why, f.Rows
			result.Forecasts = append(result.Forecasts, one)
		}
		return nil
	})
	result.Model.Rows = rows
	return reply(http.StatusOK, result), p
}

// learnRequest learns records.
func (s *Server) learnRequest(r *http.Request, body []byte) (a answer, p *problem) {
	op, p := s.list(body, true)
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
		labelled, err := s.learner.Check(record)
		switch {
		case err != nil:
			return badField(err, place(i, len(list)))
		case now && !labelled:
			return invalid("no_target", "%sthe column %q, which is the target, has no value, or the record's weight is 0; "+
				"give it, or ask /v1/predict with an id and send the label later", place(i, len(list)), s.schema.Target.Column)
		}
	}
	return nil
}

// labelRequest learns the targets of records that were kept under ids.
func (s *Server) labelRequest(r *http.Request, body []byte) (a answer, p *problem) {
	var q labelsRequest
	if p = decode(body, &q); p != nil {
		return a, p
	}
	var op operation
	read := records.Object{Nested: s.nested}
	for i, l := range q.Labels {
		target := ""
		switch {
		case l.Target == nil:
		case l.Target.Kind() == '{':
			return a, invalid("not_a_value", "the target of the id %q is an object; write a string, a number, true or false", l.ID)
		default:
			target = string(read.Text(*l.Target, s.marks[s.columns[s.schema.Target.Column]]))
		}
		_, known, err := s.schema.Target.Parse(target)
		if err != nil {
			return a, badField(err, place(i, len(q.Labels)))
		}
		if !known {
			return a, invalid("no_target", "the label of the id %q has no target; write {\"id\": ID, \"target\": VALUE}", l.ID)
		}
		op.IDs, op.Label = append(op.IDs, l.ID), append(op.Label, target)
	}
	switch {
	case len(q.Labels) == 0:
		return a, invalid("no_records", "the body has no labels; write {\"labels\": [{\"id\": ID, \"target\": VALUE}]}")
	case len(q.Labels) > s.options.MaxRecords:
		return a, tooLarge("too many labels")
	}
	if p := checkIDs(op.IDs); p != nil {
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
	op.At = now()
	w, again, p := s.enqueue(op)
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

// show returns a handler that shows something of the model under a name.
func (s *Server) show(name string, what func(*stream.Learner) any) handler {
	return func(*http.Request, []byte) (answer, *problem) {
		var shown any
		m, p := s.readLearner(func(l *stream.Learner) *problem { shown = what(l); return nil })
		return reply(http.StatusOK, map[string]any{"model": m, name: shown}), p
	}
}

// health says that the server answers.
func (s *Server) health(*http.Request, []byte) (answer, *problem) {
	return reply(http.StatusOK, map[string]any{"status": "ok"}), nil
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

// describe shows the description of all paths.
func (s *Server) describe(*http.Request, []byte) (answer, *problem) {
	return answer{Status: http.StatusOK, Body: description}, nil
}

// index lists the paths.
func (s *Server) index(*http.Request, []byte) (answer, *problem) {
	list := []string{}
	for _, rt := range s.routes {
		list = append(list, rt.method+" "+rt.path)
	}
	return reply(http.StatusOK, map[string]any{"model": s.model(now()), "target": s.schema.Target.String(), "paths": list}), nil
}
