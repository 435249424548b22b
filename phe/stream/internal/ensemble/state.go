package ensemble

import (
	"slices"

	"gophe/phe/stream/internal/census"
)

// State is a model's state in a file. The tables are not in it. Unlabelled and Census belong to other parts, and have their place here.
type State struct {
	Design     Design         `json:"design"`
	Rows       int64          `json:"rows"`
	Unlabelled int64          `json:"unlabelled,omitempty"`
	Outliers   int64          `json:"outliers,omitempty"`
	Exact      int            `json:"exact"` // number of items in the exact model; −1 without an exact model
	Census     *census.Census `json:"census"`
	Weights    []float64      `json:"weights"`         // of the mixture; nil for counts
	Pairs      []int          `json:"pairs,omitempty"` // columns of the pairs that are left, if some are dropped along the stream
	Constants  []Constant     `json:"constant_columns,omitempty"`
	BaseRate   *BaseRate      `json:"base_rate"`
	Scale      *Scale         `json:"scale"`
	Statistics *Statistics    `json:"statistics,omitempty"`
	Hedge      *Hedge         `json:"hedge"`
}

// State returns the model without its tables.
func (m *Model) State() State {
	s := State{Design: m.Design, Rows: m.Rows, Outliers: m.baseRate.outliers, Exact: -1, Constants: m.constants.list,
		BaseRate: m.baseRate, Scale: m.scale, Statistics: m.statistics, Hedge: &m.hedge.Hedge}
	if m.mixture != nil {
		s.Weights = m.mixture.weights
	}
	if m.exact != nil {
		s.Exact = m.exact.numbers.len
	}
	if m.Design.Experts[0].Learner.Chooses() {
		for _, p := range m.Pairs() {
			s.Pairs = append(s.Pairs, p.Column)
		}
	}
	return s
}

// Flaw names a part of a state that the model lacks or cannot compute with; "" if there is none.
func (m *Model) Flaw(s *State) string {
	switch {
	case s.Exact >= 0 && (m.exact == nil || s.Exact > len(m.exact.numbers.keys)):
		return "its numbers for each item"
	case s.BaseRate == nil || !s.BaseRate.fit(m.baseRate):
		return "its base rate"
	case len(s.Weights) != len(m.State().Weights) || !Positive(s.Weights...):
		return "the weights of its models"
	case s.Scale == nil || !s.Scale.sound(m):
		return "the scale of its target"
	case s.Statistics == nil || !(s.Statistics.Lag >= 0) || !s.Statistics.Change.Sound():
		return "what it measures of its stream"
	case s.Hedge == nil || !s.Hedge.fit(&m.hedge.Hedge):
		return "its choices for late labels"
	case len(s.Constants) != len(m.constants.list):
		return "its columns of one value"
	}
	for i, in := range m.constants.columns {
		if !s.Constants[i].sound(in.Column, m.target) {
			return "its column " + in.Name
		}
	}
	return ""
}

// Restore replaces everything of a model but its tables. The state has no flaw.
func (m *Model) Restore(s State) {
	m.Rows, m.baseRate.outliers = s.Rows, s.Outliers
	m.statistics.LogWeight, m.statistics.Lag, *m.statistics.Change = s.Statistics.LogWeight, s.Statistics.Lag, *s.Statistics.Change
	u := m.baseRate
	u.Weights, u.Total, u.Mean, u.Squares, u.Run, u.Last = s.BaseRate.Weights, s.BaseRate.Total, s.BaseRate.Mean, s.BaseRate.Squares,
		s.BaseRate.Run, s.BaseRate.Last
	m.scale.unit, m.scale.First, m.scale.Window = s.Scale.unit, s.Scale.First, s.Scale.Window
	m.scaleExperts()
	m.hedge.restore(s.Hedge)
	if m.mixture != nil {
		m.mixture.weights = s.Weights
	}
	if m.Design.Experts[0].Learner.Chooses() {
		m.reader.encoders[0].Keep(s.Pairs)
	}
	m.constants.list = slices.Clone(s.Constants)
	m.constants.bin()
	if s.Exact < 0 {
		m.exact = nil
	} else {
		m.exact.numbers.len, m.exact.numbers.places = s.Exact, nil
	}
}
