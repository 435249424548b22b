package belief

import (
	"math"
	"slices"

	"github.com/pkg/errors"
)

// Delta is the information that data added to some rows of a table, in natural parameters. Deltas of disjoint data add up in any
// order to the delta of all the data.
type Delta struct {
	Dim         int
	Rows        []int32   // ascending, without repetition
	Precision   []float64 // [len(Rows), Dim]
	Information []float64 // [len(Rows), Dim]: precision times mean
}

// Since returns the difference between t and an earlier table, in the rows that differ. Both tables must have the same shape. An
// entry that differs must not be a certainty.
func (t Table) Since(before Table) (Delta, error) {
	if t.Dim != before.Dim || len(t.Mean) != len(before.Mean) {
		return Delta{}, errors.Errorf("the table is %d by %d and the earlier one %d by %d; grow the earlier one first", t.Rows(), t.Dim, before.Rows(), before.Dim)
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

// Add conditions the table on the data of a delta. It returns an error and changes nothing if a row is not in the table, an entry
// is a certainty, or a number is not finite. A precision at or below floor is an error too. floor must not be negative.
func (t *Table) Add(d Delta, floor float64) error {
	if d.Dim != t.Dim || len(d.Precision) != len(d.Rows)*d.Dim || len(d.Information) != len(d.Precision) || !(floor >= 0) {
		return errors.Errorf("the delta has dim %d, %d rows and %d precisions, the floor is %g, and the table has dim %d; they do not fit", d.Dim, len(d.Rows), len(d.Precision), floor, t.Dim)
	}
	precision := make([]float64, len(d.Precision))
	for k, row := range d.Rows {
		if row < 0 || int(row) >= t.Rows() || k > 0 && row <= d.Rows[k-1] {
			return errors.Errorf("the delta has row %d, and the table has %d rows; rows must ascend and be in the table", row, t.Rows())
		}
		for j := range d.Dim {
			i := k*d.Dim + j
			precision[i] = 1/t.Variance[int(row)*t.Dim+j] + d.Precision[i]
			if math.IsInf(precision[i], 0) || math.IsNaN(d.Information[i]) || math.IsInf(d.Information[i], 0) {
				return errors.Errorf("row %d, entry %d has variance %g, and the delta precision %g and information %g; a certainty learns nothing, and numbers must be finite",
					row, j, t.Variance[int(row)*t.Dim+j], d.Precision[i], d.Information[i])
			}
			if !(precision[i] > floor) {
				return errors.Errorf("row %d, entry %d would have precision %g, and the floor is %g; the delta does not fit this prior", row, j, precision[i], floor)
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
