package belief_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/belief"
	"gophe/phe/disk/filetest"
)

// file holds beliefs of an owner that knows nothing about them.
type file struct {
	Kind   string
	Config json.RawMessage
	Tables map[string]belief.Table
	Lists  map[string][]float64
}

// MarshalBinary returns the file's bytes: its tables and then its lists, each sorted by name.
func (f file) MarshalBinary() ([]byte, error) {
	var parts []belief.Part
	for _, name := range slices.Sorted(maps.Keys(f.Tables)) {
		t := f.Tables[name]
		parts = append(parts, belief.Part{Name: name, Dim: t.Dim, Len: len(t.Mean), Type: "float64", Get: func(i int) (float64, float64) { return t.Mean[i], t.Variance[i] }})
	}
	for _, name := range slices.Sorted(maps.Keys(f.Lists)) {
		list := f.Lists[name]
		parts = append(parts, belief.Part{Name: name, Len: len(list), Type: "float64", Get: func(i int) (float64, float64) { return list[i], 0 }})
	}
	var b bytes.Buffer
	err := belief.Write(&b, f.Kind, f.Config, parts)
	return b.Bytes(), err
}

// UnmarshalBinary reads what MarshalBinary returned.
func (f *file) UnmarshalBinary(b []byte) error {
	*f = file{Tables: map[string]belief.Table{}, Lists: map[string][]float64{}}
	rest, err := belief.Read(b, func(h belief.Header) (parts []belief.Part, err error) {
		f.Kind, f.Config = h.Kind, h.Config
		for _, l := range h.Parts {
			_, isTable := f.Tables[l.Name]
			_, isList := f.Lists[l.Name]
			switch p := (belief.Part{Name: l.Name, Dim: l.Dim, Len: l.Len, Type: l.Type}); {
			case l.Dim > math.MaxInt32 || l.Dim > 0 && l.Len%l.Dim != 0 || isTable || isList:
				return nil, errors.Errorf("the part %s is impossible, or there twice", l.Name)
			case l.Dim > 0:
				f.Tables[l.Name] = belief.Table{Dim: l.Dim}
				p.Set = func(_ int, mean, variance float64) {
					t := f.Tables[l.Name]
					t.Mean, t.Variance = append(t.Mean, mean), append(t.Variance, variance)
					f.Tables[l.Name] = t
				}
				parts = append(parts, p)
			default:
				f.Lists[l.Name] = []float64{}
				p.Set = func(_ int, v, _ float64) { f.Lists[l.Name] = append(f.Lists[l.Name], v) }
				parts = append(parts, p)
			}
		}
		return parts, nil
	})
	if err == nil && len(rest) > 0 {
		err = errors.New("bytes follow the checksum")
	}
	return err
}

func someFile() file {
	rng := rand.New(rand.NewPCG(4, 4))
	return file{Kind: "test", Config: []byte(`{"dim":2}`), Tables: map[string]belief.Table{"E": drawn(rng, 3, 2), "W": drawn(rng, 2, 1)},
		Lists: map[string][]float64{"bias": {1, math.SmallestNonzeroFloat64}, "none": {}}}
}

// A file comes back bit for bit, and equal files are equal bytes.
func TestFile(t *testing.T) {
	f := someFile()
	first := filetest.Must(f.MarshalBinary())(t)
	var back file
	filetest.Check(t, back.UnmarshalBinary(first))
	filetest.Want(t, filetest.Must(back.MarshalBinary())(t), first, "the bytes of a file that was read")
	filetest.Want(t, back.Kind, "test", "the kind")
	filetest.Want(t, back.Tables["E"].Mean, f.Tables["E"].Mean, "the means of E")
	filetest.Want(t, back.Lists["bias"][1], math.SmallestNonzeroFloat64, "a number of the list")
}

// One bit flipped anywhere, or bytes cut off, and the file is refused.
func TestDamagedFile(t *testing.T) {
	good := filetest.Must(someFile().MarshalBinary())(t)
	var f file
	for i := range good {
		bad := slices.Clone(good)
		bad[i] ^= 1 << (i % 8)
		filetest.True(t, f.UnmarshalBinary(bad) != nil, "a flipped bit in byte %d of %d is not noticed", i, len(good))
		filetest.True(t, f.UnmarshalBinary(good[:i]) != nil, "the first %d of %d bytes are taken for a file", i, len(good))
	}
}

// Reading any bytes never panics, and never takes more memory than the bytes.
func FuzzFile(f *testing.F) {
	good := filetest.Must(someFile().MarshalBinary())(f)
	f.Add(good)
	f.Add([]byte("gophe belief 1\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var back file
		if back.UnmarshalBinary(b) != nil {
			return
		}
		again := filetest.Must(back.MarshalBinary())(t)
		filetest.Want(t, len(again), len(b), "bytes of a file that was read without an error")
	})
}
