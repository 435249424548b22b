package experiments

import (
	"fmt"
	"slices"
	"strings"
)

// HasGrid tells whether Grid can show a table: those of the paper, which have one metric a cell.
func HasGrid(table string) bool { return paperItems[table] != "" }

// Grid renders a table of the paper as the paper does: a row a data set, a column a method, and in each cell what was
// measured above what the paper says. A cell that differs has the number of the note that says why.
func Grid(cells []Cell) string {
	var rows, methods []string
	at, seeds := map[string]map[string]Cell{}, map[string]int{}
	for _, c := range cells {
		row := strings.Join(slices.DeleteFunc([]string{c.Dataset, variant(c)}, func(s string) bool { return s == "" }), ", ")
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
	var b strings.Builder
	var why notes
	fmt.Fprintf(&b, "| | %s |\n|---|%s\n", strings.Join(methods, " | "), strings.Repeat("---:|", len(methods)))
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |", row)
		for _, method := range methods {
			c, ok := at[row][method]
			if !ok {
				b.WriteString(" |")
				continue
			}
			text := plusMinus(c.Measured, c.MeasuredSD, digits(c.Metric)) + why.mark(c)
			if c.Measured != nil && c.Seeds < seeds[row] {
				text += fmt.Sprintf(" (n = %d)", c.Seeds)
			}
			if c.Paper != nil {
				text += "<br>(" + plusMinus(c.Paper, c.PaperSD, paperDigits(c.Metric)) + ")"
			}
			fmt.Fprintf(&b, " %s |", text)
		}
		b.WriteString("\n")
	}
	return b.String() + why.String()
}

// variant tells apart specs of one item and data set: what their names have beyond the first.
func variant(c Cell) string {
	switch {
	case strings.HasSuffix(c.Spec, "-online-100"):
		return "100 initial epochs"
	case strings.HasSuffix(c.Spec, "-group-stratified"):
		return "stratified cut"
	case strings.HasSuffix(c.Spec, "-all-columns"):
		return "file order, all columns learn"
	case strings.HasSuffix(c.Spec, "-large"):
		return "file order, B = 7, P = 11, d = 20"
	case strings.HasSuffix(c.Spec, "-wide"), c.Spec == "movielens-small-double":
		return "beliefs that start wide"
	case c.Spec == "retail-group":
		return "overlapping windows"
	case c.Spec == "retail-group-separate":
		return "separate windows"
	case strings.HasSuffix(c.Spec, "-group"):
		return "file order"
	}
	return ""
}
