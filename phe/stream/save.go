package stream

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"slices"

	"github.com/pkg/errors"

	"gophe/phe/belief"
	"gophe/phe/remedy"
	"gophe/phe/stream/internal/census"
	"gophe/phe/stream/internal/drift"
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
	Intervals  intervals      `json:"intervals"`
	Alarm      *drift.Alarm   `json:"alarm"`
	Boards     *boards        `json:"boards"`
	Waiting    waiting        `json:"waiting"`
}

// version is the version of state and of its models. Since version 2, the default is pairs of columns for every width and the last step.
// A model of version 1 cannot continue: its file lacks what these parts have learned.
const version = 2

// state returns the learner's state.
func (l *Learner) state() state {
	m, e := l.model, l.eval
	s := state{Version: version, Schema: l.Schema, Options: l.options, Design: m.design, Rows: m.rows, Unlabelled: e.unlabelled,
		Wild: m.wild, Exact: -1, Census: l.observer.census, Weights: m.mixture.weights, Sleepers: m.sleepers.list, BaseRate: m.baseRate, Scale: m.scale,
		Intervals: e.intervals, Alarm: e.alarm, Boards: e.boards, Waiting: l.waiting.left()}
	if m.exact != nil {
		s.Exact = len(m.exact.numbers.places)
	}
	if m.design.chooses() {
		s.Pairs = m.mixture.pairs()
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

// Write writes the learner: beliefs, score, and records that wait for labels. Equal learners give equal bytes. No table is copied.
func (l *Learner) Write(w io.Writer) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, err := json.Marshal(l.state())
	if err != nil {
		return errors.Wrap(err, "encoding the learner's state")
	}
	return belief.Write(w, kind, s, l.parts())
}

// Read returns the learner that Write wrote. It continues to the last bit like the one that was written.
func Read(b []byte) (*Learner, error) {
	var l *Learner
	var s state
	_, err := belief.Read(b, func(h belief.Header) (parts []belief.Part, err error) {
		if h.Kind != kind {
			return nil, errors.Errorf("these are beliefs of kind %q, not those of a stream", h.Kind)
		}
		if l, s, err = unmarshal(h); err != nil {
			return nil, err
		}
		return l.parts(), nil
	})
	if err != nil {
		return nil, err
	}
	l.renumber(s)
	return l, nil
}

// unmarshal returns a learner whose tables are still empty. The state is not trusted.
func unmarshal(h belief.Header) (*Learner, state, error) {
	s, err := parseState(h.Config)
	if err != nil {
		return nil, s, err
	}
	if err := h.Fits(s.Design.bytes()); err != nil {
		return nil, s, err
	}
	l, err := build(s.Schema, s.Options, s.Design)
	if err != nil {
		return nil, s, err
	}
	return l, s, l.take(s)
}

// parseState reads a state, and checks what can be checked without a learner.
func parseState(config []byte) (s state, err error) {
	err = json.Unmarshal(config, &s)
	if s.Version > version { // it comes first, and the rest may have another form
		return s, errors.Errorf("this model is of version %d, and this program knows %d; use a newer program", s.Version, version)
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
	if err := s.Options.Validate(); err != nil {
		return s, err
	}
	return s, s.Design.validate(s.Schema)
}

// take replaces everything of a learner but its tables.
func (l *Learner) take(s state) error {
	if !s.fits(l) {
		return errors.New("the learner's state lacks a part, or has one of another size; take an older copy")
	}
	m, e := l.model, l.eval
	m.rows, m.wild, e.unlabelled = s.Rows, s.Wild, s.Unlabelled
	l.observer.census.Columns = s.Census.Columns
	s.BaseRate.shares = m.baseRate.shares
	*m.scale = *s.Scale
	m.baseRate, e.intervals, e.alarm, e.boards = s.BaseRate, s.Intervals, s.Alarm, s.Boards
	m.mixture.weights = s.Weights
	if m.design.chooses() {
		m.mixture.encoder().Keep(s.Pairs)
	}
	m.sleepers.list = slices.Clone(s.Sleepers)
	m.sleepers.wake()
	l.waiting = newWaiting(l.options)
	l.waiting.Dropped = s.Waiting.Dropped
	for _, a := range s.Waiting.Queue {
		l.waiting.add(a)
	}
	if s.Exact < 0 {
		m.exact = nil
	}
	return nil
}

// renumber completes the exact model after its tables were filled.
func (l *Learner) renumber(s state) {
	if x := l.model.exact; x != nil {
		x.numbers.renumber(s.Exact)
	}
}

// State returns everything of the learner but its tables, as JSON. Parts returns the tables.
func (l *Learner) State() ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, err := json.Marshal(l.state())
	return s, errors.Wrap(err, "encoding the learner's state")
}

// Parts returns the learner's tables. A caller that sets their numbers must not use the learner meanwhile, and must then call SetState.
func (l *Learner) Parts() []belief.Part {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.parts()
}

// SetState replaces everything but the tables by what State returned. The learner must have been made with the same schema and
// options. After an error the learner is unchanged.
func (l *Learner) SetState(config []byte) error {
	s, err := parseState(config)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.take(s); err != nil {
		return err
	}
	l.renumber(s)
	return nil
}

// Assemble returns a learner of a state that State returned, and of tables that Parts returned.
func Assemble(config []byte, parts []belief.Part) (*Learner, error) {
	var file bytes.Buffer
	if err := belief.Write(&file, kind, config, parts); err != nil {
		return nil, err
	}
	return Read(file.Bytes())
}

// fits tells whether a state has all parts, in the sizes that a new learner has.
func (s *state) fits(l *Learner) bool {
	m := l.model
	if s.Census == nil || s.Scale == nil || s.Alarm == nil || s.Boards == nil || s.Exact >= 0 && (m.exact == nil || s.Exact > len(m.exact.numbers.keys)) {
		return false
	}
	if len(s.Census.Columns) != len(l.observer.census.Columns) || len(s.BaseRate.Weights) != len(m.baseRate.Weights) ||
		len(s.Weights) != len(m.mixture.weights) || !s.Boards.fit(l.eval.boards) {
		return false
	}
	if len(s.Sleepers) != len(m.sleepers.list) || slices.ContainsFunc(s.Sleepers, func(x sleeper) bool { return !x.sound() }) {
		return false
	}
	if !s.sound() {
		return false
	}
	for _, f := range s.Scale.First {
		if l.check(schema.Record(f.Record)) != nil || !(f.Weight > 0 && f.Weight <= maxWeight) {
			return false
		}
	}
	return !slices.ContainsFunc(s.Waiting.Queue, func(a *asked) bool { return a == nil || !a.fits(l) })
}

// fits tells whether the learner can learn a record that waits, and has the models that forecast it.
func (a *asked) fits(l *Learner) bool {
	m, p := l.model, &a.Predictions
	if l.check(schema.Record(a.Record)) != nil || len(p.Experts) != m.mixture.views || p.Exact != nil && m.exact == nil {
		return false
	}
	if n := len(p.Main.Inputs); n != m.mixture.inputs() && (n > 0 || m.target.Kind != schema.Amount) {
		return false
	}
	list := append(slices.Clip(p.Experts), p.Main, p.BaseRate)
	if p.Exact != nil {
		list = append(list, *p.Exact)
	}
	return !slices.ContainsFunc(list, func(x prediction) bool { return len(x.Classes) != len(m.target.Classes) })
}

// sound tells whether the numbers are such that a learner can compute with them.
func (s *state) sound() bool {
	positive := func(list ...float64) bool {
		return !slices.ContainsFunc(list, func(v float64) bool { return !(v > 0 && v <= math.MaxFloat32) })
	}
	for _, c := range s.Census.Columns {
		if len(c.Top) > census.MaxNamed {
			return false
		}
	}
	if in := s.Scale; len(in.First) >= scaleRows || !(in.Spread >= 0 && in.Spread <= math.MaxFloat32) || s.Schema.Target.Kind != schema.Amount && (in.Center != 0 || in.Spread != 1) {
		return false
	}
	return positive(s.Intervals.Factor[:]...) && positive(s.BaseRate.Weights...) && positive(s.BaseRate.Total) && positive(s.Weights...)
}

// fit tells whether scores have the sizes that a new learner has.
func (b *boards) fit(fresh *boards) bool {
	if (b.Confusion == nil) != (fresh.Confusion == nil) || (b.Curve == nil) != (fresh.Curve == nil) || b.Curve != nil && !b.Curve.whole() {
		return false
	}
	if b.Confusion == nil {
		return true
	}
	n := len(fresh.Confusion.Weight)
	for _, row := range b.Confusion.Weight {
		if len(row) != n {
			return false
		}
	}
	return len(b.Confusion.Weight) == n && len(b.Confusion.LogLoss) == n
}

// Save writes a value of the caller as JSON, and then a learner, or a copy of the bytes that a learner wrote.
func Save(w io.Writer, l interface{ Write(w io.Writer) error }, beside any) error {
	b, err := json.Marshal(beside)
	if err != nil {
		return errors.Wrap(err, "encoding what is kept beside the learner")
	}
	if _, err := w.Write(append(b, '\n')); err != nil {
		return errors.Wrap(err, "writing the learner")
	}
	return l.Write(w)
}

// Load reads what Save wrote.
func Load(payload []byte, beside any) (*Learner, error) {
	b, rest, found := bytes.Cut(payload, []byte("\n"))
	if !found {
		return nil, errors.New("this is no learner of a stream")
	}
	if err := json.Unmarshal(b, beside); err != nil {
		return nil, errors.Wrap(err, "reading what is kept beside the learner")
	}
	return Read(rest)
}
