package report

import (
	"fmt"
	"slices"
	"strings"

	"gophe/experiments/baseline"
	"gophe/experiments/compare"
	"gophe/experiments/measure"
	"gophe/experiments/result"
)

// lateSpecs are the streams whose items matter, in the order of the page.
var lateSpecs = []string{"retail-late", "movielens-late", "drawn-late"}

// lateBudget is the memory at which methods are compared with and without the items, in kilobytes.
const lateBudget = 32

// lateMarkdown renders two tables of each stream: what the items that keep coming are worth at one memory, and the accuracy by memory.
func lateMarkdown(folder *result.Folder, specs []string) (string, error) {
	files, err := readTable(folder, specs)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i, f := range files {
		if i > 0 {
			b.WriteString("\n")
		}
		if len(specs) > 1 {
			fmt.Fprintf(&b, "%s\n\n", f.Name)
		}
		b.WriteString(worthOfItems(f))
		b.WriteString("\n" + byMemory(f))
	}
	return b.String(), nil
}

// worthOfItems renders each method at one memory next to itself without the items. Methods without a bound of memory come last.
func worthOfItems(f *result.File) string {
	var b strings.Builder
	b.WriteString("| method | accuracy, % | without the items | difference, paired | log-likelihood |\n|---|---:|---:|---:|---:|\n")
	line := func(name string, m *result.Method) {
		without := f.Method(m.Name+", without items", false)
		cells := []string{lateCell(f, m, measure.Accuracy), lateCell(f, without, measure.Accuracy), "–", lateCell(f, m, measure.LogLikelihood)}
		if without != nil {
			if mean, sd := measure.PairedDifference(measure.Accuracy, f, m, f, without); mean != nil {
				cells[2] = measure.Signed(*mean, 2)
				if sd != nil && *sd > 0 {
					cells[2] += " ± " + measure.Optional(sd, 2)
				}
			}
		}
		fmt.Fprintf(&b, "| %s | %s |\n", name, strings.Join(cells, " | "))
	}
	for _, bounded := range []bool{true, false} {
		for i := range f.Methods {
			m := &f.Methods[i]
			base, kilobytes, without := m.Budget()
			if m.Frozen || without || bounded != (kilobytes == lateBudget) || !bounded && kilobytes > 0 {
				continue
			}
			switch {
			case base == compare.RefittedName && refitEvery(f) == 1:
				base += " (no bound, fitted every step)"
			case base == compare.RefittedName:
				base += fmt.Sprintf(" (no bound, fitted every %d steps)", refitEvery(f))
			case !bounded && !baseline.Has(m.Name):
				base += " (no bound)"
			}
			line(base, m)
		}
	}
	return b.String()
}

// byMemory renders the accuracy of each method by its memory, and its frozen model.
func byMemory(f *result.File) string {
	var bases []string
	var sizes []int
	for i := range f.Methods {
		if base, kilobytes, without := f.Methods[i].Budget(); kilobytes > 0 && !without && !f.Methods[i].Frozen {
			if !slices.Contains(bases, base) {
				bases = append(bases, base)
			}
			if !slices.Contains(sizes, kilobytes) {
				sizes = append(sizes, kilobytes)
			}
		}
	}
	slices.Sort(sizes)
	var b strings.Builder
	b.WriteString("| accuracy, % |")
	for _, kilobytes := range sizes {
		fmt.Fprintf(&b, " %d KB |", kilobytes)
	}
	fmt.Fprintf(&b, " frozen, %d KB |\n|---|%s\n", lateBudget, strings.Repeat("---:|", len(sizes)+1))
	for _, base := range bases {
		fmt.Fprintf(&b, "| %s |", base)
		for _, kilobytes := range sizes {
			fmt.Fprintf(&b, " %s |", lateCell(f, f.Method(fmt.Sprintf("%s, %d KB", base, kilobytes), false), measure.Accuracy))
		}
		fmt.Fprintf(&b, " %s |\n", lateCell(f, f.Method(fmt.Sprintf("%s, %d KB", base, lateBudget), true), measure.Accuracy))
	}
	return b.String()
}

// lateCell returns a method's metric, mean and deviation over seeds, or a dash.
func lateCell(f *result.File, m *result.Method, metric string) string {
	if m == nil {
		return "–"
	}
	mean, sd, _ := measure.OverSeeds(metric, f, m)
	if sd != nil && *sd == 0 {
		sd = nil // a method that draws nothing
	}
	digits := 2
	if metric == measure.LogLikelihood {
		digits = 4
	}
	return measure.PlusMinus(mean, sd, digits)
}
