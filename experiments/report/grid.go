package report

import (
	"fmt"
	"slices"
	"strings"

	"gophe/experiments/measure"
	"gophe/experiments/table"
)

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

// with returns a list with a value, which is added unless it is there.
func with[T comparable](list []T, value T) []T {
	if slices.Contains(list, value) {
		return list
	}
	return append(list, value)
}

// measured returns a cell's number, and the data set if it is not the paper's.
func measured(c Cell) string {
	text := measure.Estimate{Mean: c.Measured, SD: c.MeasuredSD}.Text(measure.Named(c.Metric).Digits)
	if c.Substitute != "" && c.Substitute != c.Dataset {
		text += " on " + c.Substitute
	}
	return text
}

// variantShown returns the words that tell results of one data set apart. A cell of other data names its data set already.
func (c Cell) variantShown() string {
	if c.Substitute != "" && c.Substitute != c.Dataset {
		return ""
	}
	return c.variant
}
