package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/table"
	"gophe/phe/terminal"
)

// diverged returns the seeds that diverged, each with its step.
func diverged(m *result.Method) string {
	var which []string
	for _, run := range m.Runs {
		if run.Status == result.Diverged {
			which = append(which, fmt.Sprintf("seed %d diverged at step %d", run.Seed, run.DivergedAt))
		}
	}
	if len(which) == 0 {
		return ""
	}
	return "; " + strings.Join(which, ", ")
}

// ResultTable returns a table of results with a row for each method, by the metrics of their protocol. Differences are to the first
// method, paired by seed, with half of their 95 % interval over seeds.
func ResultTable(files ...*result.File) *table.Table {
	first, daily := measure.Rows(files[0])[0], isDaily(files[0])
	metrics := measure.Metrics(first.Method)
	headings, paired, texts := []string{"method", "scheme", "loss", "parameters"}, 1, 3
	less := "less " + first.Name + ", paired"
	if daily {
		headings, paired, texts = []string{"method", "parameters"}, 2, 1
	}
	for k, metric := range metrics {
		headings = append(headings, measure.Named(metric).Heading)
		if k < paired {
			headings = append(headings, less)
		}
	}
	t := table.New(texts, append(headings, "seeds", "s per seed")...)
	for _, f := range files {
		for _, r := range measure.Rows(f) {
			cells := []any{r.Label(), cmp.Or(r.Scheme, "none"), cmp.Or(r.Loss, "none"), terminal.Grouped(int64(r.Parameters))}
			rule := daily && baseline.Has(r.Name) // one forecast for all seeds
			if rule {
				cells[3] = "none"
			} else if f.Manifest.Own[r.Name] != "" {
				cells[3] = "not counted"
			}
			if daily {
				cells = slices.Delete(cells, 1, 3)
			}
			seeds := 0
			for k, metric := range metrics {
				e := r.Over(metric)
				seeds = max(seeds, e.Seeds)
				if rule {
					e.SD = nil
				}
				cells = append(cells, e.Text(measure.Named(metric).Digits))
				if k < paired {
					cells = append(cells, r.Less(first, metric).Interval(measure.Named(metric).Digits))
				}
			}
			count := fmt.Sprint(seeds)
			if daily {
				count += diverged(r.Method)
			}
			t.Add(append(cells, count, measure.Optional(r.Seconds(), 1))...)
		}
		t.Below += ownNote(f)
	}
	return t
}

var legends = map[string]string{
	"scheme": "scheme: how training takes the mean over beliefs; none: the method has no beliefs.\n",
	"loss":   "loss: log-average is the log of the mean likelihood over samples, as by the authors; expected is the mean of the logs.\n",
	"less":   "less METHOD, paired: the difference to that method, seed by seed, ± half of its 95 % interval.\n",
}

// Legend explains the headings of result tables, for a screen without a page around them.
func Legend(tables table.Page) (legend string) {
	for _, c := range tables[0].Columns {
		if word, _, _ := strings.Cut(c.Name, " "); !strings.Contains(legend, legends[word]) {
			legend += "\n"[min(len(legend), 1):] + legends[word]
		}
	}
	return legend
}

// ownNote says which methods of a result the spec alone cannot compute. It is empty if there are none.
func ownNote(f *result.File) string {
	var names []string
	for _, m := range f.Methods {
		if goType := f.Manifest.Own[m.Name]; goType != "" && !m.Frozen {
			names = append(names, fmt.Sprintf("%s (Go type %s)", m.Name, goType))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("\nFrom the caller's own code, which the spec alone does not run: %s.\n", strings.Join(names, ", "))
}
