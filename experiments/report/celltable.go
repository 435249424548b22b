package report

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"gophe/experiments/measure"
	"gophe/experiments/table"
)

// CellTable returns a table of cells next to the paper's numbers, with a row for each. A cell without a number has words. The
// difference is in points and in the paper's standard deviations, and notes say why a cell differs.
func CellTable(cells []Cell) *table.Table {
	t := table.New(4, "table", "data set", "method", "metric", "paper", "ours", "difference", "in paper's sd",
		"outcome", "convention", "seeds", "s per seed", "backend", "result")
	for _, text := range []int{8, 9, 12, 13} {
		t.Columns[text].Text = true
	}
	for _, c := range cells {
		backend := cmp.Or(c.Backend, "not run")
		if c.Spec == "" {
			backend = "none: a count"
		}
		t.Add(c.Item, c.Dataset, c.Method, c.Metric, c.paper(), c.ours(), c.difference(), c.inDeviations(), string(c.outcome())+t.Note(c.Note),
			cmp.Or(c.Convention, "not run"), c.seeds(), c.seconds(), backend, cmp.Or(c.Spec, "counted"))
	}
	return t
}

func (c Cell) paper() string {
	switch {
	case !c.InPaper && c.Paper == nil:
		return string(notInPaper)
	case c.Paper == nil:
		return "a dash"
	}
	return c.printed()
}

// printed returns the paper's number with the digits that the paper prints.
func (c Cell) printed() string {
	return measure.Estimate{Mean: c.Paper, SD: c.PaperSD}.Text(measure.Named(c.Metric).Paper)
}

func (c Cell) ours() string {
	if c.Measured == nil {
		return string(notRun)
	}
	return measured(c)
}

// difference returns the difference to the paper's number, or words in its place.
func (c Cell) difference() string {
	switch d := c.apart(); {
	case c.Measured == nil:
		return string(notRun)
	case c.Paper == nil:
		return "nothing to compare"
	default:
		return signed(*d, measure.Named(c.Metric).Digits)
	}
}

func (c Cell) inDeviations() string {
	switch d := c.deviations(); {
	case d != nil:
		return signed(*d, 1)
	case c.apart() == nil:
		return c.difference()
	case c.Substitute != "":
		return string(otherData)
	case c.PaperSD == nil:
		return "no sd: a count"
	}
	return "the paper's is 0.0"
}

func (c Cell) seeds() string {
	switch {
	case c.Spec == "":
		return "none: a count"
	case c.Measured == nil && c.Diverged == 0:
		return string(notRun)
	case c.Diverged > 0:
		return fmt.Sprintf("%d, %d diverged", c.Seeds, c.Diverged)
	}
	return fmt.Sprint(c.Seeds)
}

func (c Cell) seconds() string {
	switch {
	case c.isSize():
		return "none: a count"
	case c.Seconds == nil:
		return string(notRun)
	}
	return measure.Optional(c.Seconds, 1)
}

// signed formats a difference with its sign.
func signed(difference float64, digits int) string {
	text := measure.Optional(&difference, digits)
	if difference >= 0 {
		text = "+" + text
	}
	return text
}

// CSV renders cells for spreadsheets, with a line for each.
func CSV(cells []Cell) string {
	t := table.New(0, strings.Split("item,dataset,method,protocol,metric,paper,paper_sd,measured,measured_sd,difference,deviations,outcome,"+
		"seeds,seconds,convention,backend,spec,in_paper,substitute,diverged,note", ",")...)
	number := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'g', -1, 64)
	}
	for _, c := range cells {
		t.Add(c.Item, c.Dataset, c.Method, c.Protocol, c.Metric, number(c.Paper), number(c.PaperSD), number(c.Measured), number(c.MeasuredSD),
			number(c.apart()), number(c.deviations()), c.outcome(), c.Seeds, number(c.Seconds), c.Convention, c.Backend, c.Spec,
			c.InPaper, c.Substitute, c.Diverged, c.Note)
	}
	return t.CSV()
}
