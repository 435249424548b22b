package shared

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/klauspost/compress/zstd"
	"github.com/pkg/errors"

	"gophe/phe/belief"
)

// Forms of a delta: its first byte. Several learners published terms.
const (
	patchForm = 1
	termsForm = 2
)

// patch holds elements of parts and their new numbers, in bits. A patch may leave out the last parts.
type patch []byte

// difference returns the elements of the later parts that differ from the earlier ones by a bit. The later parts may be fewer.
func difference(before, after []belief.Part) patch {
	b := binary.AppendUvarint(nil, uint64(len(after)))
	for i, p := range after {
		var changed []int
		for k := range p.Len {
			mean0, variance0 := before[i].Get(k)
			mean, variance := p.Get(k)
			if math.Float64bits(mean) != math.Float64bits(mean0) || math.Float64bits(variance) != math.Float64bits(variance0) {
				changed = append(changed, k)
			}
		}
		b = binary.AppendUvarint(b, uint64(len(changed)))
		last := 0
		for _, k := range changed {
			b = binary.AppendUvarint(b, uint64(k-last)) // the distances between places, then the elements
			last = k
		}
		for _, k := range changed {
			mean, variance := p.Get(k)
			b = p.Append(b, mean, variance)
		}
	}
	return b
}

// element is an element of a patch.
type element struct {
	part, place    int
	mean, variance float64
}

var errPatch = errors.New("this patch is damaged, or belongs to another model: its elements do not fit")

// elements returns the elements of a patch. It returns an error unless all of them fit the parts.
func (p patch) elements(parts []belief.Part) (all []element, err error) {
	b := []byte(p)
	next := func(most int) int { // 0 after an error
		v, n := binary.Uvarint(b)
		if n <= 0 || v > uint64(most) {
			err = errPatch
			return 0
		}
		b = b[n:]
		return int(v)
	}
	for i, part := range parts[:next(len(parts))] {
		first, k, n := len(all), 0, next(part.Len)
		for j := range n {
			step := next(part.Len)
			if k += step; err != nil || k >= part.Len || step == 0 && j > 0 {
				return nil, errPatch
			}
			all = append(all, element{part: i, place: k})
		}
		each := part.Size()
		if len(b) < n*each {
			return nil, errPatch
		}
		for j := range all[first:] {
			e := &all[first+j]
			if e.mean, e.variance, err = part.Parse(b, e.place); err != nil {
				return nil, errors.WithMessage(err, "a patch")
			}
			b = b[each:]
		}
	}
	if err != nil || len(b) > 0 {
		return nil, errPatch
	}
	return all, nil
}

// set sets elements of parts.
func set(parts []belief.Part, elements []element) {
	for _, e := range elements {
		parts[e.part].Set(e.place, e.mean, e.variance)
	}
}

// maxDelta bounds the memory of a delta.
const maxDelta = 1 << 30

// packPatch returns a state and a patch, compressed. The state before is the dictionary, because most of a state stays as it is.
func packPatch(before, state []byte, p patch) ([]byte, error) {
	reach := 1 << bits.Len(uint(len(before)+len(state)-1)) // a power of two that reaches back to the beginning of the dictionary
	w, err := zstd.NewWriter(nil, zstd.WithEncoderDictRaw(1, before), zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithWindowSize(max(1<<16, min(reach, zstd.MaxWindowSize))), zstd.WithEncoderCRC(true))
	if err != nil {
		return nil, errors.Wrap(err, "packing a delta")
	}
	defer w.Close()
	b := binary.AppendUvarint(nil, uint64(len(state)))
	b = append(append(b, state...), p...)
	return w.EncodeAll(b, []byte{patchForm}), nil
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
