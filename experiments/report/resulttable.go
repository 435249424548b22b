package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec/protocol"
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

// gains says how far the accuracy of the methods of one memory lies above that of other rows of theirs: the least gain and the largest.
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

// isDaily reports whether the steps of a result are days.
func isDaily(f *result.File) bool {
	return f.Methods[0].Protocol == protocol.Daily || f.Methods[0].Protocol == protocol.Recommend
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
