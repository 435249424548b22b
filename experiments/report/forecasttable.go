package report

import (
	"fmt"
	"strings"

	"gophe/experiments/baseline"
	"gophe/experiments/measure"
	"gophe/experiments/result"
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
