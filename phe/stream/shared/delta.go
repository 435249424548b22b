package shared

import (
	"encoding/binary"

	"github.com/klauspost/compress/zstd"
	"github.com/pkg/errors"

	"gophe/phe/belief"
)

// mostDelta bounds the memory of a delta.
const mostDelta = 1 << 30

// delta returns a state and a patch, compressed. The state before is the dictionary, because most of a state stays as it is.
func delta(before, state []byte, patch belief.Patch) ([]byte, error) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderDictRaw(1, before), zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithWindowSize(windowOf(before, state)), zstd.WithEncoderCRC(true))
	if err != nil {
		return nil, errors.Wrap(err, "packing a delta")
	}
	defer w.Close()
	b := binary.AppendUvarint(nil, uint64(len(state)))
	b = append(append(b, state...), patch...)
	return w.EncodeAll(b, nil), nil
}

// windowOf returns a power of two that reaches back to the beginning of the dictionary.
func windowOf(before, state []byte) int {
	size := 1 << 16
	for size < len(before)+len(state) && size < zstd.MaxWindowSize {
		size *= 2
	}
	return size
}

// parseDelta reads what delta returned. before must be the same state.
func parseDelta(before, d []byte) (state []byte, patch belief.Patch, err error) {
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
