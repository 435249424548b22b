package compare

import (
	"encoding/csv"
	"strconv"
	"strings"
)

// CSV renders cells for spreadsheets, with a line for each.
func CSV(cells []Cell) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(strings.Split("item,dataset,method,protocol,metric,paper,paper_sd,measured,measured_sd,difference,deviations,outcome,seeds,seconds,convention,backend,spec,in_paper,substitute,diverged,note", ","))
	number := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'g', -1, 64)
	}
	for _, c := range cells {
		difference, deviations := "", ""
		if c.Measured != nil && c.Paper != nil {
			difference = strconv.FormatFloat(*c.Measured-*c.Paper, 'g', -1, 64)
		}
		if d, ok := c.Deviations(); ok {
			deviations = strconv.FormatFloat(d, 'g', -1, 64)
		}
		_ = w.Write([]string{c.Item, c.Dataset, c.Method, c.Protocol, c.Metric, number(c.Paper), number(c.PaperSD), number(c.Measured), number(c.MeasuredSD),
			difference, deviations, string(c.Outcome()), strconv.Itoa(c.Seeds), number(c.Seconds), c.Convention, c.Backend, c.Spec,
			strconv.FormatBool(c.InPaper), c.Substitute, strconv.Itoa(c.Diverged), c.Note})
	}
	w.Flush() // into memory: cannot fail
	return b.String()
}
