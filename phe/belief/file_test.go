package belief_test

import (
	"math"
	"slices"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/onepass"
)

// saved returns a learner with a table and a list of some beliefs, and its bytes.
func saved(t testing.TB) (*onepass.Model, []byte) {
	t.Helper()
	c := onepass.Paper(1, 1, 1)
	c.Dim, c.Buckets, c.WeightRows = 2, 3, 2
	m := filetest.Must(onepass.New(c))(t)
	beliefs := m.Beliefs()
	beliefs.Lists["block"][1] = math.SmallestNonzeroFloat64
	filetest.Check(t, m.SetBeliefs(beliefs))
	return m, filetest.Must(m.MarshalBinary())(t)
}

// A file comes back bit for bit, and equal files are equal bytes.
func TestFile(t *testing.T) {
	m, first := saved(t)
	var back onepass.Model
	filetest.Check(t, back.UnmarshalBinary(first))
	filetest.Want(t, filetest.Must(back.MarshalBinary())(t), first, "the bytes of a file that was read")
	filetest.Want(t, back.Config(), m.Config(), "the configuration")
	filetest.Want(t, back.Beliefs(), m.Beliefs(), "the beliefs")
}

// One bit flipped anywhere, or bytes cut off, and the file is refused.
func TestDamagedFile(t *testing.T) {
	_, good := saved(t)
	var m onepass.Model
	for i := range good {
		bad := slices.Clone(good)
		bad[i] ^= 1 << (i % 8)
		filetest.True(t, m.UnmarshalBinary(bad) != nil, "a flipped bit in byte %d of %d is not noticed", i, len(good))
		filetest.True(t, m.UnmarshalBinary(good[:i]) != nil, "the first %d of %d bytes are taken for a file", i, len(good))
	}
}

// Reading any bytes never panics, and never takes more memory than the bytes.
func FuzzFile(f *testing.F) {
	_, good := saved(f)
	f.Add(good)
	f.Add([]byte("gophe belief 1\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var back onepass.Model
		if back.UnmarshalBinary(b) != nil {
			return
		}
		again := filetest.Must(back.MarshalBinary())(t)
		filetest.Want(t, len(again), len(b), "bytes of a file that was read without an error")
	})
}
