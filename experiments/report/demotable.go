package report

import (
	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/table"
)

// demoTable returns a table of the demo: each method next to its own initial model, which is never updated, and next to itself without the
// items that keep coming. Of several memories it shows one, which the picture compares.
func demoTable(f *result.File) *table.Table {
	t := table.New(1, "method", "without new items, %", "frozen, %", "learning, %", "numbers")
	for _, r := range measure.Rows(f) {
		base, kilobytes, without := r.Budget()
		if r.Frozen || without || kilobytes != 0 && kilobytes != lateBudget {
			continue
		}
		t.Add(base, lateCell(withoutItems(r), measure.Accuracy), lateCell(r.Initial(), measure.Accuracy), lateCell(r, measure.Accuracy), max(r.TotalParameters, r.Parameters))
	}
	t.Below = "\nAccuracy of the rows of each step before they are learned. Frozen models stop learning after the first tenth of the table. Methods without\n" +
		"new items learn, but see neither products nor customers. Numbers are all that a method keeps, head included.\n"
	return t
}
