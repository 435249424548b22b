package belief_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gophe/phe/belief"
	"gophe/phe/hash"
)

// drawn is a table of random beliefs.
func drawn(rng *rand.Rand, rows, dim int) belief.Table {
	t := belief.NewTable(rows, dim, 0, 1)
	for i := range t.Mean {
		t.Mean[i], t.Variance[i] = rng.NormFloat64(), 0.1+rng.Float64()
	}
	return t
}

// KL against the formula's integral, and 0 of a table from itself.
func TestKL(t *testing.T) {
	table, prior := belief.NewTable(2, 1, 0.7, 0.3), belief.NewTable(2, 1, -0.2, 1.5)
	table.Mean[1], table.Variance[1] = prior.Mean[1], prior.Variance[1]
	integral, step := 0.0, 1e-3
	for x := -6.0; x < 6; x += step {
		log := func(m, v float64) float64 { return -(x-m)*(x-m)/(2*v) - math.Log(2*math.Pi*v)/2 }
		integral += step * math.Exp(log(0.7, 0.3)) * (log(0.7, 0.3) - log(-0.2, 1.5))
	}
	if kl := table.KL(prior); math.Abs(kl[0]-integral) > 1e-6 || kl[1] != 0 {
		t.Errorf("KL of the rows is %v, by integration %g and 0", kl, integral)
	}
}

// The same items find a doubled table. A hash family onto twice as many buckets sends an item of row r to r or to r plus the old
// number of rows.
func TestDoubleKeepsItems(t *testing.T) {
	const rows = 53
	rng := rand.New(rand.NewPCG(2, 2))
	table := drawn(rng, rows, 2)
	doubled := table.Clone()
	doubled.Double()
	small, err := hash.NewFamily(hash.CarterWegman, 3, rows, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	large, err := hash.NewFamily(hash.CarterWegman, 3, 2*rows, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	upper := 0
	for i := range 200 {
		item := hash.CarterWegman.Key(fmt.Sprint("item ", i))
		before, after := small.Buckets(nil, item), large.Buckets(nil, item)
		for k, b := range before {
			if after[k] >= rows {
				upper++
			}
			m, v := table.Row(int(b))
			m2, v2 := doubled.Row(int(after[k]))
			if !slices.Equal(m, m2) || !slices.Equal(v, v2) {
				t.Fatalf("item %x was in row %d and is in row %d, whose beliefs are others", item, b, after[k])
			}
		}
	}
	if upper < 200 || upper > 400 {
		t.Errorf("%d of 600 rows are in the new half", upper)
	}
}

// Grow keeps the old rows and adds rows with the prior.
func TestGrow(t *testing.T) {
	table := drawn(rand.New(rand.NewPCG(3, 3)), 2, 2)
	before := table.Clone()
	table.Grow(1, 0.5, 2)
	m, v := table.Row(2)
	if table.Rows() != 3 || !slices.Equal(table.Mean[:4], before.Mean) || !slices.Equal(table.Variance[:4], before.Variance) || !slices.Equal(m, []float64{0.5, 0.5}) || !slices.Equal(v, []float64{2, 2}) {
		t.Errorf("grown to %v", table)
	}
}

func someFile() belief.File {
	rng := rand.New(rand.NewPCG(4, 4))
	return belief.File{Kind: "test", Config: []byte(`{"dim":2}`), Tables: map[string]belief.Table{"E": drawn(rng, 3, 2), "W": drawn(rng, 2, 1)},
		Lists: map[string][]float64{"bias": {1, math.SmallestNonzeroFloat64}, "none": {}}}
}

// A file comes back bit for bit, and equal files are equal bytes.
func TestFile(t *testing.T) {
	f := someFile()
	var first, second bytes.Buffer
	if _, err := f.WriteTo(&first); err != nil {
		t.Fatal(err)
	}
	var back belief.File
	if n, err := back.ReadFrom(bytes.NewReader(first.Bytes())); err != nil || n != int64(first.Len()) {
		t.Fatal(n, err)
	}
	if _, err := back.WriteTo(&second); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Errorf("written again it differs; %v", err)
	}
	if back.Kind != "test" || !slices.Equal(back.Tables["E"].Mean, f.Tables["E"].Mean) || back.Lists["bias"][1] != math.SmallestNonzeroFloat64 {
		t.Errorf("read %+v", back)
	}
}

// One bit flipped anywhere, or bytes cut off, and the file is refused.
func TestDamagedFile(t *testing.T) {
	good, err := someFile().MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var f belief.File
	for i := range good {
		bad := slices.Clone(good)
		bad[i] ^= 1 << (i % 8)
		if f.UnmarshalBinary(bad) == nil {
			t.Fatalf("a flipped bit in byte %d of %d is not noticed", i, len(good))
		}
		if f.UnmarshalBinary(good[:i]) == nil {
			t.Fatalf("the first %d of %d bytes are taken for a file", i, len(good))
		}
	}
	nan := someFile()
	nan.Tables["E"].Mean[0] = math.NaN()
	if _, err := nan.MarshalBinary(); err == nil {
		t.Error("a table with NaN is written")
	}
}

// Reading any bytes never panics, and never takes more memory than the bytes.
func FuzzFile(f *testing.F) {
	good, err := someFile().MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte("gophe belief 1\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var file belief.File
		if file.UnmarshalBinary(b) != nil {
			return
		}
		if again, err := file.MarshalBinary(); err != nil || len(again) != len(b) {
			t.Errorf("read without an error, but written as %d bytes in place of %d: %v", len(again), len(b), err)
		}
	})
}
