// Package shared makes a stream's learner a belief that many machines hold alike ([belief.Shared]).
//
// A learner forecasts and learns the rows of a chunk, as phe stream does. Its delta has one of two forms. A patch holds each number that
// changed, in bits. The folded belief is then the learner that one machine would have after the same rows, bit for bit. A patch fits only
// the belief that it was learned from. Terms hold what the rows add to the beliefs in natural parameters. They fit a belief that has
// learned other chunks meanwhile, so several learners can work at a time.
package shared

import (
	"bytes"
	"math"

	"github.com/pkg/errors"

	"gophe/phe/belief"
	"gophe/phe/stream"
)

// Options say how machines share a belief.
type Options struct {
	// Bound is the bound on staleness. If its share is 0, one learner works at a time and publishes patches.
	Bound belief.Bound `json:"bound"`
	// Rows is the number of rows of a chunk.
	Rows int `json:"rows"`
	// Said holds the options that a person gave when the belief was made.
	Said map[string]string `json:"said,omitempty"`
}

// Rows of a chunk by default. A patch has a cost of its own, so its chunk is large. Terms become stale, so their chunks are small.
const (
	RowsAlone   = 1000
	RowsSeveral = 100
)

// noForgetting is a share of forgetting that no stream notices. 0 means the preset's.
const noForgetting = 1e-12

// Several returns the options of a stream's learner that several learners share. They number no items, and forget nothing unless the
// options say otherwise: a belief that forgets remembers few rows, so the bound would let one learner work at a time.
func Several(o stream.Options) stream.Options {
	o.Alone = true
	if o.Forget == 0 {
		o.Forget = noForgetting
	}
	return o
}

// For returns the options for a number of learners of a learner's belief.
func For(l *stream.Learner, learners int) Options {
	if learners < 2 {
		return Options{Rows: RowsAlone}
	}
	b := belief.Bound{Share: belief.ShareOf(l.Summed())}
	if m := l.Remembers(); !math.IsInf(m, 0) {
		b.Memory = m
	}
	return Options{Rows: RowsSeveral, Bound: b}
}

// Start returns the state before any row of a new shared belief.
func Start(l *stream.Learner, o Options) (*belief.State, error) {
	b, err := New(l, o)
	if err != nil {
		return nil, err
	}
	return &belief.State{Bound: o.Bound, Belief: b}, nil
}

// Options returns the options that the belief was made with.
func (b *Belief) Options() Options { return b.options }

// Belief is a stream's learner that many machines hold alike. It is not safe for concurrent use.
type Belief struct {
	options Options
	learner *stream.Learner
	state   []byte // everything of the learner but its tables, as learner.State returns it
	behind  bool   // the learner has not taken state yet
	ahead   bool   // state has not taken what the learner counted

	turn  turn  // for patches
	terms terms // for terms
}

// New returns the belief of a learner. The belief owns the learner from now on.
func New(l *stream.Learner, o Options) (*Belief, error) {
	if waiting, _ := l.Waiting(); waiting > 0 {
		return nil, errors.Errorf("%d records wait for their labels; a shared belief cannot wait: learn them first", waiting)
	}
	if o.Bound.Share > 0 && !l.Options().Alone {
		return nil, errors.New("several learners cannot share the model that gives each item numbers of its own; leave it out with stream.Options.Alone")
	}
	state, err := l.State()
	if err != nil {
		return nil, err
	}
	b := &Belief{options: o, learner: l, state: state, turn: turn{parts: l.Parts()}}
	if o.Bound.Share > 0 {
		b.terms = newTerms(l)
	}
	return b, nil
}

// Open returns the belief that MarshalBinary returned.
func Open(b []byte) (belief.Shared, error) {
	var o Options
	l, err := stream.Load(b, &o)
	if err != nil {
		return nil, err
	}
	return New(l, o)
}

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
		b.turn.trim(b.learner)
	}
	return b.learner, nil
}

// Learn returns what a chunk's rows add to the belief. Rows without a valid target are skipped.
func (b *Belief) Learn(chunk []byte) (result belief.Learned, err error) {
	l, err := b.Learner()
	if err != nil {
		return result, err
	}
	c, fingerprint, err := parseChunk(chunk)
	if err != nil {
		return result, err
	}
	rows := uint64(len(c.Records))
	// A prior that may not lack as much as another chunk cannot miss anything. It publishes the exact patch. So does the learner that
	// finds out the scale of a number.
	if b.options.Bound.Lack(uint64(l.Rows())) < float64(rows) || !l.KnowsScale() {
		result, err = b.learnPatch(l, c)
	} else {
		result, err = b.terms.learn(l, c)
	}
	result.Skipped, result.Fingerprint = rows-result.Rows, fingerprint
	return result, err
}

// Forms of a delta.
const (
	patchForm = 1
	termsForm = 2
)

// Add conditions the belief on a delta. A patch must have been learned from this belief: missed must be 0.
func (b *Belief) Add(d []byte, missed uint64) error {
	if b.turn.pending != nil && bytes.Equal(d, b.turn.pending) && missed == 0 {
		return b.keep()
	}
	if len(d) == 0 {
		return errors.New("this delta is empty")
	}
	if err := b.revert(); err != nil {
		return err
	}
	switch {
	case d[0] == patchForm && missed > 0:
		return belief.ErrStale // a patch fits only the belief that it was learned from
	case d[0] == patchForm:
		return b.addPatch(d[1:])
	case d[0] == termsForm && b.options.Bound.Share > 0:
		return b.addTerms(d[1:])
	}
	return errors.Errorf("this delta has the unknown form %d; use one version of the program everywhere", d[0])
}

func (b *Belief) addTerms(d []byte) error {
	l, err := b.Learner()
	if err != nil {
		return err
	}
	if err := b.terms.add(l, d); err != nil {
		return err
	}
	b.ahead, b.turn.image = true, nil
	return nil
}

// current brings state up to date.
func (b *Belief) current() (err error) {
	if b.ahead {
		if b.state, err = b.learner.State(); err == nil {
			b.ahead = false
		}
	}
	return err
}
