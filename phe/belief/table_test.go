package belief_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gophe/phe/belief"
	"gophe/phe/disk/filetest"
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
	kl := table.KL(prior)
	filetest.Near(t, kl[0], integral, 1e-6, "KL of a row, by integration")
	filetest.Want(t, kl[1], 0, "KL of a row from itself")
}

// The same items find a doubled table. A hash family onto twice as many buckets sends an item of row r to r or to r plus the old
// number of rows.
func TestDoubleKeepsItems(t *testing.T) {
	const rows = 53
	rng := rand.New(rand.NewPCG(2, 2))
	table := drawn(rng, rows, 2)
	doubled := belief.Table{Dim: 2, Mean: slices.Repeat(table.Mean, 2), Variance: slices.Repeat(table.Variance, 2)}
	small := filetest.Must(hash.NewFamily(hash.CarterWegman, 3, rows, 0, 0))(t)
	large := filetest.Must(hash.NewFamily(hash.CarterWegman, 3, 2*rows, 0, 0))(t)
	upper := 0
	for i := range 200 {
		item := hash.CarterWegman.Key(fmt.Sprint("item ", i))
		before, after := small.Buckets(nil, item), large.Buckets(nil, item)
		for k, b := range before {
			if after[k] >= rows {
				upper++
			}
			at, at2 := 2*int(b), 2*int(after[k])
			filetest.Want(t, doubled.Mean[at2:at2+2], table.Mean[at:at+2], "the means of item %x in row %d", item, after[k])
			filetest.Want(t, doubled.Variance[at2:at2+2], table.Variance[at:at+2], "its variances")
		}
	}
	filetest.True(t, 200 <= upper && upper <= 400, "%d of 600 rows are in the new half", upper)
}
