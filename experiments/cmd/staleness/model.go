package main

import (
	"math"

	"github.com/pkg/errors"

	"gophe/data/files"
	"gophe/data/tables"
	"gophe/phe/onepass"
)

// mostRows is the number of rows of Covertype that the paper's streams have.
const mostRows = 49_999

// model is a preset over a table.
type model struct {
	Data   string
	Preset string
	table  *tables.Table
	rows   int
	config onepass.Config
}

// The presets of the study.
const (
	paper      = "Paper"
	streamTau  = "Stream"
	streamKeep = "Stream, Tau = 0"
)

func newModel(t *tables.Table, preset string) (*model, error) {
	outputs := len(t.Classes)
	if outputs == 2 {
		outputs = 1
	}
	m := &model{Data: t.Name, Preset: preset, table: t, rows: min(t.NumRows(), mostRows)}
	switch preset {
	case paper:
		m.config = onepass.Paper(len(t.Categorical), len(t.Numeric), outputs)
	case streamTau, streamKeep:
		s := onepass.Shape{Columns: len(t.Categorical) + len(t.Numeric)}
		if outputs > 1 {
			s.Head, s.Outputs = onepass.Softmax, outputs
		}
		m.config = onepass.Stream(s)
		m.config.Compact = false // rounding to float32 is no question of this study
		if preset == streamKeep {
			m.config.Tau = 0
		}
	default:
		return nil, errors.Errorf("preset is %q; choose %q, %q or %q", preset, paper, streamTau, streamKeep)
	}
	m.config.Seed = 1
	return m, nil
}

func loadTable(name string) (*tables.Table, error) { return tables.Load(name, files.Options{}) }

// reader makes the rows of a model. Numbers of the preset Stream are items, and the table divides them by their maximum. The reader
// multiplies them by 1,000, so that they fall into many bins.
type reader struct {
	m       *model
	encoder *onepass.Encoder
}

func (m *model) reader() (*reader, error) {
	var names []string
	for _, c := range m.table.Categorical {
		names = append(names, c.Name)
	}
	if m.config.Numbers == 0 {
		for _, c := range m.table.Numeric {
			names = append(names, c.Name)
		}
	}
	e, err := onepass.NewEncoder(m.config, names)
	return &reader{m, e}, err
}

// read returns a row, until the next call, and its class.
func (r *reader) read(i int) (*onepass.Row, float64) {
	t := r.m.table
	for c, column := range t.Categorical {
		r.encoder.Item(c, column.Values[i])
	}
	if r.m.config.Numbers == 0 {
		for c, column := range t.Numeric {
			r.encoder.Number(len(t.Categorical)+c, 1000*column.Values[i])
		}
		return r.encoder.Row(), float64(t.Labels[i])
	}
	row := r.encoder.Row()
	row.Numbers = row.Numbers[:0]
	for _, column := range t.Numeric {
		row.Numbers = append(row.Numbers, column.Values[i])
	}
	return row, float64(t.Labels[i])
}

// loss returns the log-loss of a forecast, in nats. No forecast is more certain than 1 − 10⁻¹⁶.
func loss(f onepass.Forecast, class float64) float64 {
	p := f.Classes[int(class)]
	if !(p >= 1e-16) { // or not a number
		p = 1e-16
	}
	return -math.Log(p)
}
