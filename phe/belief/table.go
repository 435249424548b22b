// Package belief holds a learner's beliefs about its tables as plain numbers on the host: a Gaussian for each entry (Sec. 3.2).
//
// It imports no GoMLX, so a server, a follower or a notebook can read and compare beliefs without a backend.
package belief

import (
	"math"
	"slices"

	"github.com/pkg/errors"
)

// Table is a table of independent Gaussian entries, [rows, dim], row after row.
type Table struct {
	Dim            int
	Mean, Variance []float64
}

// NewTable returns a table whose entries all hold the same belief.
func NewTable(rows, dim int, mean, variance float64) Table {
	return Table{dim, slices.Repeat([]float64{mean}, rows*dim), slices.Repeat([]float64{variance}, rows*dim)}
}

// Copy is a copy of a learner's beliefs: its tables and its lists of numbers, by name.
type Copy struct {
	Tables map[string]Table
	Lists  map[string][]float64
}

// Rows returns the number of rows.
func (t Table) Rows() int {
	if t.Dim == 0 {
		return 0
	}
	return len(t.Mean) / t.Dim
}

// KL returns KL(t‖prior) of each row in nats (Eq. 3). It panics unless both tables have the same shape and variances above 0.
func (t Table) KL(prior Table) []float64 {
	if t.Dim != prior.Dim || len(t.Mean) != len(prior.Mean) {
		panic(errors.Errorf("KL needs tables of one shape, not %d by %d and %d by %d", t.Rows(), t.Dim, prior.Rows(), prior.Dim))
	}
	kl := make([]float64, t.Rows())
	for i, m := range t.Mean {
		v, v0 := t.Variance[i], prior.Variance[i]
		if !(v > 0 && v0 > 0) {
			panic(errors.Errorf("KL needs variances above 0, not %g and %g", v, v0))
		}
		shift := m - prior.Mean[i]
		ratio := v / v0
		kl[i/t.Dim] += 0.5 * (ratio - 1 - math.Log(ratio) + shift*shift/v0) // ½(v/v₀ − 1 − ln v/v₀ + (m−m₀)²/v₀)
	}
	return kl
}

// Converted returns numbers as numbers of another type.
func Converted[To, From int | float32 | float64](numbers []From) []To {
	list := make([]To, len(numbers))
	for i, v := range numbers {
		list[i] = To(v)
	}
	return list
}
