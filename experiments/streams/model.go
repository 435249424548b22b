package streams

import (
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/onepass"
)

// Model is the preset Stream, or what is left of it without one of its parts.
type Model string

const (
	Default    Model = "stream"
	NoPairs    Model = "stream, no interactions"
	Factors    Model = "stream, FM" // in place of pairs
	Both       Model = "stream, pairs and FM"
	NoEvidence Model = "stream, no evidence"
)

// Models lists the models.
func Models() []Model { return []Model{Default, NoPairs, Factors, Both, NoEvidence} }

// ParseModel returns the model of a name.
func ParseModel(name string) (Model, error) {
	var names []string
	for _, m := range Models() {
		if string(m) == name {
			return m, nil
		}
		names = append(names, string(m))
	}
	return "", errors.Errorf("unknown model %q; choose one of %s", name, strings.Join(names, "; "))
}

const bytesPerNumber = 4

// Config returns the model's configuration for a stream and a budget in numbers of 4 bytes.
func (m Model) Config(t *Table, numbers int) onepass.Config {
	shape := onepass.Shape{Columns: len(t.Columns), Memory: bytesPerNumber * numbers, Head: t.Head, Outputs: max(1, t.Classes)}
	switch m {
	case NoPairs:
		shape.Interactions = onepass.None
	case Factors:
		shape.Interactions = onepass.FM
	case Both:
		shape.Interactions = onepass.Both
	}
	c := onepass.Stream(shape)
	if m == NoEvidence { // the layer gets its memory
		c.Evidence, c.Prior.Block = 0, 1
		entries := bytesPerNumber * numbers / (8 * c.Outputs)
		if c.Latents == 0 {
			c.Buckets = entries
		} else {
			each := c.Buckets / c.LatentRows
			c.LatentRows = entries / (each + c.Latents)
			c.Buckets = each * c.LatentRows
		}
	}
	return c
}
