package report

import (
	"gophe/experiments/measure"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/table"
)

// ratingPassTables returns one pass over ratings next to the paper's models and running averages. It is empty without results.
func ratingPassTables(streams []onePassStream) table.Page {
	if len(streams) == 0 {
		return nil
	}
	scores := columns(streams, "\nError of the mean of ratings, in percent of the scale: mean of the days, each predicted before it is learned, and deviation over seeds.\n"+
		"Biases are two running averages, of films and users.\n\n", []passColumn{{"PHE", publishedPHE, onePassStream.cell}, {"P-EE", publishedPEE, onePassStream.cell},
		{baseline.Biases, baseline.Biases, func(s onePassStream, r measure.Row) string { return measure.Optional(r.Mean(s.metric()), 2) }}, {"one pass", fromNothing, onePassStream.cell}})
	differences := table.New(2, "stream", "method", "less "+baseline.Biases, "less P-EE", "less PHE")
	differences.Above = "\nDifferences are paired over days; in brackets their standard error. Interactions are pairs of columns where the name says nothing else.\n\n"
	costs := table.New(2, "stream", "method", "error of the mean, %", "numbers", "s per seed")
	costs.Above = "\nNumbers kept in memory, head included, and the time of a seed.\n\n"
	for _, s := range streams {
		for _, r := range measure.Rows(s.own) {
			if r.Frozen || baseline.Has(r.Name) {
				continue
			}
			less := func(other measure.Row) string { return r.LessOverDays(other, r.Leading()) }
			differences.Add(s.name, r.Name, less(s.row(baseline.Biases)),
				less(s.row(publishedPEE)), less(s.row(publishedPHE)))
			costs.Add(s.name, r.Name, s.cell(r), r.TotalParameters, measure.Optional(r.Seconds(), 1))
		}
	}
	return table.Page{*scores, *differences, *costs}
}
