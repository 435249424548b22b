package onehot

import (
	"bytes"
	"encoding/gob"

	"github.com/pkg/errors"
)

// model has the forecasts of a classifier, and its state as bytes.
type model[S interface{ fits(*Table) error }] struct {
	table   *Table
	state   S
	classes func(row int32) // fills in p
	p       []float64       // probabilities of the classes of the row under way
}

func newModel[S interface{ fits(*Table) error }](t *Table, state S) model[S] {
	return model[S]{table: t, state: state, p: make([]float64, t.Classes)}
}

// Predict appends the log probability of every class of each row, [rows, classes] in nats.
func (m *model[S]) Predict(dst []float32, rows []int32) []float32 {
	for _, row := range rows {
		m.classes(row)
		dst = AppendLogs(dst, m.p)
	}
	return dst
}

// MarshalBinary returns the state.
func (m *model[S]) MarshalBinary() ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(m.state)
	return b.Bytes(), errors.Wrap(err, "encoding a classifier")
}

// UnmarshalBinary replaces the state. It changes nothing and returns an error if the state is not of this table.
func (m *model[S]) UnmarshalBinary(content []byte) error {
	var s S
	if err := gob.NewDecoder(bytes.NewReader(content)).Decode(&s); err != nil {
		return errors.Wrap(err, "decoding a classifier; start the run anew")
	}
	if err := s.fits(m.table); err != nil {
		return err
	}
	m.state = s
	return nil
}
