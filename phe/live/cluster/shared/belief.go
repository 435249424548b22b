// Package shared makes a stream's learner a belief that many machines hold alike ([fold.Shared]).
//
// A learner forecasts and learns the rows of a chunk, as phe stream does. Its delta is a patch: each number that changed, in bits. The
// folded belief is then the learner that one machine would have after the same rows, bit for bit. A patch fits only the belief that it was
// learned from, so one learner works at a time.
package shared

import (
	"bytes"

	"github.com/pkg/errors"

	"gophe/phe/belief"
	"gophe/phe/disk/text"
	"gophe/phe/internal/fold"
	"gophe/phe/stream"
)

// Options say how machines share a belief.
type Options struct {
	// Rows is the number of rows of a chunk.
	Rows int `json:"rows"`
	// Flags are the options of the command that made the belief.
	Flags map[string]text.String `json:"said,omitempty"`
}

// DefaultRows is the default number of rows of a chunk. A patch has a cost of its own, so a chunk is large.
const DefaultRows = 1000

// Belief is a stream's learner that many machines hold alike. It is not safe for concurrent use.
type Belief struct {
	options Options
	learner *stream.Learner
	state   []byte // everything of the learner but its tables, as learner.State returns it
	behind  bool   // the learner has not taken state yet

	parts   []belief.Part // the learner's tables
	image   *image        // the tables before the last chunk; nil before the first chunk
	pending pending
}

// pending is a chunk that the learner has learned already, and that the belief has not counted.
type pending struct {
	delta []byte // nil if there is none
	patch patch  // tables that the delta changes
	state []byte // the learner's state after the delta
}

// New returns the belief of a learner. The belief owns the learner from now on.
func New(l *stream.Learner, o Options) (*Belief, error) {
	if waiting, _ := l.Waiting(); waiting > 0 {
		return nil, errors.Errorf("%d records wait for their labels; a shared belief cannot wait: learn them first", waiting)
	}
	state, err := l.State()
	if err != nil {
		return nil, err
	}
	return &Belief{options: o, learner: l, state: state, parts: l.Parts()}, nil
}

// Open returns the belief that MarshalBinary returned.
func Open(b []byte) (fold.Shared, error) {
	var o struct {
		Options
		Bound struct{ Share float64 } // above 0 if several learners shared the belief
	}
	l, err := stream.Load(b, &o)
	if err != nil {
		return nil, err
	}
	if o.Bound.Share > 0 {
		return nil, fold.ErrSeveral
	}
	return New(l, o.Options)
}

// Options returns the options that the belief was made with.
func (b *Belief) Options() Options { return b.options }

// MarshalBinary returns the belief as bytes. Equal beliefs give equal bytes.
func (b *Belief) MarshalBinary() ([]byte, error) {
	l, err := b.Learner()
	if err != nil {
		return nil, err
	}
	var w bytes.Buffer
	err = stream.Save(&w, l, b.options)
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
		b.image.trim(n)
	}
	b.parts = b.parts[:n]
}

// Learn returns what a chunk's rows add to the belief. Rows without a valid target are skipped.
func (b *Belief) Learn(chunk []byte) (result fold.Learned, err error) {
	l, err := b.Learner()
	if err != nil {
		return result, err
	}
	c, fingerprint, err := ParseChunk(chunk)
	if err != nil {
		return result, err
	}
	if b.image == nil {
		b.image = newImage(b.parts)
	}
	result.Fingerprint = fingerprint
	for _, r := range c.Records {
		if _, learned, err := l.Step(r); err == nil && learned {
			result.Rows++
		} else {
			result.Skipped++
		}
	}
	b.pending.delta = []byte{} // from here on there is something to revert
	if err := b.pack(); err != nil {
		if reverted := b.revert(); reverted != nil {
			return result, errors.WithMessagef(err, "learning a chunk; the belief is lost too (%v), start the learner again", reverted)
		}
		return result, errors.WithMessage(err, "learning a chunk")
	}
	result.Delta = b.pending.delta
	return result, nil
}

// Add conditions the belief on a delta that was learned from it.
func (b *Belief) Add(d []byte) error {
	if b.pending.delta != nil && bytes.Equal(d, b.pending.delta) {
		return b.keep()
	}
	if err := b.revert(); err != nil {
		return err
	}
	switch {
	case len(d) == 0:
		return errors.New("this delta is empty")
	case d[0] == termsForm:
		return fold.ErrSeveral
	case d[0] != patchForm:
		return errors.Errorf("this delta has the unknown form %d; use one version of the program everywhere", d[0])
	}
	return b.addPatch(d[1:])
}
