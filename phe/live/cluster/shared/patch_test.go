package shared

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"gophe/phe/belief"
	"gophe/phe/disk/filetest"
)

// parts returns a table and a list of an owner, and their numbers.
func parts() (list []belief.Part, mean, variance, counts []float64) {
	mean, variance, counts = []float64{0, 0, 0, 0}, []float64{1, 1, 1, 1}, []float64{0, 0, 0}
	return []belief.Part{
		{Name: "table", Dim: 2, Len: 4, Type: "float32",
			Get: func(i int) (float64, float64) { return mean[i], variance[i] },
			Set: func(i int, m, v float64) { mean[i], variance[i] = m, v }},
		{Name: "counts", Len: 3, Type: "uint16",
			Get: func(i int) (float64, float64) { return counts[i], 0 },
			Set: func(i int, v, _ float64) { counts[i] = v }},
	}, mean, variance, counts
}

// apply sets the elements of a patch.
func apply(parts []belief.Part, p patch) error {
	elements, err := p.elements(parts)
	set(parts, elements)
	return err
}

// A patch brings another owner to the same numbers.
func TestPatch(t *testing.T) {
	before, _, _, _ := parts()
	a, mean, variance, counts := parts()
	mean[2], variance[3], counts[0], counts[2] = 0.5, 0.25, 7, 65535

	b, otherMean, otherVariance, otherCounts := parts()
	filetest.Check(t, apply(b, difference(before, a)))
	if !slices.Equal(mean, otherMean) || !slices.Equal(variance, otherVariance) || !slices.Equal(counts, otherCounts) {
		t.Errorf("the patch makes %v, %v and %v; want %v, %v and %v", otherMean, otherVariance, otherCounts, mean, variance, counts)
	}
}

// A patch that does not fit changes nothing.
func TestPatchRefused(t *testing.T) {
	before, _, _, _ := parts()
	a, mean, _, counts := parts()
	mean[0], counts[1] = 1, 2
	good := difference(before, a)
	mean[0], counts[1] = 1, math.NaN()
	a[1].Type = "float64"
	notFinite := difference(before, a)

	b, mean, variance, counts := parts()
	check := func(p patch, what string) {
		t.Helper()
		if err := apply(b, p); err == nil {
			t.Errorf("%s was applied", what)
		}
		if mean[0] != 0 || variance[0] != 1 || counts[1] != 0 {
			t.Fatalf("%s has changed the owner", what)
		}
	}
	for n := range len(good) {
		check(good[:n], "a patch that is cut off")
	}
	check(append(slices.Clone(good), 0), "a patch with a byte too many")
	for _, length := range []uint64{5, 1 << 31, 1 << 62, math.MaxUint64 - 7} { // of the parts, of the elements, of a distance
		check(binary.AppendUvarint(nil, length), "a patch of many parts")
		check(binary.AppendUvarint([]byte{2}, length), "a patch of many elements")
		check(append(binary.AppendUvarint([]byte{1, 1}, length), make([]byte, 8)...), "a patch of a far element")
		check(append(binary.AppendUvarint([]byte{1, 2, 1}, length), make([]byte, 16)...), "a patch of a far second element")
	}
	b[1].Type = "float64"
	check(notFinite, "a patch with a number that is not finite")
	if err := apply(b[:1], good); err == nil {
		t.Error("a patch of two parts was applied to one")
	}
}
