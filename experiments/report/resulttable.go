package report

import (
	"cmp"
	"fmt"
	"strings"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/table"
)

// forecastTable returns a table of a result of protocol Daily or Recommend: each method next to the first, paired over days. Brackets hold
// the standard error over days, and ± is the standard deviation over seeds.
func forecastTable(f *result.File) *table.Table {
	rows := measure.Rows(f)
	metrics := measure.Metrics(rows[0].Method)
	headings := []string{"method", "parameters"}
	for k, metric := range metrics {
		headings = append(headings, measure.Named(metric).Heading)
		if k < 2 {
			headings = append(headings, "less "+rows[0].Name)
		}
	}
	t := table.New(1, append(headings, "seeds", "s per seed")...)
	for _, r := range rows {
		rule := baseline.Has(r.Name)
		cells := []any{r.Label(), r.Parameters}
		if rule {
			cells[1] = "none"
		}
		seeds := 0
		for k, metric := range metrics {
			e := r.Over(metric)
			if rule {
				e.SD = nil // one forecast for all seeds
			}
			seeds = max(seeds, e.Seeds)
			cells = append(cells, e.Text(measure.Named(metric).Digits))
			if k < 2 {
				cells = append(cells, r.LessOverDays(rows[0], metric))
			}
		}
		var seconds []float64
		for _, run := range r.Runs {
			seconds = append(seconds, run.Seconds.Total())
		}
		t.Add(append(cells, fmt.Sprint(seeds)+diverged(r.Method), measure.Optional(measure.Over(seconds).Mean, 1))...)
	}
	return t
}

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
func demoTable(f *result.File) *table.Table {
	t := table.New(1, "method", "without new items, %", "frozen, %", "learning, %", "numbers")
	for _, r := range measure.Rows(f) {
		base, kilobytes, without := r.Budget()
		if r.Frozen || without || kilobytes != 0 && kilobytes != lateBudget {
			continue
		}
		t.Add(base, lateCell(withoutItems(r), measure.Accuracy), lateCell(r.Initial(), measure.Accuracy),
			lateCell(r, measure.Accuracy), max(r.TotalParameters, r.Parameters))
	}
	t.Below = "\nAccuracy of the rows of each step before they are learned. Frozen models stop learning after the first tenth of the table. Methods without\n" +
		"new items learn, but see neither products nor customers. Numbers are all that a method keeps, head included.\n"
	return t
}

// isDaily reports whether the steps of a result are days.
func isDaily(f *result.File) bool {
	return f.Methods[0].Protocol == protocol.Daily || f.Methods[0].Protocol == protocol.Recommend
}

// ResultTable returns a table of results with a row for each method, by the metrics of their protocol. Differences are to the first
// method, by the leading metric. They are paired by seed on the same rows, or by day.
func ResultTable(files ...*result.File) *table.Table {
	if isDaily(files[0]) {
		return forecastTable(files[0])
	}
	first := measure.Rows(files[0])[0]
	metrics := measure.Metrics(first.Method)
	headings := []string{"method", "scheme", "loss", "parameters"}
	for k, metric := range metrics {
		headings = append(headings, measure.Named(metric).Heading)
		if k == 0 {
			headings = append(headings, "less "+first.Name+", paired")
		}
	}
	t := table.New(3, append(headings, "seeds", "s per seed")...)
	for _, f := range files {
		for _, r := range measure.Rows(f) {
			cells := []any{r.Label(), cmp.Or(r.Scheme, "none"), cmp.Or(r.Loss, "none"), r.Parameters}
			if f.Manifest.Own[r.Name] != "" {
				cells[3] = "not counted"
			}
			for k, metric := range metrics {
				cells = append(cells, r.Cell(metric))
				if k == 0 {
					cells = append(cells, r.Less(first, metric).Text(measure.Named(metric).Digits))
				}
			}
			t.Add(append(cells, r.Over(metrics[0]).Seeds, measure.Optional(r.Seconds(), 1))...)
		}
		t.Below += ownNote(f)
	}
	return t
}
