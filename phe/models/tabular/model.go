package tabular

import (
	"math"
	"slices"

	"github.com/pkg/errors"

	"gophe/phe/belief"
	"gophe/phe/learn"
)

// Model is the classifier. It encodes records and reads forecasts. [learn.New] makes learners of its network.
type Model struct {
	Config
	Network learn.Network
}

// New returns the classifier of a configuration. It learns nothing itself.
func New(c Config) (*Model, error) {
	if c.Classes < 2 || len(c.Columns) == 0 || c.Numbers < 0 {
		return nil, errors.Errorf("the configuration has %d classes, %d categorical columns and %d numeric columns; "+
			"a classifier needs at least 2, 1 and 0", c.Classes, len(c.Columns), c.Numbers)
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c.Columns = slices.Clone(c.Columns)
	m := &Model{Config: c}
	m.Network = m.network()
	return m, nil
}

// Record is a row of a table.
type Record struct {
	Items   []string  // a value of each categorical column, known or never seen
	Numbers []float64 // values of the numeric columns; scale them to about 1
	Class   int       // counted from 0; −1 if it is not known. Predict does not read it
}

// Encode returns records as a batch for a learner, and keeps no state. It returns an error that names the record if one does not
// fit.
func (m *Model) Encode(records []Record) (*learn.Batch, error) {
	rows, values := make([][]string, len(records)), make([]float32, len(records)*m.width())
	targets, known := make([]float32, len(records)), true
	for i, r := range records {
		if err := m.fits(r); err != nil {
			return nil, errors.WithMessagef(err, "record %d, counted from 0", i)
		}
		rows[i], targets[i], known = r.Items, float32(r.Class), known && r.Class >= 0
		copy(values[i*m.width():], belief.Converted[float32](r.Numbers))
	}
	b, err := learn.NewBatch(m.Config.Columns, rows)
	if err != nil {
		return nil, err
	}
	b.Inputs[numbers] = learn.Input{Floats: values}
	if known {
		b.Targets = targets
	}
	return b, nil
}

// fits returns an error if a record does not fit the columns.
func (m *Model) fits(r Record) error {
	switch {
	case len(r.Items) != len(m.Config.Columns) || len(r.Numbers) != m.Numbers:
		return errors.Errorf("it has %d items and %d numbers; the model has the categorical columns %q and %d numeric columns",
			len(r.Items), len(r.Numbers), m.Config.Columns, m.Numbers)
	case r.Class < -1 || r.Class >= m.Classes:
		return errors.Errorf("its class is %d of %d; count from 0, and give -1 if it is not known", r.Class, m.Classes)
	}
	for _, x := range r.Numbers {
		if y := float32(x); math.IsNaN(x) || math.IsInf(float64(y), 0) {
			return errors.Errorf("a number is %g; it must be finite in 32 bits", x)
		}
	}
	return nil
}

// Forecast returns the probability of each class from one record's numbers in [learn.Predictions].
func (m *Model) Forecast(values []float32) []float64 {
	p := make([]float64, len(values))
	for i, v := range values {
		p[i] = math.Exp(float64(v))
	}
	return p
}

// Data is a table in columns, the fast form for many rows. Each categorical cell points to one of the distinct items.
type Data struct {
	Items       []string  // distinct items of all columns, each with its column's name before it
	ItemColumns []int32   // [items], the column of each item
	Index       []int32   // [rows, columns], into Items
	Numbers     []float32 // [rows, numbers]
	Labels      []int32   // [rows]
}

// Batch returns the table as a batch for a learner. It shares the table's arrays, which must not change. A learner checks the rest.
func (m *Model) Batch(d Data) (*learn.Batch, error) {
	if m.Numbers == 0 {
		d.Numbers = make([]float32, len(d.Labels)*m.width())
	}
	targets := make([]float32, len(d.Labels))
	for i, y := range d.Labels {
		if y < 0 || int(y) >= m.Classes {
			return nil, errors.Errorf("the label of row %d is %d; it must be one of %d classes, counted from 0", i, y, m.Classes)
		}
		targets[i] = float32(y)
	}
	return &learn.Batch{Records: len(d.Labels), Items: d.Items, Columns: d.ItemColumns, Index: d.Index,
		Inputs: map[string]learn.Input{numbers: {Floats: d.Numbers}}, Targets: targets}, nil
}
