package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gophe/experiments/measure"
	"gophe/experiments/table"
)

// CellTable returns a table of cells next to the paper's numbers, with a row for each. A cell without a number has words. The
// difference is in points and in the paper's standard deviations, and notes say why a cell differs.
func CellTable(cells []Cell) *table.Table {
	t := table.New(4, "table", "data set", "method", "metric", "paper", "ours", "difference", "in paper's sd",
		"outcome", "convention", "seeds", "s per seed", "backend", "result", "reading")
	for _, text := range []int{8, 9, 12, 13, 14} {
		t.Columns[text].Text = true
	}
	for _, c := range cells {
		backend := cmp.Or(c.Backend, "not run")
		if c.Spec == "" {
			backend = "none: a count"
		}
		t.Add(c.Item, c.Dataset, c.Method, c.Metric, c.paper(), c.ours(), c.difference(), c.inDeviations(),
			string(c.outcome())+t.Note(c.Note), cmp.Or(c.Convention, "not run"), c.seeds(), c.seconds(),
			backend, cmp.Or(c.Spec, "counted"), c.Reading)
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
	case c.Draws > 0:
		return fmt.Sprintf("%d of each of %d draws", c.Seeds, c.Draws)
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
	const headings = "item,dataset,method,protocol,metric,paper,paper_sd,measured,measured_sd,difference,deviations,outcome," +
		"seeds,seconds,convention,backend,spec,in_paper,substitute,diverged,note,reading,draws"
	t := table.New(0, strings.Split(headings, ",")...)
	number := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'g', -1, 64)
	}
	for _, c := range cells {
		t.Add(c.Item, c.Dataset, c.Method, c.Protocol, c.Metric, number(c.Paper), number(c.PaperSD),
			number(c.Measured), number(c.MeasuredSD), number(c.apart()), number(c.deviations()), c.outcome(),
			c.Seeds, number(c.Seconds), c.Convention, c.Backend, c.Spec, c.InPaper, c.Substitute, c.Diverged,
			c.Note, c.Reading, max(c.Draws, 1))
	}
	return t.CSV()
}

// Grid returns a table as the paper prints it: a row for each data set, and a column for each method. A cell has our number above the
// paper's. The paper's methods come first. A cell that differs, or that was measured on other data, has the number of a note. "–"
// is a number that does not exist, and "n/a" a cell that neither the paper nor this program has.
func Grid(cells []Cell) *table.Table {
	var rows, methods []string
	at, seeds := map[[2]string]Cell{}, map[string]int{} // by row and method
	for _, c := range cells {
		row := strings.Join(slices.DeleteFunc([]string{c.Dataset, c.variantShown()}, func(s string) bool { return s == "" }), ", ")
		rows = with(rows, row)
		at[[2]string{row, c.Method}] = c
		seeds[row] = max(seeds[row], c.Seeds)
	}
	paper := slices.DeleteFunc(slices.Clone(cells), func(c Cell) bool { return !c.InPaper })
	for _, c := range append(paper, cells...) {
		methods = with(methods, c.Method)
	}
	t := table.New(1, append([]string{"data set"}, methods...)...)
	for _, row := range rows {
		texts := []any{row}
		for _, method := range methods {
			c, ok := at[[2]string{row, method}]
			if !ok {
				texts = append(texts, "n/a")
				continue
			}
			text := measured(c) + t.Note(c.Note)
			if c.Note == "" && c.differs() { // nobody knows why
				text += " (differs)"
			}
			if c.Measured != nil && c.Seeds > 0 && c.Seeds < seeds[row] {
				text += fmt.Sprintf(" (n = %d)", c.Seeds)
			}
			if c.InPaper {
				text += "<br>(" + c.printed() + ")"
			}
			texts = append(texts, text)
		}
		t.Add(texts...)
	}
	return t
}

// variantShown returns the words that tell results of one data set apart. A cell of other data names its data set already.
func (c Cell) variantShown() string {
	if c.Substitute != "" && c.Substitute != c.Dataset {
		return ""
	}
	return c.variant
}
