package shared

import (
	"encoding/binary"

	"github.com/klauspost/compress/zstd"
	"github.com/pkg/errors"

	"gophe/phe/stream"
)

// Forms of a delta: its first byte. Several learners published terms.
const (
	patchForm = 1
	termsForm = 2
)

// pack makes the delta of the rows that the learner has just learned.
func (b *Belief) pack() (err error) {
	p := &b.pending
	if p.state, err = b.learner.State(); err != nil {
		return err
	}
	p.patch = b.image.changes(b.parts)
	if err := p.patch.each(b.parts, func(int, int, float64, float64) {}); err != nil { // others could not add numbers that are not finite
		return err
	}
	delta, err := packPatch(b.state, p.state, p.patch)
	if err == nil {
		p.delta = delta
	}
	return err
}

// keep makes the pending delta part of the belief.
func (b *Belief) keep() error {
	if err := b.image.take(b.parts, b.pending.patch); err != nil {
		return err
	}
	b.state, b.pending = b.pending.state, pending{}
	b.trim()
	return nil
}

// revert takes back the pending delta.
func (b *Belief) revert() error {
	if b.pending.delta == nil {
		return nil
	}
	b.pending = pending{}
	b.image.reset(b.parts)
	err := b.learner.SetState(b.state)
	if err == nil {
		return nil
	}
	// The learner dropped a table in this chunk.
	if b.learner, err = stream.Assemble(b.state, b.image.parts(b.parts)); err != nil {
		return err
	}
	b.parts = b.learner.Parts()
	return nil
}

// addPatch sets the numbers of a patch.
func (b *Belief) addPatch(d []byte) error {
	state, patch, err := unpackPatch(b.state, d)
	if err != nil {
		return err
	}
	if err := patch.apply(b.parts); err != nil {
		return err
	}
	b.state, b.behind = state, true
	if b.image != nil {
		return b.image.take(b.parts, patch)
	}
	return nil
}

// maxDelta bounds the memory of a delta.
const maxDelta = 1 << 30

// packPatch returns a state and a patch, compressed. The state before is the dictionary, because most of a state stays as it is.
func packPatch(before, state []byte, p patch) ([]byte, error) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderDictRaw(1, before), zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithWindowSize(windowOf(before, state)), zstd.WithEncoderCRC(true))
	if err != nil {
		return nil, errors.Wrap(err, "packing a delta")
	}
	defer w.Close()
	b := binary.AppendUvarint(nil, uint64(len(state)))
	b = append(append(b, state...), p...)
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
func unpackPatch(before, d []byte) (state []byte, p patch, err error) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderDictRaw(1, before), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxDelta), zstd.WithDecoderMaxWindow(zstd.MaxWindowSize))
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
	return b[:size:size], b[size:], nil
}
