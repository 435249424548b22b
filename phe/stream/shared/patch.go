package shared

import (
	"encoding/binary"

	"github.com/klauspost/compress/zstd"
	"github.com/pkg/errors"

	"gophe/phe/belief"
	"gophe/phe/stream"
)

// turn is the work of a learner that publishes patches. pending is the delta of the last chunk, which the learner has learned already.
type turn struct {
	parts   []belief.Part // the learner's tables
	image   *belief.Image // the tables before the chunk; nil before the first chunk
	pending []byte
	patch   belief.Patch // tables that the pending delta changes
	learned []byte       // the learner's state after the pending delta
}

// trim forgets the tables that the learner has dropped, so that a machine that starts from a checkpoint has the same tables.
func (t *turn) trim(l *stream.Learner) {
	n := len(l.Parts())
	if n < len(t.parts) && t.image != nil {
		t.image.Trim(n)
	}
	t.parts = t.parts[:n]
}

// learnPatch learns a chunk by the steps of one machine.
func (b *Belief) learnPatch(l *stream.Learner, c Chunk) (result belief.Learned, err error) {
	if err := b.current(); err != nil {
		return result, err
	}
	t := &b.turn
	if t.image == nil {
		t.image = belief.NewImage(t.parts)
	}
	for _, r := range c.Records {
		if _, learned, err := l.Step(r); err == nil && learned {
			result.Rows++
		}
	}
	t.pending = []byte{} // from here on there is something to revert
	if t.learned, err = l.State(); err == nil {
		t.patch = t.image.Patch(t.parts)
		if err = t.patch.Each(t.parts, func(int, int, float64, float64) {}); err == nil { // others could not add numbers that are not finite
			t.pending, err = packPatch(b.state, t.learned, t.patch)
		}
	}
	if err != nil {
		return result, learningFailed(err, b.revert())
	}
	result.Delta = t.pending
	return result, nil
}

// keep makes the pending delta part of the belief.
func (b *Belief) keep() error {
	t := &b.turn
	if err := t.image.Take(t.parts, t.patch); err != nil {
		return err
	}
	t.pending, b.state = nil, t.learned
	t.trim(b.learner)
	b.terms.reset()
	return nil
}

// learningFailed returns the reason of a chunk that cannot be learned, and says if the belief could not be restored.
func learningFailed(err, reverted error) error {
	if reverted != nil {
		return errors.WithMessagef(err, "learning a chunk; the belief is lost too (%v), start the learner again", reverted)
	}
	return errors.WithMessage(err, "learning a chunk")
}

// revert takes back the pending delta.
func (b *Belief) revert() error {
	t := &b.turn
	if t.pending == nil {
		return nil
	}
	t.pending = nil
	t.image.Reset(t.parts)
	b.terms.reset()
	err := b.learner.SetState(b.state)
	if err == nil {
		return nil
	}
	// The learner dropped a table in this chunk.
	if b.learner, err = stream.Assemble(b.state, t.image.Parts(t.parts)); err != nil {
		return err
	}
	t.parts = b.learner.Parts()
	return nil
}

// addPatch sets the numbers of a patch.
func (b *Belief) addPatch(d []byte) error {
	if err := b.current(); err != nil {
		return err
	}
	state, patch, err := unpackPatch(b.state, d)
	if err != nil {
		return err
	}
	if err := patch.Apply(b.turn.parts); err != nil {
		return err
	}
	b.state, b.behind = state, true
	b.terms.reset()
	if b.turn.image != nil {
		return b.turn.image.Take(b.turn.parts, patch)
	}
	return nil
}

// mostDelta bounds the memory of a delta.
const mostDelta = 1 << 30

// packPatch returns a state and a patch, compressed. The state before is the dictionary, because most of a state stays as it is.
func packPatch(before, state []byte, patch belief.Patch) ([]byte, error) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderDictRaw(1, before), zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithWindowSize(windowOf(before, state)), zstd.WithEncoderCRC(true))
	if err != nil {
		return nil, errors.Wrap(err, "packing a delta")
	}
	defer w.Close()
	b := binary.AppendUvarint(nil, uint64(len(state)))
	b = append(append(b, state...), patch...)
	return w.EncodeAll(b, []byte{patchForm}), nil
}

// windowOf returns a power of two that reaches back to the beginning of the dictionary.
func windowOf(before, state []byte) int {
	size := 1 << 16
	for size < len(before)+len(state) && size < zstd.MaxWindowSize {
		size *= 2
	}
	return size
}

// unpackPatch reads what packPatch returned. before must be the same state.
func unpackPatch(before, d []byte) (state []byte, patch belief.Patch, err error) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderDictRaw(1, before), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostDelta), zstd.WithDecoderMaxWindow(zstd.MaxWindowSize))
	if err != nil {
		return nil, nil, errors.Wrap(err, "unpacking a delta")
	}
	defer r.Close()
	b, err := r.DecodeAll(d, nil)
	if err != nil {
		return nil, nil, errors.Wrap(err, "unpacking a delta; it is damaged, or was learned from another belief")
	}
	size, n := binary.Uvarint(b)
	if n <= 0 || size > uint64(len(b)-n) {
		return nil, nil, errors.New("a delta is cut off")
	}
	b = b[n:]
	return b[:size:size], belief.Patch(b[size:]), nil
}
