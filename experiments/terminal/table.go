package terminal

import (
	"gophe/experiments/markdown"
	"slices"
	"strings"
)

// gap is the number of spaces between two columns.
const gap = 2

// table is a table of Markdown.
type table struct {
	header []string
	rows   [][]string
	right  []bool // columns of numbers
}

// isTable returns whether lines begin with a table: a row and a line of dashes.
func isTable(lines []string) bool {
	return len(lines) > 1 && strings.HasPrefix(lines[0], "|") && strings.HasPrefix(lines[1], "|") && strings.Trim(lines[1], "|-: ") == "" && strings.Contains(lines[1], "-")
}

func parseTable(lines []string) table {
	t := table{header: markdown.Cells(lines[0])}
	for _, rule := range markdown.Cells(lines[1]) {
		t.right = append(t.right, strings.HasSuffix(rule, ":") && !strings.HasPrefix(rule, ":"))
	}
	for _, line := range lines[2:] {
		t.rows = append(t.rows, markdown.Cells(line))
	}
	for i := range t.rows { // a short row has empty cells at its end
		padded := append(t.rows[i], make([]string, len(t.header))...)
		t.rows[i] = padded[:len(t.header)]
	}
	t.right = append(t.right, make([]bool, len(t.header))...)
	return t
}

// lines returns the table within a width, by the first of four ways that works: in columns with whole cells, in several such tables
// one below the other, in columns with wrapped cells, and as records.
func (t table) lines(width int) []string {
	if widths, ok := t.widths(width, t.whole()); ok {
		return t.columns(widths)
	}
	if parts, ok := t.parts(width); ok {
		var lines []string
		for i, part := range parts {
			if i > 0 {
				lines = append(lines, "")
			}
			widths, _ := part.widths(width, part.whole())
			lines = append(lines, part.columns(widths)...)
		}
		return lines
	}
	if widths, ok := t.widths(width, t.shortest()); ok {
		return t.columns(widths)
	}
	return t.records(width)
}

// columns returns the table with one column next to the other.
func (t table) columns(widths []int) []string {
	lines := t.row(t.header, widths)
	rule := make([]string, len(widths))
	for i, w := range widths {
		rule[i] = strings.Repeat("─", w)
	}
	lines = append(lines, strings.Join(rule, strings.Repeat(" ", gap)))
	tall := false // an empty line parts rows of several lines
	var rows [][]string
	for _, r := range t.rows {
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
func (t table) widths(total int, narrowest []int) ([]int, bool) {
	widths := make([]int, len(t.header))
	for _, row := range append([][]string{t.header}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], natural(cell))
		}
	}
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

// shortest returns the width of each column's longest word.
func (t table) shortest() []int {
	widths := make([]int, len(t.header))
	for _, row := range append([][]string{t.header}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], least(cell))
		}
	}
	return widths
}

// prose is the width from which a cell may be wrapped.
const prose = 34

// whole returns the least width of each column that wraps no cell but the header's and long text.
func (t table) whole() []int {
	widths := t.shortest()
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], min(natural(cell), prose))
		}
	}
	return widths
}

// mostParts is the largest number of tables that one is cut into.
const mostParts = 4

// parts cuts the columns into several tables that fit a width. Each begins with the columns that name the row.
func (t table) parts(width int) (parts []table, ok bool) {
	whole, keys := t.whole(), t.keys()
	first := make([]int, keys)
	for i := range first {
		first[i] = i
	}
	columns := slices.Clone(first)
	room := width - sum(whole[:keys]) - gap*(keys-1)
	left := room
	for i := keys; i < len(t.header); i++ {
		need := whole[i] + gap
		if need > room || len(parts) == mostParts {
			return nil, false
		}
		if need > left {
			parts = append(parts, t.part(columns))
			columns, left = slices.Clone(first), room
		}
		columns, left = append(columns, i), left-need
	}
	return append(parts, t.part(columns)), len(parts) < mostParts
}

// keys returns the number of columns at the beginning that tell the rows apart. Columns of numbers do not count.
func (t table) keys() int {
	n := 1
	for ; n < len(t.header)-1 && !t.right[n]; n++ {
		seen := map[string]bool{}
		for _, row := range t.rows {
			seen[strings.Join(row[:n], "|")] = true
		}
		if len(seen) == len(t.rows) {
			break
		}
	}
	return n
}

// part returns the table with some of its columns.
func (t table) part(columns []int) (p table) {
	pick := func(row []string) (picked []string) {
		for _, i := range columns {
			picked = append(picked, row[i])
		}
		return picked
	}
	p.header = pick(t.header)
	for _, row := range t.rows {
		p.rows = append(p.rows, pick(row))
	}
	for _, i := range columns {
		p.right = append(p.right, t.right[i])
	}
	return p
}

func sum(widths []int) (total int) {
	for _, w := range widths {
		total += w
	}
	return total
}

// row returns the lines of a row.
func (t table) row(row []string, widths []int) (lines []string) {
	wrapped, tallest := make([][]string, len(row)), 0
	for i, cell := range row {
		wrapped[i] = Wrap(cell, widths[i])
		tallest = max(tallest, len(wrapped[i]))
	}
	for n := range tallest {
		var line []string
		for i, cell := range wrapped {
			line = append(line, pad(at(cell, n), widths[i], t.right[i]))
		}
		lines = append(lines, strings.TrimRight(strings.Join(line, strings.Repeat(" ", gap)), " "))
	}
	return lines
}

// records returns the table with a line a cell.
func (t table) records(width int) (lines []string) {
	names := 0
	for _, h := range t.header {
		names = max(names, natural(h))
	}
	names = min(names, max(width/3, 1))
	for n, row := range t.rows {
		if n > 0 {
			lines = append(lines, "")
		}
		for i, cell := range row {
			name, value := Wrap(t.header[i], names), Wrap(cell, max(width-names-gap, 1))
			for k := range max(len(name), len(value)) {
				line := pad(at(name, k), names+gap, false) + at(value, k)
				lines = append(lines, strings.TrimRight(line, " "))
			}
		}
	}
	return lines
}

// at returns a line, and "" behind the last.
func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}
