// Package shared makes a stream's learner a belief that many machines hold alike ([fold.Shared]).
//
// A learner forecasts and learns the rows of a chunk, as phe stream does. Its delta is a patch: each number that changed, in bits. The
// folded belief is then the learner that one machine would have after the same rows, bit for bit. A patch fits only the belief that it was
// learned from, so one learner works at a time.
package shared

import (
	"bytes"

	"github.com/pkg/errors"

	"gophe/phe/internal/fold"
	"gophe/phe/internal/text"
	"gophe/phe/stream"
)

// Belief is a stream's learner that many machines hold alike. It is not safe for concurrent use.
type Belief struct {
	Rows  int                    `json:"rows"`           // of a chunk
	Flags map[string]text.String `json:"said,omitempty"` // options of the command that made the belief

	learner *stream.Learner
	state   []byte // everything of the learner but its tables, as learner.State returns it
	behind  bool   // the learner has not taken state yet
	next    *next  // the result of the last Learn; nil after Add
	spare   *spare // the learner before the last Add; nil if another machine learned the delta, or after Learn
}

// next is the learner after a chunk that the belief has not counted. It saves unpacking the delta if the belief counts it.
type next struct {
	delta, state []byte
	learner      *stream.Learner
	changed      []element
}

// spare is a learner that lacks one delta of the belief. It takes the place of a new copy, which would cost as much as learning half of a
// chunk.
type spare struct {
	learner *stream.Learner
	lacks   []element
}

// New returns the belief of a learner, with the rows of a chunk and the options of a command. The belief owns the learner from now on.
func New(l *stream.Learner, rows int, flags map[string]text.String) (*Belief, error) {
	if waiting, _ := l.Waiting(); waiting > 0 {
		return nil, errors.Errorf("%d records wait for their labels; a shared belief cannot wait: learn them first", waiting)
	}
	state, err := l.State()
	if err != nil {
		return nil, err
	}
	return &Belief{Rows: rows, Flags: flags, learner: l, state: state}, nil
}

// Open returns the belief that MarshalBinary returned.
func Open(b []byte) (fold.Shared, error) {
	var beside struct {
		Belief
		Bound struct{ Share float64 } // above 0 if several learners shared the belief
	}
	l, err := stream.Read(b, &beside)
	if err != nil {
		return nil, err
	}
	if beside.Bound.Share > 0 {
		return nil, fold.ErrSeveral
	}
	return New(l, beside.Rows, beside.Flags)
}

// MarshalBinary returns the belief as bytes. Equal beliefs give equal bytes.
func (b *Belief) MarshalBinary() ([]byte, error) {
	l, err := b.Learner()
	if err != nil {
		return nil, err
	}
	var w bytes.Buffer
	err = l.Write(&w, b)
	return w.Bytes(), err
}

// Learner returns the learner as the belief is now. It must not learn, and it is valid until the belief's next Add.
func (b *Belief) Learner() (*stream.Learner, error) {
	if b.behind {
		if err := b.learner.SetState(b.state); err != nil {
			return nil, err
		}
		b.behind = false
	}
	return b.learner, nil
}

// Learn returns what a chunk's rows add to the belief. Rows without a valid target are skipped. A copy of the learner learns the rows.
func (b *Belief) Learn(chunk []byte) (result fold.Contribution, err error) {
	c, fingerprint, err := ParseChunk(chunk)
	if err != nil {
		return result, err
	}
	l, err := b.copy()
	if err != nil {
		return result, errors.WithMessage(err, "copying the learner")
	}
	result.Fingerprint = fingerprint
	for _, r := range c.Records {
		if _, learned, err := l.Step(r); err == nil && learned {
			result.Rows++
		} else {
			result.Skipped++
		}
	}
	b.next = &next{learner: l}
	if b.next.state, err = l.State(); err != nil {
		return result, err
	}
	p := difference(b.learner.Parts(), l.Parts())
	if b.next.changed, err = p.elements(b.learner.Parts()); err != nil { // others could not add numbers that are not finite
		return result, errors.WithMessage(err, "learning a chunk")
	}
	b.next.delta, err = packPatch(b.state, b.next.state, p)
	result.Delta = b.next.delta
	return result, err
}

// copy returns a learner like the belief's that may learn.
func (b *Belief) copy() (*stream.Learner, error) {
	s := b.spare
	if s == nil {
		l, err := b.Learner()
		if err != nil {
			return nil, err
		}
		var file bytes.Buffer
		if err := l.Write(&file); err != nil {
			return nil, err
		}
		return stream.Read(file.Bytes())
	}
	b.spare = nil
	set(s.learner.Parts(), s.lacks)
	return s.learner, s.learner.SetState(b.state)
}

// Add conditions the belief on a delta that was learned from it.
func (b *Belief) Add(d []byte) error {
	switch n := b.next; {
	case len(d) == 0:
		return errors.New("this delta is empty")
	case n != nil && bytes.Equal(d, n.delta):
		*b = Belief{Rows: b.Rows, Flags: b.Flags, learner: n.learner, state: n.state, spare: &spare{b.learner, n.changed}}
		return nil
	case d[0] == termsForm:
		return fold.ErrSeveral
	case d[0] != patchForm:
		return errors.Errorf("this delta has the unknown form %d; use one version of the program everywhere", d[0])
	}
	state, p, err := unpackPatch(b.state, d[1:])
	if err != nil {
		return err
	}
	elements, err := p.elements(b.learner.Parts())
	if err != nil {
		return err
	}
	set(b.learner.Parts(), elements)
	b.state, b.behind, b.next, b.spare = state, true, nil, nil
	return nil
}
