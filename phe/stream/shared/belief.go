// Package shared makes a stream's learner a belief that many machines hold alike ([belief.Shared]).
//
// A learner forecasts, scores and learns the rows of a chunk, as phe stream does. Its delta holds each number that changed, in bits. So
// the folded belief is the learner that one machine would have after the same rows, bit for bit, with its scores and counts. Such a
// delta fits only the belief that it was learned from. One learner works at a time, others may stand by, and any number of machines
// follow.
package shared

import (
	"bytes"

	"github.com/pkg/errors"

	"gophe/phe/belief"
	"gophe/phe/stream"
)

// Belief is a stream's learner that many machines hold alike. It is not safe for concurrent use.
type Belief struct {
	learner *stream.Learner
	parts   []belief.Part // the learner's tables
	state   []byte        // everything but the tables, as learner.State returns it
	behind  bool          // the learner has not taken state yet

	// A belief that learns has a copy of its tables. pending is the delta of the last chunk, which the learner has learned already.
	image   *belief.Image
	pending []byte
	patch   belief.Patch // tables that the pending delta changes
	learned []byte       // state after the pending delta
}

// New returns the belief of a learner. The belief owns the learner from now on.
func New(l *stream.Learner) (*Belief, error) {
	if waiting, _ := l.Waiting(); waiting > 0 {
		return nil, errors.Errorf("%d records wait for their labels; a shared belief cannot wait: learn them first", waiting)
	}
	state, err := l.State()
	return &Belief{learner: l, parts: l.Parts(), state: state}, err
}

// Open returns the belief that MarshalBinary returned.
func Open(b []byte) (belief.Shared, error) {
	l, err := stream.Load(b, &struct{}{})
	if err != nil {
		return nil, err
	}
	return New(l)
}

// MarshalBinary returns the belief as bytes. Equal beliefs give equal bytes.
func (b *Belief) MarshalBinary() ([]byte, error) {
	l, err := b.Learner()
	if err != nil {
		return nil, err
	}
	var w bytes.Buffer
	err = stream.Save(&w, l, struct{}{})
	return w.Bytes(), err
}

// Learner returns the learner as the belief is now. It must not learn, and it is valid until the belief's next Learn or Add.
func (b *Belief) Learner() (*stream.Learner, error) {
	if err := b.revert(); err != nil {
		return nil, err
	}
	if b.behind {
		if err := b.learner.SetState(b.state); err != nil {
			return nil, err
		}
		b.behind = false
		b.trim()
	}
	return b.learner, nil
}

// trim forgets the tables that the learner has dropped, so that a machine that starts from a checkpoint has the same tables.
func (b *Belief) trim() {
	n := len(b.learner.Parts())
	if n < len(b.parts) && b.image != nil {
		b.image.Trim(n)
	}
	b.parts = b.parts[:n]
}

// Learn returns what a chunk's rows add to the belief. Rows without a valid target are skipped.
func (b *Belief) Learn(chunk []byte) (belief.Learned, error) {
	l, err := b.Learner()
	if err != nil {
		return belief.Learned{}, err
	}
	var c Chunk
	if err := c.UnmarshalBinary(chunk); err != nil {
		return belief.Learned{}, err
	}
	if b.image == nil {
		b.image = belief.NewImage(b.parts)
	}
	rows, fingerprint, err := Count(chunk)
	if err != nil {
		return belief.Learned{}, err
	}
	result := belief.Learned{Fingerprint: fingerprint}
	for _, r := range c.Records {
		if _, learned, err := l.Step(r); err == nil && learned {
			result.Rows++
		}
	}
	result.Skipped = rows - result.Rows
	if b.learned, err = l.State(); err != nil {
		return belief.Learned{}, err
	}
	b.patch = b.image.Patch(b.parts)
	b.pending, err = delta(b.state, b.learned, b.patch)
	result.Delta = b.pending
	return result, err
}

// revert takes back what Learn learned.
func (b *Belief) revert() error {
	if b.pending == nil {
		return nil
	}
	b.pending = nil
	if err := b.image.Restore(b.parts, b.patch); err != nil {
		return err
	}
	err := b.learner.SetState(b.state)
	if err == nil {
		return nil
	}
	// The learner dropped a table in this chunk.
	if b.learner, err = stream.Assemble(b.state, b.image.Parts(b.parts)); err != nil {
		return err
	}
	b.parts = b.learner.Parts()
	return nil
}

// Add conditions the belief on a delta. The delta must have been learned from this belief: missed must be 0.
func (b *Belief) Add(d []byte, missed uint64) error {
	if missed > 0 {
		return errors.Errorf("the prior of this delta lacks %d rows; a stream's belief adds only deltas that were learned from it", missed)
	}
	if b.pending != nil && bytes.Equal(d, b.pending) {
		b.pending, b.state = nil, b.learned
		err := b.image.Take(b.parts, b.patch)
		b.trim()
		return err
	}
	if err := b.revert(); err != nil {
		return err
	}
	state, patch, err := parseDelta(b.state, d)
	if err != nil {
		return err
	}
	if err := patch.Apply(b.parts); err != nil {
		return err
	}
	b.state, b.behind = state, true
	if b.image != nil {
		return b.image.Take(b.parts, patch)
	}
	return nil
}
