package ensemble

import (
	"slices"

	"gophe/phe/stream/schema"
)

// Twin reads records for a model, ahead of the model and in another goroutine.
type Twin struct {
	reader  *reader
	model   *sleepers
	columns []*schema.Input // of the reader, that sleep
	list    []Sleeper       // the model's, when the twin last looked
	varied  []bool
}

// Twin returns a twin of the model's reader. It returns nil while the model needs its records one by one: before it knows the scale of a
// number, has chosen its pairs of columns, or knows the bins of a column that wakes, and always for counts.
func (m *Model) Twin(s schema.Schema) *Twin {
	pairs, kept := m.pairs(), m.Design.Experts[0].Learner.Kept
	if m.Counter != nil || !m.scale.known() || m.sleepers.waits() || kept > 0 && len(pairs) > kept {
		return nil
	}
	encoders, err := m.Design.encoders(s)
	if err != nil {
		panic(err) // the encoders of the model were made so
	}
	encoders[0].Keep(pairs)
	r := newReader(s, encoders)
	t := &Twin{r, m.sleepers, r.sleepers(), slices.Clone(m.sleepers.list), make([]bool, len(m.sleepers.list))}
	wake(t.columns, t.list)
	return t
}

// Read reads a record. It returns false for a record that the model must take by itself: from the record at which a sleeping column begins
// to vary, up to the record after which the model knows its bins. The twin's reader then gets the bins.
func (t *Twin) Read(record schema.Record, into *Row) bool {
	ready := true
	for i, in := range t.columns {
		t.varied[i] = t.varied[i] || into.Known && varies(in, record)
		if t.varied[i] && !t.list[i].awake() {
			t.list = *t.model.awake.Load()
			wake(t.columns, t.list)
			ready = ready && t.list[i].awake()
		}
	}
	if ready {
		t.reader.read(record, into)
	}
	return ready
}
