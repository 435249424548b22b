package clustertest

import (
	"encoding/binary"
	"math"

	"github.com/pkg/errors"

	"gophe/phe/belief"
)

// Vector is a belief of numbers that chunks add to. Its rows are as [Model] makes them, and only their count matters. It measures what
// a delta of a size costs.
type Vector struct {
	Values  []float64
	Touched int // numbers that a delta holds; with all of them it holds no indices
}

// Learn implements [belief.Shared]. Each delta adds 1 to the first Touched numbers.
func (v *Vector) Learn(chunk []byte) (belief.Learned, error) {
	rows, fingerprint, err := Count(chunk)
	if err != nil {
		return belief.Learned{}, err
	}
	l := belief.Learned{Rows: rows, Fingerprint: fingerprint}
	for i := range v.Touched {
		if v.Touched < len(v.Values) {
			l.Delta = binary.LittleEndian.AppendUint32(l.Delta, uint32(i))
		}
		l.Delta = binary.LittleEndian.AppendUint64(l.Delta, math.Float64bits(1))
	}
	return l, nil
}

// Add implements [belief.Shared].
func (v *Vector) Add(delta []byte, _ uint64) error {
	if v.Touched == len(v.Values) {
		if len(delta) != 8*len(v.Values) {
			return errors.Errorf("a delta of %d bytes, and %d numbers", len(delta), len(v.Values))
		}
		for i := range v.Values {
			v.Values[i] += math.Float64frombits(binary.LittleEndian.Uint64(delta[8*i:]))
		}
		return nil
	}
	for ; len(delta) >= 12; delta = delta[12:] {
		v.Values[binary.LittleEndian.Uint32(delta)] += math.Float64frombits(binary.LittleEndian.Uint64(delta[4:]))
	}
	return nil
}

// MarshalBinary implements [belief.Shared].
func (v *Vector) MarshalBinary() ([]byte, error) {
	return append(binary.LittleEndian.AppendUint64(nil, uint64(v.Touched)), encode(v.Values)...), nil
}

// OpenVector returns the belief that Vector.MarshalBinary wrote.
func OpenVector(b []byte) (belief.Shared, error) {
	if len(b) < 8 {
		return nil, errors.New("the bytes of a vector are cut off")
	}
	v := &Vector{Touched: int(binary.LittleEndian.Uint64(b)), Values: make([]float64, len(b)/8-1)}
	return v, decode(v.Values, b[8:])
}
