package labelled

import "gophe/data/splits"

// allRows returns the indices of the table's rows, in order.
func (t *Table) allRows() []int32 { return splits.Span{End: t.NumRows()}.Rows() }

// partition separates the rows with one of the items from the other rows. Both keep their order.
func (t *Table) partition(rows []int32, items []string) (with, without []int32) {
	values := t.Categorical[t.Incremental].Values
	wanted := make(map[string]bool, len(items))
	for _, item := range items {
		wanted[item] = true
	}
	for _, row := range rows {
		if wanted[values[row]] {
			with = append(with, row)
		} else {
			without = append(without, row)
		}
	}
	return with, without
}

// stratum is a group of rows whose share a random cut preserves.
type stratum struct {
	item  string
	class int32
}

// stratify cuts rows in two parts that keep their order. The first ⌈n·numerator/denominator⌉ of the n rows of each item and class
// go to the first part. Since it rounds up, the first part has every item and class of the rows.
func (t *Table) stratify(rows []int32, numerator, denominator int) (first, rest []int32) {
	values := t.Categorical[t.Incremental].Values
	quota := make(map[stratum]int)
	for _, row := range rows {
		quota[stratum{values[row], t.Labels[row]}]++
	}
	for s, n := range quota {
		quota[s] = (n*numerator + denominator - 1) / denominator
	}
	for _, row := range rows {
		s := stratum{values[row], t.Labels[row]}
		if quota[s] > 0 {
			quota[s]--
			first = append(first, row)
		} else {
			rest = append(rest, row)
		}
	}
	return first, rest
}
