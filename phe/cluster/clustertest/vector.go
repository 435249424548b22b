package clustertest

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"gophe/phe/belief"
)

// Vector is a belief of numbers that chunks add to. Only the number of rows matters.
type Vector []float64

// Learn implements [belief.Shared]. Each delta adds 1 to all numbers.
func (v Vector) Learn(chunk []byte) (belief.Learned, error) {
	rows, fingerprint, err := Count(chunk)
	return belief.Learned{Rows: rows, Fingerprint: fingerprint, Delta: encode(slices.Repeat([]float64{1}, len(v)))}, err
}

// Add implements [belief.Shared].
func (v Vector) Add(delta []byte) error {
	d := make([]float64, len(v))
	err := decode(d, delta)
	if err == nil {
		floats.Add(v, d)
	}
	return err
}

// MarshalBinary implements [belief.Shared].
func (v Vector) MarshalBinary() ([]byte, error) { return encode(v), nil }

// OpenVector returns the belief that Vector.MarshalBinary wrote.
func OpenVector(b []byte) (belief.Shared, error) {
	v := make(Vector, len(b)/8)
	return v, decode(v, b)
}
