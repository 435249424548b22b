package belief

import (
	"math"
	"slices"

	"github.com/pkg/errors"
)

// Delta is what data added to some rows of a table, in natural parameters. Deltas of disjoint data add up, in any order,
// to what all of the data adds.
type Delta struct {
	Dim         int
	Rows        []int32   // ascending, each once
	Precision   []float64 // [len(Rows), Dim]
	Information []float64 // [len(Rows), Dim]: precision times mean
}

// Since returns what t holds beyond before, in the rows that differ. Both must be of one shape, and no entry that differs
// may be a certainty.
func (t Table) Since(before Table) (Delta, error) {
	if t.Dim != before.Dim || len(t.Mean) != len(before.Mean) {
		return Delta{}, errors.Errorf("a table of %d by %d cannot follow one of %d by %d; grow the older one first", t.Rows(), t.Dim, before.Rows(), before.Dim)
	}
	d := Delta{Dim: t.Dim}
	for row := range t.Rows() {
		mean, variance := t.Row(row)
		mean0, variance0 := before.Row(row)
		if slices.Equal(mean, mean0) && slices.Equal(variance, variance0) {
			continue
		}
		d.Rows = append(d.Rows, int32(row))
		for j, m := range mean {
			if !(variance[j] > 0 && variance0[j] > 0) {
				return Delta{}, errors.Errorf("row %d, entry %d went from variance %g to %g; a certainty has no precision", row, j, variance0[j], variance[j])
			}
			precision, precision0 := 1/variance[j], 1/variance0[j]
			d.Precision = append(d.Precision, precision-precision0)
			d.Information = append(d.Information, precision*m-precision0*mean0[j])
		}
	}
	return d, nil
}

// Add takes a delta over: it conditions the table on the delta's data. It changes nothing and returns an error if a row is
// not in the table, if an entry is a certainty or a number is not finite, or if a precision would be at or below floor, which
// must not be negative.
func (t *Table) Add(d Delta, floor float64) error {
	if d.Dim != t.Dim || len(d.Precision) != len(d.Rows)*d.Dim || len(d.Information) != len(d.Precision) || !(floor >= 0) {
		return errors.Errorf("a delta of dim %d with %d rows and %d precisions, and floor %g, for a table of dim %d", d.Dim, len(d.Rows), len(d.Precision), floor, t.Dim)
	}
	precision := make([]float64, len(d.Precision))
	for k, row := range d.Rows {
		if row < 0 || int(row) >= t.Rows() || k > 0 && row <= d.Rows[k-1] {
			return errors.Errorf("row %d of a delta for a table of %d rows; rows must ascend and be in the table", row, t.Rows())
		}
		for j := range d.Dim {
			i := k*d.Dim + j
			precision[i] = 1/t.Variance[int(row)*t.Dim+j] + d.Precision[i]
			if math.IsInf(precision[i], 0) || math.IsNaN(d.Information[i]) || math.IsInf(d.Information[i], 0) {
				return errors.Errorf("row %d, entry %d has variance %g, and the delta precision %g and information %g; a certainty learns nothing, and numbers must be finite",
					row, j, t.Variance[int(row)*t.Dim+j], d.Precision[i], d.Information[i])
			}
			if !(precision[i] > floor) {
				return errors.Errorf("row %d, entry %d would have precision %g, and the floor is %g; what was learned does not fit this prior", row, j, precision[i], floor)
			}
		}
	}
	for k, row := range d.Rows {
		mean, variance := t.Row(int(row))
		for j := range d.Dim {
			i := k*d.Dim + j
			mean[j] = (mean[j]/variance[j] + d.Information[i]) / precision[i]
			variance[j] = 1 / precision[i]
		}
	}
	return nil
}
