package compare

import (
	"fmt"
	"gophe/experiments/measure"
	"slices"
	"strings"
)

// Grid renders a table as the paper does: a row for each data set, and a column for each method. A cell has our number above the
// paper's. The paper's methods come first. A cell that differs, or that was measured on other data, has the number of a note. "–"
// is a number that does not exist, and "n/a" a cell that neither the paper nor this program has.
func Grid(cells []Cell) string {
	var rows, methods []string
	at, seeds := map[string]map[string]Cell{}, map[string]int{}
	for _, c := range cells {
		row := strings.Join(slices.DeleteFunc([]string{c.Dataset, c.variantShown()}, func(s string) bool { return s == "" }), ", ")
		if at[row] == nil {
			at[row] = map[string]Cell{}
			rows = append(rows, row)
		}
		if !slices.Contains(methods, c.Method) {
			methods = append(methods, c.Method)
		}
		at[row][c.Method] = c
		seeds[row] = max(seeds[row], c.Seeds)
	}
	slices.SortStableFunc(methods, func(a, b string) int { return beside(cells, a) - beside(cells, b) })
	var b strings.Builder
	var why notes
	fmt.Fprintf(&b, "| data set | %s |\n|---|%s\n", strings.Join(methods, " | "), strings.Repeat("---:|", len(methods)))
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |", row)
		for _, method := range methods {
			c, ok := at[row][method]
			if !ok {
				b.WriteString(" n/a |")
				continue
			}
			text := measured(c) + why.mark(c)
			if c.Measured != nil && c.Seeds > 0 && c.Seeds < seeds[row] {
				text += fmt.Sprintf(" (n = %d)", c.Seeds)
			}
			if c.InPaper {
				text += "<br>(" + measure.PlusMinus(c.Paper, c.PaperSD, measure.Named(c.Metric).Paper) + ")"
			}
			fmt.Fprintf(&b, " %s |", text)
		}
		b.WriteString("\n")
	}
	return b.String() + why.String()
}

// measured returns a cell's number, and the data set if it is not the paper's.
func measured(c Cell) string {
	text := measure.PlusMinus(c.Measured, c.MeasuredSD, measure.Named(c.Metric).Digits)
	if c.Substitute != "" && c.Substitute != c.Dataset {
		text += " on " + c.Substitute
	}
	return text
}

// beside returns 0 for a method of the paper, and 1 for others.
func beside(cells []Cell, method string) int {
	if slices.ContainsFunc(cells, func(c Cell) bool { return c.InPaper && c.Method == method }) {
		return 0
	}
	return 1
}

// variantShown returns the words that tell results of one data set apart. A cell of other data names its data set already.
func (c Cell) variantShown() string {
	if c.Substitute != "" && c.Substitute != c.Dataset {
		return ""
	}
	return c.variant
}
