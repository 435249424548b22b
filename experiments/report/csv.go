package report

import (
	"strconv"
	"strings"

	"gophe/experiments/table"
)

// CSV renders cells for spreadsheets, with a line for each.
func CSV(cells []Cell) string {
	t := table.New(0, strings.Split("item,dataset,method,protocol,metric,paper,paper_sd,measured,measured_sd,difference,deviations,outcome,seeds,seconds,convention,backend,spec,in_paper,substitute,diverged,note", ",")...)
	number := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'g', -1, 64)
	}
	for _, c := range cells {
		var difference, deviations *float64
		if c.Measured != nil && c.Paper != nil {
			d := *c.Measured - *c.Paper
			difference = &d
		}
		if d, ok := c.deviations(); ok {
			deviations = &d
		}
		t.Add(c.Item, c.Dataset, c.Method, c.Protocol, c.Metric, number(c.Paper), number(c.PaperSD), number(c.Measured), number(c.MeasuredSD),
			number(difference), number(deviations), c.outcome(), c.Seeds, number(c.Seconds), c.Convention, c.Backend, c.Spec, c.InPaper, c.Substitute, c.Diverged, c.Note)
	}
	return t.CSV()
}
