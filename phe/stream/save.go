package stream

import (
	"bytes"
	"container/list"
	"encoding/json"
	"io"
	"math"
	"slices"

	"github.com/pkg/errors"

	"gophe/phe/belief"
	"gophe/phe/remedy"
	"gophe/phe/stream/internal/census"
	"gophe/phe/stream/schema"
)

// kind names the type of a learner's file.
const kind = "stream"

// state is the part of a file that holds everything of a learner except its tables.
type state struct {
	Version    int            `json:"version"`
	Schema     schema.Schema  `json:"schema"`
	Options    Options        `json:"options"`
	Design     design         `json:"design"`
	Rows       int64          `json:"rows"`
	Unlabelled int64          `json:"unlabelled,omitempty"`
	Wild       int64          `json:"wild,omitempty"`
	Exact      int            `json:"exact"` // number of items in the exact model; −1 without an exact model
	Census     *census.Census `json:"census"`
	Weights    []float64      `json:"weights"`         // weights of the experts
	Pairs      []int          `json:"pairs,omitempty"` // columns of the pairs that are left, if some are dropped along the stream
	Sleepers   []sleeper      `json:"sleepers,omitempty"`
	BaseRate   baseRate       `json:"usual"`
	Scale      *scale         `json:"scale"`
	Course     *course        `json:"course,omitempty"`
	scores
	Waiting waitingState `json:"waiting"`
	Fields  *fields      `json:"fields,omitempty"`
}

// version is the version of state and of its models. Since version 2, the default is pairs of columns for every width and the last step.
// A model of version 1 cannot continue: its file lacks what these parts have learned.
const version = 2

// state returns the learner's state.
func (l *Learner) state() state {
	m, e := l.model, l.eval
	s := state{Version: version, Schema: l.Schema, Options: l.options, Design: m.design, Rows: m.rows, Unlabelled: e.unlabelled,
		Wild: m.wild, Exact: -1, Census: l.observer.census, Weights: m.mixture.weights, Sleepers: m.sleepers.list, BaseRate: m.baseRate, Scale: m.scale, Course: m.course,
		scores: e.scores, Waiting: l.waiting.state(), Fields: l.observer.learned}
	if m.exact != nil {
		s.Exact = m.exact.numbers.len
	}
	if m.design.chooses() {
		s.Pairs = m.pairs()
	}
	return s
}

// parts returns the learner's tables.
func (l *Learner) parts() []belief.Part {
	parts := append(l.model.mixture.parts(), l.observer.census.Parts()...)
	if x := l.model.exact; x != nil {
		parts = append(parts, prefixed("exact ", x.parts())...)
	}
	return parts
}

func prefixed(prefix string, parts []belief.Part) []belief.Part {
	for i := range parts {
		parts[i].Name = prefix + parts[i].Name
	}
	return parts
}

// Write writes the learner: beliefs, score, and records that wait for labels. Equal learners give equal bytes. No table is copied. The
// caller's own values come first, each as a line of JSON.
func (l *Learner) Write(w io.Writer, own ...any) error {
	lines := json.NewEncoder(w)
	for _, v := range own {
		if err := lines.Encode(v); err != nil {
			return errors.Wrap(err, "writing the values kept with a learner")
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s, err := l.encode()
	if err != nil {
		return err
	}
	return belief.Write(w, kind, s, l.parts())
}

// encode returns the learner's state as JSON. A state that could not be read again is an error.
func (l *Learner) encode() ([]byte, error) {
	s := l.state()
	if flaw := s.flaw(l); flaw != "" {
		return nil, errors.Errorf("nothing could read the learner again: %s would be refused", flaw)
	}
	b, err := json.Marshal(s)
	return b, errors.Wrap(err, "encoding the learner's state")
}

// Read returns the learner that Write wrote. Both learners continue to the same last bit. own points to as many values as Write
// was given.
func Read(b []byte, own ...any) (l *Learner, err error) {
	for _, v := range own {
		line, rest, found := bytes.Cut(b, []byte("\n"))
		if !found {
			return nil, errors.New("this is no learner of a stream")
		}
		if err := json.Unmarshal(line, v); err != nil {
			return nil, errors.Wrap(err, "reading the values kept with a learner")
		}
		b = rest
	}
	_, err = belief.Read(b, func(h belief.Header) (parts []belief.Part, err error) {
		if h.Kind != kind {
			return nil, errors.Errorf("these are beliefs of kind %q, not those of a stream", h.Kind)
		}
		if l, err = unmarshal(h); err != nil {
			return nil, err
		}
		return l.parts(), nil
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// unmarshal returns a learner whose tables are still empty. The state is not trusted.
func unmarshal(h belief.Header) (*Learner, error) {
	s, err := parseState(h.Config)
	if err != nil {
		return nil, err
	}
	if err := h.Fits(s.Design.bytes()); err != nil {
		return nil, err
	}
	l, err := build(s.Schema, s.Options, s.Design)
	if err != nil {
		return nil, err
	}
	return l, l.take(s)
}

// parseState reads a state, and checks what can be checked without a learner.
func parseState(config []byte) (s state, err error) {
	err = json.Unmarshal(config, &s)
	if s.Version > version { // it comes first, and the rest may have another form
		return s, remedy.Errorf("newer program", "this model is of version %d, and this program knows %d; use a newer program", s.Version,
			version)
	}
	if s.Version < version {
		return s, remedy.Errorf("other model", "this model is of version %d of the default, and this program has version %d, which forecasts better and cannot go on from there; "+
			"keep the older program, or learn the rows again under another name", s.Version, version)
	}
	if err != nil {
		return s, errors.Wrap(err, "reading the learner's state")
	}
	if err := s.Schema.Validate(); err != nil {
		return s, err
	}
	if err := s.Options.validate(); err != nil {
		return s, err
	}
	return s, s.Design.validate(s.Schema)
}

// take replaces everything of a learner but its tables.
func (l *Learner) take(s state) error {
	if flaw := s.flaw(l); flaw != "" {
		return errors.Errorf("the learner's state lacks a part, or has one of another size: %s; take an older copy", flaw)
	}
	m, e := l.model, l.eval
	m.rows, m.wild, e.unlabelled = s.Rows, s.Wild, s.Unlabelled
	l.observer.census.Columns = s.Census.Columns
	s.BaseRate.shares = m.baseRate.shares
	*m.scale = *s.Scale
	m.baseRate, e.scores = s.BaseRate, s.scores
	m.mixture.weights, m.course = s.Weights, s.Course
	if m.design.chooses() {
		m.reader.encoders[0].Keep(s.Pairs)
	}
	if f := s.Fields; f != nil {
		l.observer.learned.Rows, l.observer.learned.Columns = f.Rows, f.Columns
	}
	m.sleepers.list = slices.Clone(s.Sleepers)
	m.sleepers.wake()
	l.waiting = waiting{byID: map[string]*list.Element{}, dropped: s.Waiting.Dropped}
	for _, a := range s.Waiting.Queue {
		l.waiting.add(a, l.options)
	}
	if s.Exact < 0 {
		m.exact = nil
	} else {
		m.exact.numbers.len, m.exact.numbers.places = s.Exact, nil
	}
	return nil
}

// State returns everything of the learner but its tables, as JSON. Parts returns the tables.
func (l *Learner) State() ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.encode()
}

// Parts returns the learner's tables. A caller that sets their numbers must not use the learner meanwhile, and must then call SetState.
func (l *Learner) Parts() []belief.Part {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.parts()
}

// SetState replaces everything but the tables by a state that State returned. The learner must have been made with the same schema and
// options. After an error the learner is unchanged.
func (l *Learner) SetState(config []byte) error {
	s, err := parseState(config)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.take(s)
}

// flaw names a part of a state that a learner lacks or cannot compute with; "" if there is none.
func (s *state) flaw(l *Learner) string {
	m := l.model
	switch {
	case s.Census == nil || len(s.Census.Columns) != len(l.observer.census.Columns):
		return "its items"
	case s.Exact >= 0 && (m.exact == nil || s.Exact > len(m.exact.numbers.keys)):
		return "its numbers for each item"
	case s.Alarm == nil || s.Boards == nil || !s.Boards.fit(len(m.target.Classes)) || !positive(s.Intervals.Factor[:]...):
		return "its scores"
	case len(s.BaseRate.Weights) != len(m.baseRate.Weights) || !positive(s.BaseRate.Weights...) || !positive(s.BaseRate.Total):
		return "its base rate"
	case len(s.Weights) != len(m.mixture.weights) || !positive(s.Weights...):
		return "the weights of its models"
	case s.Scale == nil || !s.Scale.sound(l):
		return "the scale of its target"
	case (s.Course != nil) != m.design.Course || s.Course != nil && !(s.Course.Lag >= 0 && s.Course.Change.Sound()):
		return "what it measures of its stream"
	case len(s.Sleepers) != len(m.sleepers.list):
		return "its columns of one value"
	case s.Fields != nil && len(s.Fields.Columns) != len(l.Schema.Columns):
		return "its fields"
	case slices.ContainsFunc(s.Waiting.Queue, func(a *asked) bool { return a == nil || !a.fits(l) }):
		return "a record that waits"
	}
	for _, c := range s.Census.Columns {
		if len(c.Top) > census.MaxNamed {
			return "its items"
		}
	}
	for i, in := range m.sleepers.columns {
		if !s.Sleepers[i].sound(in.Column, s.Schema.Target) {
			return "its column " + in.Name
		}
	}
	return ""
}

// fits tells whether the learner can learn a record that waits, and has the models that forecast it.
func (a *asked) fits(l *Learner) bool {
	m, p := l.model, &a.Predictions
	if l.check(schema.Record(a.Record)) != nil || len(p.Experts) != m.mixture.views || p.Exact != nil && m.design.Exact == nil {
		return false
	}
	if n := len(p.Main.Inputs); n != m.mixture.inputs() && (n > 0 || m.target.Kind != schema.Amount) {
		return false
	}
	all := append(slices.Clip(p.Experts), p.Main, p.BaseRate)
	if p.Exact != nil {
		all = append(all, *p.Exact)
	}
	return !slices.ContainsFunc(all, func(x prediction) bool { return len(x.Classes) != len(m.target.Classes) })
}

// positive tells whether a learner can divide by numbers, and multiply them.
func positive(values ...float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return !(v > 0 && v <= math.MaxFloat32) })
}

// sound tells whether a learner can compute with a scale.
func (s *scale) sound(l *Learner) bool {
	odd := func(f first) bool {
		return l.check(schema.Record(f.Record)) != nil || !(f.Weight > 0 && f.Weight <= maxWeight)
	}
	return len(s.First) < scaleRows && !slices.ContainsFunc(s.First, odd) && s.Spread >= 0 && s.Spread <= math.MaxFloat32 &&
		(l.model.target.Kind == schema.Amount || s.Center == 0 && s.Spread == 1)
}

// fit tells whether scores have the sizes that a number of classes needs.
func (b *boards) fit(classes int) bool {
	if (b.Confusion != nil) != (classes > 0) || (b.Curve != nil) != (classes == 2) || b.Curve != nil && !b.Curve.whole() {
		return false
	}
	if classes == 0 {
		return true
	}
	odd := slices.ContainsFunc(b.Confusion.Weight, func(row []float64) bool { return len(row) != classes })
	return !odd && len(b.Confusion.Weight) == classes && len(b.Confusion.LogLoss) == classes
}
