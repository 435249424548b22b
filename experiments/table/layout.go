package table

import (
	"slices"
	"strings"
)

// gap is the number of spaces between two columns.
const gap = 2

// layout returns the table within a width: in columns with whole cells, of which several tables may be needed, else in columns with wrapped
// cells, and else as records.
func (t *Table) layout(width int) (lines []string) {
	if parts, ok := t.parts(width); ok {
		for i, part := range parts {
			if i > 0 {
				lines = append(lines, "")
			}
			widths, _ := part.widths(width, part.whole())
			lines = append(lines, part.columns(widths)...)
		}
		return lines
	}
	if widths, ok := t.widths(width, t.widest(t.lines(), least)); ok {
		return t.columns(widths)
	}
	return t.records(width)
}

// columns returns the table with one column next to the other.
func (t *Table) columns(widths []int) []string {
	lines := t.row(t.lines()[0], widths)
	rule := make([]string, len(widths))
	for i, w := range widths {
		rule[i] = strings.Repeat("─", w)
	}
	lines = append(lines, strings.Join(rule, strings.Repeat(" ", gap)))
	tall := false // an empty line parts rows of several lines
	var rows [][]string
	for _, r := range t.Rows {
		row := t.row(r, widths)
		tall = tall || len(row) > 1
		rows = append(rows, row)
	}
	for i, row := range rows {
		if tall && i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, row...)
	}
	return lines
}

// widths returns the width of each column. Columns that are too wide together become narrower, the widest first, and no narrower
// than the given widths. It returns false if that is not enough.
func (t *Table) widths(total int, narrowest []int) ([]int, bool) {
	widths := t.widest(t.lines(), natural)
	for over := sum(widths) + gap*(len(widths)-1) - total; over > 0; over-- {
		widest := -1
		for i := range widths {
			if widths[i] > narrowest[i] && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return nil, false
		}
		widths[widest]--
	}
	return widths, true
}

// widest returns the largest measure of the cells of each column.
func (t *Table) widest(lines [][]string, of func(cell string) int) []int {
	widths := make([]int, len(t.Columns))
	for _, row := range lines {
		for i, cell := range row {
			widths[i] = max(widths[i], of(cell))
		}
	}
	return widths
}

// prose is the width from which a cell may be wrapped.
const prose = 34

// whole returns the least width of each column that wraps no cell but the header's and long text.
func (t *Table) whole() []int {
	widths := t.widest(t.lines(), least)
	for i, w := range t.widest(t.Rows, func(cell string) int { return min(natural(cell), prose) }) {
		widths[i] = max(widths[i], w)
	}
	return widths
}

// maxParts is the largest number of tables that one is cut into.
const maxParts = 4

// parts cuts the columns into as many tables as a width needs. Each begins with the columns that name the row.
func (t *Table) parts(width int) (parts []Table, ok bool) {
	whole, keys := t.whole(), t.keys()
	var columns []int
	room := width - sum(whole[:keys]) - gap*(keys-1)
	left := room
	for i := range t.Columns {
		if need := whole[i] + gap; i >= keys {
			if need > room {
				return nil, false
			}
			if need > left {
				parts = append(parts, t.part(columns))
				columns, left = slices.Clone(columns[:keys]), room
			}
			left -= need
		}
		columns = append(columns, i)
	}
	parts = append(parts, t.part(columns))
	return parts, len(parts) <= maxParts
}

// keys returns the number of columns at the beginning that tell the rows apart. Columns of numbers do not count.
func (t *Table) keys() int {
	n := 1
	for ; n < len(t.Columns)-1 && t.Columns[n].Text; n++ {
		seen := map[string]bool{}
		for _, row := range t.Rows {
			seen[strings.Join(row[:n], "|")] = true
		}
		if len(seen) == len(t.Rows) {
			break
		}
	}
	return n
}

func sum(widths []int) (total int) {
	for _, w := range widths {
		total += w
	}
	return total
}

// row returns the lines of a row.
func (t *Table) row(row []string, widths []int) (lines []string) {
	wrapped, tallest := make([][]string, len(row)), 0
	for i, cell := range row {
		wrapped[i] = Wrap(cell, widths[i])
		tallest = max(tallest, len(wrapped[i]))
	}
	for n := range tallest {
		line := make([]string, len(row))
		for i, cell := range wrapped {
			if n < len(cell) {
				line[i] = cell[n]
			}
			line[i] = pad(line[i], widths[i], !t.Columns[i].Text)
		}
		lines = append(lines, strings.TrimRight(strings.Join(line, strings.Repeat(" ", gap)), " "))
	}
	return lines
}

// records returns the table with a line a cell.
func (t *Table) records(width int) (lines []string) {
	names := 0
	for _, c := range t.Columns {
		names = max(names, natural(c.Name))
	}
	names = min(names, max(width/3, 1))
	record := New(2, "", "")
	for n, row := range t.Rows {
		if n > 0 {
			lines = append(lines, "")
		}
		for i, cell := range row {
			lines = append(lines, record.row([]string{t.Columns[i].Name, cell}, []int{names, max(width-names-gap, 1)})...)
		}
	}
	return lines
}
