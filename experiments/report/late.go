package report

import (
	"cmp"
	"fmt"
	"slices"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/table"
)

// lateSpecs are the streams whose items matter, in the order of the page.
var lateSpecs = []string{"retail-late", "movielens-late", "drawn-late"}

// lateBudget is the memory at which methods are compared with and without the items, in kilobytes.
const lateBudget = 32

// lateTables returns two tables of each stream: what the items that keep coming are worth at one memory, and the accuracy by memory.
func lateTables(s *source) (page table.Page) {
	for _, f := range s.results(lateSpecs) {
		worth := worthOfItems(f)
		worth.Above = f.Name + "\n\n"
		page = append(page, *worth, *byMemory(f))
	}
	return page
}

// withoutItems returns the row of the same method without the items that keep coming.
func withoutItems(r measure.Row) measure.Row { return measure.Find(r.File, r.Name+", without items") }

// worthOfItems returns a table of each method at one memory next to itself without the items. Methods without a bound of memory come last.
func worthOfItems(f *result.File) *table.Table {
	t := table.New(1, "method", "accuracy, %", "without the items", "difference, paired", "log-likelihood")
	for _, memory := range []int{lateBudget, 0} {
		for _, r := range measure.Rows(f) {
			base, kilobytes, without := r.Budget()
			if r.Frozen || without || kilobytes != memory {
				continue
			}
			switch {
			case base == refittedName && refitEvery(f) == 1:
				base += " (no bound, fitted every step)"
			case base == refittedName:
				base += fmt.Sprintf(" (no bound, fitted every %d steps)", refitEvery(f))
			case memory == 0 && !baseline.Has(r.Name):
				base += " (no bound)"
			}
			known := withoutItems(r)
			t.Add(base, lateCell(r, measure.Accuracy), lateCell(known, measure.Accuracy),
				r.Less(known, measure.Accuracy).Interval(2), lateCell(r, measure.LogLikelihood))
		}
	}
	return t
}

// byMemory returns a table of the accuracy of each method by its memory, and of its frozen model.
func byMemory(f *result.File) *table.Table {
	var bases []string
	var sizes []int
	for _, r := range measure.Rows(f) {
		if base, kilobytes, without := r.Budget(); kilobytes > 0 && !without && !r.Frozen {
			bases, sizes = with(bases, base), with(sizes, kilobytes)
		}
	}
	slices.Sort(sizes)
	headings := []string{"accuracy, %"}
	for _, kilobytes := range sizes {
		headings = append(headings, fmt.Sprintf("%d KB", kilobytes))
	}
	t := table.New(1, append(headings, fmt.Sprintf("frozen, %d KB", lateBudget))...)
	for _, base := range bases {
		cells := []any{base}
		for _, kilobytes := range sizes {
			cells = append(cells, lateCell(measure.Find(f, fmt.Sprintf("%s, %d KB", base, kilobytes)), measure.Accuracy))
		}
		t.Add(append(cells, lateCell(measure.Find(f, fmt.Sprintf("%s, %d KB (frozen)", base, lateBudget)), measure.Accuracy))...)
	}
	return t
}

// lateCell returns a method's metric, mean and deviation over seeds, or a dash. A method that draws nothing has no deviation.
func lateCell(r measure.Row, metric string) string {
	e := r.Over(metric)
	if e.SD != nil && *e.SD == 0 {
		e.SD = nil
	}
	return e.Text(measure.Named(metric).Digits)
}

// lateColumns holds the changing column of each data set whose methods also run without it. Mushroom has no other column.
var lateColumns = []struct{ dataset, column string }{{"adult", "education"}, {"bank", "poutcome"}, {"covertype", "wilderness_area"}}

// lateMethods are the methods that run with and without the changing column.
var lateMethods = []struct{ name, mark string }{{fromNothing, ""}, {refittedName, ""}, {refittedName, " (frozen)"}}

// lateColumnTable returns what the changing column is worth on the streams with late items: accuracy with it and without it, and the
// difference, paired by seed.
func lateColumnTable(s *source) table.Page {
	t := table.New(2, "stream", "method", "with it", "without it", "difference")
	t.Above = "Accuracy along the stream in percent, with the changing column and without it, and the difference in points, " +
		"paired by seed. The\ncolumn is education (Adult), poutcome (Bank) or wilderness_area (Covertype). " +
		"Mushroom has no other column, so nothing is left there.\n\n"
	for _, late := range lateColumns {
		for _, stream := range []string{"by-group", "growing", "swapped"} {
			f := s.find(late.dataset + "-" + stream + "-one-pass")
			for _, m := range lateMethods {
				with, without := measure.Find(f, m.name+m.mark), measure.Find(f, m.name+", without "+late.column+m.mark)
				if with.Method != nil && without.Method != nil {
					t.Add(late.dataset+", "+stream, with.Label(), with.Cell(measure.Accuracy), without.Cell(measure.Accuracy),
						with.Less(without, measure.Accuracy).Interval(2))
				}
			}
		}
	}
	if len(t.Rows) == 0 {
		s.get("adult-by-group-one-pass")
	}
	return t.Page()
}

// demoTable returns a table of the demo: each method next to its own initial model, which is never updated, and next to itself without the
// items that keep coming. Of several memories it shows one, which the picture compares.
func demoTable(files ...*result.File) *table.Table {
	f := files[0]
	t := table.New(1, "method", "without new items, %", "frozen, %", "learning, %", "numbers")
	for _, r := range measure.Rows(f) {
		base, kilobytes, without := r.Budget()
		if r.Frozen || without || kilobytes != 0 && kilobytes != lateBudget {
			continue
		}
		t.Add(base, lateCell(withoutItems(r), measure.Accuracy), lateCell(r.Initial(), measure.Accuracy),
			lateCell(r, measure.Accuracy), max(r.TotalParameters, r.Parameters))
	}
	t.Below = "\nAccuracy of the rows of each step before they are learned. Frozen models stop learning after the first tenth of the\n" +
		"table. Methods without new items learn, but see neither products nor customers. Numbers are all that a method keeps,\n" +
		"head included. phe stream has tables of the same size, and a census of the items on top, 1 MB.\n" +
		"\nWhat was seen: with the new products and customers, accuracy rises by " + gains(f, withoutItems) + ".\n" +
		"Learning on after the first tenth adds " + gains(f, measure.Row.Initial) + ".\n" +
		"One seed and the first weeks do not say which method is best: docs/reproduction/late-items.md has three streams, and\n" +
		"docs/streams-compared.md has other programs.\n"
	return t
}

// gains returns the least and the largest gain in accuracy of the methods of one memory over another row of theirs.
func gains(f *result.File, over func(measure.Row) measure.Row) string {
	type gain struct {
		points float64
		name   string
	}
	var all []gain
	for _, r := range measure.Rows(f) {
		base, kilobytes, without := r.Budget()
		if g := r.Less(over(r), measure.Accuracy).Mean; !r.Frozen && !without && kilobytes == lateBudget && g != nil {
			all = append(all, gain{*g, base})
		}
	}
	if len(all) == 0 {
		return "an unknown number of points"
	}
	slices.SortStableFunc(all, func(a, b gain) int { return cmp.Compare(a.points, b.points) })
	least, most := all[0], all[len(all)-1]
	return fmt.Sprintf("%.1f points (%s) to %.1f (%s)", least.points, least.name, most.points, most.name)
}
