package report

import (
	"fmt"
	"strings"

	"gophe/experiments/baseline"
	"gophe/experiments/measure"
	"gophe/experiments/result"
)

// forecastMarkdown renders a result of protocol Daily or Recommend: each method next to the first, paired over days. Brackets hold
// the standard error over days, and ± is the standard deviation over seeds.
func forecastMarkdown(f *result.File) string {
	first := &f.Methods[0]
	metrics := measure.Metrics(first)
	var b strings.Builder
	b.WriteString("| method | parameters |")
	for i, metric := range metrics {
		fmt.Fprintf(&b, " %s |", measure.Named(metric).Heading)
		if i < 2 {
			fmt.Fprintf(&b, " less %s |", first.Name)
		}
	}
	fmt.Fprintf(&b, " seeds | s per seed |\n|---|---:|%s---:|---:|\n", strings.Repeat("---:|", len(metrics)+2))
	for i := range f.Methods {
		m := &f.Methods[i]
		parameters := fmt.Sprint(m.Parameters)
		if baseline.Has(m.Name) {
			parameters = "none"
		}
		fmt.Fprintf(&b, "| %s | %s |", m.Label(), parameters)
		seeds := 0
		for k, metric := range metrics {
			mean, sd, n := measure.OverSeeds(metric, f, m)
			if baseline.Has(m.Name) {
				sd = nil // one forecast for all seeds
			}
			seeds = max(seeds, n)
			fmt.Fprintf(&b, " %s |", measure.PlusMinus(mean, sd, measure.Named(metric).Digits))
			if k < 2 {
				fmt.Fprintf(&b, " %s |", measure.PairedOverDays(metric, m, first))
			}
		}
		var seconds []float64
		for _, run := range m.Runs {
			seconds = append(seconds, run.Seconds.Total())
		}
		mean, _, _ := measure.MeanAndDeviation(seconds)
		fmt.Fprintf(&b, " %d%s | %s |\n", seeds, diverged(m), measure.Optional(mean, 1))
	}
	return b.String()
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
