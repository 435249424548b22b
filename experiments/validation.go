package experiments

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"

	"github.com/pkg/errors"

	"gophe/data"
	"gophe/phe"
	"gophe/phe/learn"
)

// Validation is the protocol that results name where a share of the initial rows stands in place of the stream.
const Validation = "validation"

// shown returns the protocol's name as results have it.
func (p Protocol) shown() string {
	if p.Validation > 0 {
		return Validation
	}
	return p.Name
}

// validationSeed draws the rows of a validation, whatever the seed of a run: all runs are scored on the same rows.
const validationSeed = 1234

// validation returns the plan for choosing hyperparameters: a share of the initial rows is held out and stands in place of the
// stream, in steps of the stream's size. Each step is predicted, scored, then learned. No row of the stream or of a test is in it.
// Protocols whose steps are groups or single rows take one step. Protocol in-order holds out the last of the initial rows. The
// others draw the rows at random, since their initial rows may be sorted.
func (p *plan) validation(spec Protocol) (*plan, error) {
	rows := slices.Clone(p.Initial)
	if spec.Name != InOrder {
		for i, j := range data.NewRandomState(validationSeed).Permutation(len(rows)) {
			rows[i] = p.Initial[j]
		}
	}
	held := int(math.Round(spec.Validation * float64(len(rows))))
	if held < 1 || held >= len(rows) {
		return nil, errors.Errorf("validation %g of %d initial rows holds out %d of them; it must leave some on both sides", spec.Validation, len(rows), held)
	}
	train, rest := rows[:len(rows)-held:len(rows)-held], rows[len(rows)-held:]
	size := held
	if spec.ChunkRows > 0 {
		size = p.largestStep()
	}
	stream := &data.Stream{Table: p.Table, Initial: train}
	for step := range slices.Chunk(rest, size) {
		if spec.MaxChunks > 0 && len(stream.Steps) == spec.MaxChunks {
			break
		}
		stream.Steps = append(stream.Steps, step)
	}
	return &plan{Stream: stream, scored: true}, nil
}

// overlay returns the model with what the method has for itself.
func (m Method) overlay(c learn.Config) learn.Config {
	if m.Model != nil {
		_ = json.Unmarshal(*m.Model, &c) // validateOwn says what is wrong
	}
	return c
}

// validateOwn checks the settings of the model that a method has for itself.
func (m Method) validateOwn(s Spec) error {
	if m.Model == nil {
		return nil
	}
	c := s.Model
	decoder := json.NewDecoder(bytes.NewReader(*m.Model))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return errors.Errorf("model of %q cannot be read (%s); write fields of the spec's model, such as {\"learning_rate\": 0.05}", m.Name, err)
	}
	if c.Encoder.Rows != s.Model.Encoder.Rows || c.Encoder.Estimate != s.Model.Encoder.Estimate || c.Encoder.Capacity != s.Model.Encoder.Capacity {
		return errors.Errorf("model of %q has rows, estimate or capacity; a method says the first two itself, and the third is counted: leave them out", m.Name)
	}
	return nil
}

// Effect identifies what a method computes on the spec's data. Two methods that differ only in what does not matter to them have
// the same, such as two vocabularies with different numbers of buckets.
func (s Spec) Effect(m Method) string {
	r := s.resolve(m)
	if m.Estimate == phe.Point { // a number has no spread: nothing is sampled, and there is no KL
		c := &r.Model
		c.KLWeight, c.Scheme, c.Loss, c.TrainSamples, c.TestSamples, c.Encoder.InitialLogStdDev = 0, "", "", 0, 0, 0
	}
	return r.hash()
}
