package serve

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/pkg/errors"

	"gophe/phe/internal/text"
	"gophe/phe/stream"
	"gophe/phe/stream/repeats"
	"gophe/phe/stream/schema"
)

// operation is a change of the model, in the form that the journal holds. It has one of Learn, Ask, Label and Limit.
//
// The model and the answers that are kept for retries depend only on the operations and their order. A replay of the
// journal therefore gives the same bits.
type operation struct {
	At    int64           `json:"at"`              // when the request came, in milliseconds since 1970
	Key   text.String     `json:"key,omitempty"`   // key by which a retry is recognised
	Sum   string          `json:"sum,omitempty"`   // sum of the request, to recognise another request with the same key
	First bool            `json:"first,omitempty"` // it has a key; no retry is written
	Learn []schema.Record `json:"learn,omitempty"`
	Ask   []schema.Record `json:"ask,omitempty"`
	IDs   []string        `json:"ids,omitempty"`   // of the records to ask about or to label
	Label []string        `json:"label,omitempty"` // targets
	Limit *limit          `json:"limit,omitempty"`
	// Ignored are names in the records that are no columns. The answer gives them, to a retry too.
	Ignored []string `json:"ignored,omitempty"`
}

// sign notes the key and the sum of an operation.
func (op *operation) sign(key string) error {
	if key == "" {
		return nil
	}
	b, err := op.encode()
	sum := sha256.Sum256(b)
	op.Key, op.Sum, op.First = text.String(key), base64.RawStdEncoding.EncodeToString(sum[:15]), true
	return err
}

// encode returns an operation as the journal holds it.
func (op *operation) encode() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // which makes some letters six times as long
	err := encoder.Encode(op)
	return b.Bytes(), errors.Wrap(err, "encoding an operation")
}

// answer is the answer to a request.
type answer struct {
	Status int
	Body   []byte // JSON
	Again  bool   // it was given to an earlier request with the same key
	header http.Header
}

// apply changes the model by an operation. Operations come in the order of the journal, from one goroutine. Whether a request is a
// retry was decided before, so that a replay with other options gives the same model.
func (s *Server) apply(number uint64, op operation) (a answer) {
	s.applied = number
	switch {
	case len(op.Learn) > 0:
		a = s.learn(op)
	case len(op.Ask) > 0:
		a = s.ask(op)
	case op.Limit != nil:
		a = s.limit(op)
	default:
		a = s.label(op)
	}
	if op.Key != "" && a.Status < http.StatusInternalServerError {
		s.keys.add(kept{op.Key, op.Sum, a.Status, a.Body})
	}
	return a
}

// learned answers the operations that learn.
type learned struct {
	Model   model    `json:"model"`
	Learned int      `json:"learned"`           // rows
	Unknown []string `json:"unknown,omitempty"` // ids under which no record waits
	Why     string   `json:"why,omitempty"`     // none waits under these
	Ignored []string `json:"ignored,omitempty"` // names in the records that are no columns
	repeats.Counts
}

// learned answers an operation that learns.
func (s *Server) learned(op operation, result learned) answer {
	s.repeated.Add(result.Repeated)
	s.corrected.Add(result.Corrected)
	result.Model = s.model(op.At)
	return reply(http.StatusOK, result)
}

func (s *Server) learn(op operation) answer {
	for _, r := range op.Learn { // all or none, since a retry of a fault counts
		if _, err := s.learner.Check(r); err != nil { // the records were checked before, so this is a fault of the program
			return s.refuse(fault(err), op.At)
		}
	}
	result := learned{Ignored: op.Ignored}
	for _, r := range op.Learn {
		f, _, err := s.learner.Step(r)
		if err != nil {
			return s.refuse(fault(err), op.At)
		}
		if result.Add(f.Again) {
			result.Learned++
			s.count(op.At, 1)
		}
	}
	return s.learned(op, result)
}

func (s *Server) ask(op operation) answer {
	for _, id := range op.IDs {
		if s.learner.Waits(id) {
			return s.refuse(refusing(http.StatusConflict, "id_waits",
				"a record waits for its label under the id %q already; take a new id. Nothing of this request was kept", id), op.At)
		}
	}
	list := forecasts{Ignored: op.Ignored}
	_, before := s.learner.Waiting()
	for i, r := range op.Ask {
		f, err := s.learner.Ask(op.IDs[i], r)
		if err != nil {
			return s.refuse(fault(err), op.At)
		}
		list.Forecasts = append(list.Forecasts, s.forecast(f))
	}
	_, after := s.learner.Waiting()
	list.Dropped = after - before
	s.sayDropped(list.Dropped)
	list.Model = s.model(op.At)
	return reply(http.StatusOK, list)
}

func (s *Server) label(op operation) answer {
	result, before := learned{}, s.learner.Rows()
	for i, id := range op.IDs {
		err, again := s.learner.Label(id, op.Label[i]), repeats.Fresh
		switch {
		case errors.Is(err, stream.ErrUnknownID):
			result.Unknown, result.Why = append(result.Unknown, id), err.Error()
		case errors.As(err, &again):
			result.Add(again)
		case err != nil:
			return s.refuse(fault(err), op.At)
		}
	}
	if n := s.learner.Rows() - before; n > 0 { // not those of weight 0
		result.Learned = int(n)
		s.count(op.At, n)
	}
	return s.learned(op, result)
}

// limit is an operation that changes the number of records that may wait for their labels, and their time. The journal has it, so that a
// replay drops the same records. 0 keeps a limit.
type limit struct {
	Waiting     int   `json:"waiting,omitempty"`
	WaitingRows int64 `json:"waiting_rows,omitempty"`
}

// limitWaiting gives the learner the limits of the options, if they are new. The change comes before the first request.
func (s *Server) limitWaiting() error {
	has, wanted := s.learner.Options(), limit{s.options.Waiting, s.options.WaitingRows}
	if cmp.Or(wanted.Waiting, has.Waiting) == has.Waiting && cmp.Or(wanted.WaitingRows, has.WaitingRows) == has.WaitingRows {
		return nil
	}
	if _, _, p := s.enqueue(operation{At: now(), Limit: &wanted}); p != nil {
		return p
	}
	return nil
}

// limit applies new limits.
func (s *Server) limit(op operation) answer {
	_, before := s.learner.Waiting()
	if err := s.learner.SetWaiting(op.Limit.Waiting, op.Limit.WaitingRows, 0); err != nil {
		return s.refuse(fault(err), op.At)
	}
	_, after := s.learner.Waiting()
	if dropped := after - before; dropped > 0 && s.ready.Load() {
		s.options.Log(fmt.Sprintf("warning: %s dropped %s that had no label yet: the new limits have no room for them",
			s.path, text.Counted(dropped, "record")))
	}
	return reply(http.StatusOK, learned{Model: s.model(op.At)})
}

// sayDropped logs, once, that records were dropped whose labels had not come.
func (s *Server) sayDropped(n int64) {
	if n > 0 && !s.dropping && s.ready.Load() {
		s.dropping = true
		o := s.learner.Options()
		s.options.Log(fmt.Sprintf("warning: records that wait for their labels are dropped from now on, "+
			"since more than %s wait, or one has waited for %s; send labels sooner, or let more records wait",
			text.Grouped(int64(o.Waiting)), text.Counted(o.WaitingRows, "row")))
	}
}

// count notes rows that were learned.
func (s *Server) count(at, rows int64) {
	s.rows.Add(rows)
	s.learnedAt.Store(max(at, s.learnedAt.Load()))
}

// model describes the model in an answer.
type model struct {
	Rows int64 `json:"rows"` // learned
	// Age is the number of seconds since the newest of these rows came; nil if there is none.
	Age *float64 `json:"age_seconds"`
	// Checkpoint is the number of the checkpoint that was loaded; nil for a server that learns, or reads a file.
	Checkpoint *uint64 `json:"checkpoint,omitempty"`
}

// model returns the description of the model at a time. A followed model is described as it is now.
func (s *Server) model(at int64) model {
	if s.followed != nil {
		return describe(s.followed.Position())
	}
	m := model{Rows: s.rows.Load()}
	if learned := s.learnedAt.Load(); learned > 0 {
		age := float64(max(0, at-learned)) / 1000
		m.Age = &age
	}
	return m
}
