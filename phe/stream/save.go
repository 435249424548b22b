package stream

import (
	"bytes"
	"cmp"
	"container/list"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/belief"
	"gophe/phe/internal/text"
	"gophe/phe/remedy"
	"gophe/phe/stream/internal/census"
	"gophe/phe/stream/internal/ensemble"
	"gophe/phe/stream/internal/evaluation"
	"gophe/phe/stream/internal/observer"
	"gophe/phe/stream/repeats"
	"gophe/phe/stream/schema"
)

const kind = "stream"

// state is the part of a file that holds everything of a learner except its tables.
type state struct {
	Version int           `json:"version"`
	Schema  schema.Schema `json:"schema"`
	Options Options       `json:"options"`
	ensemble.State
	evaluation.Scores
	Waiting pendingState     `json:"waiting"`
	Named   int64            `json:"named,omitempty"` // rows whose ids were kept so far
	IDsFrom int64            `json:"ids_from,omitempty"`
	Fields  *observer.Counts `json:"fields"`
}

// Release is the version of the program. Every later 0.x reads the models of 0.2.0.
const Release = "0.2.0"

// version is the version of state and of its models. It stays: since 0.2.0 a new part is optional, and a model without it learns and
// forecasts as before. An older model lacks what some parts have learned, so it cannot continue.
const version = 6

func (l *Learner) state() state {
	s := state{version, l.Schema, l.options, l.model.State(), l.eval.Scores, l.pending.state(), 0, l.idsFrom, l.observer.Learned}
	if l.last != nil {
		s.Named = l.last.Count
	}
	s.Unlabelled, s.Census = l.eval.Unlabelled, l.observer.Census
	return s
}

func (l *Learner) tables() []belief.Part {
	tables, exact := l.model.Tables()
	tables = append(append(tables, l.observer.Census.Parts()...), exact...)
	if l.last != nil {
		tables = append(tables, l.last.Part())
	}
	return tables
}

// Write writes the learner: beliefs, score, and records that wait for labels. Equal learners give equal bytes. No table is copied. The
// caller's own values come first, and then the records that wait, each as a line of JSON. A state that could not be read is an error.
func (l *Learner) Write(w io.Writer, own ...any) error {
	lines := json.NewEncoder(w)
	for _, v := range own {
		if err := lines.Encode(v); err != nil {
			return errors.Wrap(err, "writing the values kept with a learner")
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.state()
	if err := s.valid(); err != nil {
		return errors.WithMessage(err, "nothing could read the learner again")
	}
	if flaw := s.flaw(l); flaw != "" {
		return errors.Errorf("nothing could read the learner again: %s would be refused", flaw)
	}
	for _, a := range s.Waiting.Queue { // one by one, since one text of them all would take much memory
		if err := lines.Encode(a); err != nil {
			return errors.Wrap(err, "writing a record that waits for its label")
		}
	}
	s.Waiting.Queue = nil // it is written
	b, err := json.Marshal(s)
	if err != nil {
		return errors.Wrap(err, "encoding the learner's state")
	}
	return belief.Write(w, kind, b, l.tables())
}

// Read returns the learner that Write wrote. Both learners continue to the same last bit. own points to as many values as Write was given.
func Read(b []byte, own ...any) (l *Learner, err error) {
	lines := make([][]byte, len(own)) // decoded last, so that another version is told first
	for i := range lines {
		found := false
		if lines[i], b, found = bytes.Cut(b, []byte("\n")); !found {
			return nil, errors.New("this is no learner of a stream")
		}
	}
	beliefs := b // behind the lines of records that wait
	for bytes.HasPrefix(beliefs, []byte("{")) {
		_, beliefs, _ = bytes.Cut(beliefs, []byte("\n"))
	}
	waiting := json.NewDecoder(bytes.NewReader(b[:len(b)-len(beliefs)]))
	waiting.DisallowUnknownFields()
	_, err = belief.Read(beliefs, func(h belief.Header) (tables []belief.Part, err error) { // which trusts nothing
		if h.Kind != kind {
			return nil, errors.Errorf("these are beliefs of kind %q, not those of a stream", h.Kind)
		}
		s, err := parseState(h.Config)
		if err != nil {
			return nil, err
		}
		for experts := 0; waiting.More(); {
			a := &asked{Predictions: ensemble.Predictions{Experts: make([]ensemble.Prediction, 0, experts)}}
			if err := waiting.Decode(a); err != nil {
				return nil, errors.Wrap(err, "reading a record that waits for its label")
			}
			s.Waiting.Queue, experts = append(s.Waiting.Queue, a), len(a.Predictions.Experts)
		}
		if err := h.Fits(s.Design.Size() + float64(repeats.Size)*float64(min(s.Named, int64(s.Options.IDs)))); err != nil {
			return nil, err
		}
		if l, err = build(s.Schema, s.Options, s.Design); err == nil {
			err = l.restore(s)
		}
		if err != nil {
			return nil, err
		}
		return l.tables(), nil
	})
	for i := 0; i < len(own) && err == nil; i++ {
		err = errors.WithMessage(text.Decode(lines[i], own[i]), "reading the values kept with a learner")
	}
	if err != nil && strings.Contains(err.Error(), "unknown field") { // a new part does not change the version
		err = remedy.With("newer program", errors.WithMessage(err, "a newer program has written this model; use a newer program"))
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

func parseState(config []byte) (s state, err error) {
	var of struct {
		Version int `json:"version"`
	}
	if err = json.Unmarshal(config, &of); err == nil && of.Version > version { // the rest may have another form
		return s, remedy.Errorf("newer program", "this model is of version %d, and this program reads version %d; use a newer program",
			of.Version, version)
	}
	if err == nil && of.Version < version {
		return s, remedy.Errorf("other model", "this model is of version %d, and this program reads version %d; keep the older program, "+
			"or learn the rows again under another name", of.Version, version)
	}
	if err = text.Decode(config, &s); err != nil {
		return s, errors.WithMessage(err, "reading the learner's state")
	}
	return s, s.valid()
}

// valid checks what can be checked without a learner.
func (s *state) valid() error {
	if err := cmp.Or(s.Schema.Validate(), s.Options.Validate()); err != nil {
		return err
	}
	return s.Design.Validate(s.Schema)
}

// restore replaces everything of a learner but its tables.
func (l *Learner) restore(s state) error {
	if flaw := s.flaw(l); flaw != "" {
		return errors.Errorf("the learner's state lacks a part, or has one of another size: %s; take an older copy", flaw)
	}
	l.model.Restore(s.State)
	l.eval.Scores, l.eval.Unlabelled = s.Scores, s.Unlabelled
	l.observer.Census.Columns = s.Census.Columns
	l.observer.Learned.Rows, l.observer.Learned.Columns = s.Fields.Rows, s.Fields.Columns
	l.pending = pending{byID: map[string]*list.Element{}, dropped: s.Waiting.Dropped}
	for _, a := range s.Waiting.Queue {
		l.pending.add(a)
	}
	if l.last != nil {
		l.last.Restore(s.Named)
	}
	l.idsFrom = s.IDsFrom
	return nil
}

// Parts returns the learner's tables, whose numbers the caller must not set.
func (l *Learner) Parts() []belief.Part {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tables()
}

// flaw names a part of a state that a learner lacks or cannot compute with; "" if there is none. Reading and writing ask it.
func (s *state) flaw(l *Learner) string {
	odd := func(c census.Column) bool { return len(c.Top) > census.MaxNamed }
	switch {
	case s.Census == nil || len(s.Census.Columns) != len(l.observer.Census.Columns) || slices.ContainsFunc(s.Census.Columns, odd):
		return "its items"
	case !s.Scores.Fit(len(l.Schema.Target.Classes)):
		return "its scores"
	case s.IDsFrom < 0 || s.Named < 0 || s.Named > 1<<60 || s.Named > 0 && l.last == nil:
		return "its ids"
	case s.Fields == nil || len(s.Fields.Columns) != len(l.Schema.Columns):
		return "its fields"
	case slices.ContainsFunc(s.Waiting.Queue, func(a *asked) bool {
		return a == nil || l.check(schema.Record(a.Record)) != nil || !a.Predictions.Fit(l.model)
	}):
		return "a record that waits"
	}
	return l.model.Flaw(&s.State)
}
