package report

import (
	"fmt"
	"strings"

	"gophe/experiments/baseline"
	"gophe/experiments/measure"
	"gophe/experiments/result"
)

// demoMarkdown renders the result of the demo: each method next to its own initial model, which is never updated.
func demoMarkdown(f *result.File) string {
	var b strings.Builder
	b.WriteString("| method | frozen, % | online, % | forgetting, points | numbers |\n|---|---:|---:|---:|---:|\n")
	for i := range f.Methods {
		m := &f.Methods[i]
		if m.Frozen {
			continue
		}
		cell := func(m *result.Method, metric string) string {
			if m == nil {
				return "–"
			}
			mean, sd, _ := measure.OverSeeds(metric, f, m)
			return measure.PlusMinus(mean, sd, 2)
		}
		forgetting := "–"
		if !baseline.Has(m.Name) {
			forgetting = cell(m, measure.Forgetting)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %d |\n", m.Name, cell(f.Method(m.Name, true), measure.Accuracy), cell(m, measure.Accuracy), forgetting, max(m.TotalParameters, m.Parameters))
	}
	b.WriteString("\nAccuracy of each chunk before it is learned. Numbers are all that a method keeps, head included.\n")
	return b.String()
}
