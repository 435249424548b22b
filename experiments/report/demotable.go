package report

import (
	"fmt"
	"strings"

	"gophe/experiments/measure"
	"gophe/experiments/result"
)

// demoMarkdown renders the result of the demo: each method next to its own initial model, which is never updated, and next to itself
// without the items that keep coming. Of several memories it shows one, which the picture compares.
func demoMarkdown(f *result.File) string {
	var b strings.Builder
	b.WriteString("| method | without new items, % | frozen, % | learning, % | numbers |\n|---|---:|---:|---:|---:|\n")
	for i := range f.Methods {
		m := &f.Methods[i]
		base, kilobytes, without := m.Budget()
		if m.Frozen || without || kilobytes != 0 && kilobytes != lateBudget {
			continue
		}
		cell := func(name string, frozen bool) string { return lateCell(f, f.Method(name, frozen), measure.Accuracy) }
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %d |\n", base, cell(m.Name+", without items", false), cell(m.Name, true), cell(m.Name, false), max(m.TotalParameters, m.Parameters))
	}
	b.WriteString("\nAccuracy of the rows of each step before they are learned. Frozen models stop learning after the first tenth of the table. Methods without\n" +
		"new items learn, but see neither products nor customers. Numbers are all that a method keeps, head included.\n")
	return b.String()
}
