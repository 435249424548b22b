package table

import (
	"slices"
	"strings"

	"gophe/phe/terminal"

	"github.com/rivo/uniseg"
)

// gap is the number of spaces between two columns.
const gap = 2

// layout returns the table in columns. If they need more than the width, several tables follow each other.
func (t *Table) layout(width int) string {
	var tables []string
	for _, part := range t.parts(width) {
		tables = append(tables, part.columns(part.widths(width)))
	}
	return strings.Join(tables, "\n")
}

// columns returns the table with one column next to the other. An empty line parts rows if one of them has several lines.
func (t *Table) columns(widths []int) string {
	heading, rule, rows := t.row(t.lines()[0], widths), make([]string, len(widths)), make([]string, len(t.Rows))
	for i, w := range widths {
		rule[i] = strings.Repeat("─", w)
	}
	for i, row := range t.Rows {
		rows[i] = t.row(row, widths)
	}
	between := ""
	if slices.ContainsFunc(rows, func(row string) bool { return strings.Count(row, "\n") > 1 }) {
		between = "\n"
	}
	return heading + strings.Join(rule, strings.Repeat(" ", gap)) + "\n" + strings.Join(rows, between)
}

// widths returns the width of each column. Columns that are too wide together become narrower, the widest first: by the wrapping of long
// text, and only then of other cells. A word is never cut.
func (t *Table) widths(total int) []int {
	widths := t.widest(t.lines(), natural)
	over := sum(widths) + gap*(len(widths)-1) - total
	for _, narrowest := range [][]int{t.whole(), t.widest(t.lines(), least)} {
		for ; over > 0; over-- {
			widest := -1
			for i := range widths {
				if widths[i] > narrowest[i] && (widest < 0 || widths[i] > widths[widest]) {
					widest = i
				}
			}
			if widest < 0 {
				break
			}
			widths[widest]--
		}
	}
	return widths
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

// parts cuts the columns into as many tables as a width needs. Each begins with the columns that name the row.
func (t *Table) parts(width int) (parts []Table) {
	whole, keys := t.whole(), t.keys()
	var columns []int
	room := width - sum(whole[:keys]) - gap*(keys-1)
	left := room
	for i := range t.Columns {
		if need := whole[i] + gap; i >= keys {
			if need > left && len(columns) > keys {
				parts = append(parts, t.part(columns))
				columns, left = slices.Clone(columns[:keys]), room
			}
			left -= need
		}
		columns = append(columns, i)
	}
	return append(parts, t.part(columns))
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

// row returns the lines of a row, each with its end.
func (t *Table) row(row []string, widths []int) string {
	wrapped, tallest := make([][]string, len(row)), 0
	for i, cell := range row {
		wrapped[i] = Wrap(cell, widths[i])
		tallest = max(tallest, len(wrapped[i]))
	}
	var b strings.Builder
	for n := range tallest {
		line := make([]string, len(row))
		for i, cell := range wrapped {
			if n < len(cell) {
				line[i] = cell[n]
			}
			line[i] = pad(line[i], widths[i], !t.Columns[i].Text)
		}
		b.WriteString(strings.TrimRight(strings.Join(line, strings.Repeat(" ", gap)), " ") + "\n")
	}
	return b.String()
}

// lineBreak is the mark that separates the lines of a cell in Markdown.
const lineBreak = "<br>"

// tie is a space at which no line is broken.
const tie = "\u00a0"

// words splits a text at spaces. A number and its deviation stay together.
func words(text string) []string {
	return strings.FieldsFunc(strings.ReplaceAll(text, " ± ", tie+"±"+tie), func(r rune) bool { return r == ' ' })
}

// Wrap breaks a text at spaces into lines of at most a width. A longer word has a line of its own.
func Wrap(text string, most int) (lines []string) {
	for _, part := range strings.Split(text, lineBreak) {
		line := ""
		for _, word := range words(part) {
			switch {
			case line == "":
				line = word
			case width(line)+1+width(word) <= most:
				line += " " + word
			default:
				lines = append(lines, line)
				line = word
			}
		}
		lines = append(lines, line)
	}
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], tie, " ")
	}
	return lines
}

// natural returns the width of a text's longest line when nothing is wrapped.
func natural(text string) (widest int) {
	for _, line := range strings.Split(text, lineBreak) {
		widest = max(widest, width(line))
	}
	return widest
}

// least returns the width of a text's longest word.
func least(text string) (widest int) {
	for _, word := range words(strings.ReplaceAll(text, lineBreak, " ")) {
		widest = max(widest, width(word))
	}
	return widest
}

// width returns the number of columns of a text that is shown on a terminal.
func width(text string) int { return uniseg.StringWidth(terminal.Visible(text)) }

// pad shows a line's control characters and fills it with spaces to a width, on its left side if the line belongs to the right.
func pad(line string, columns int, right bool) string {
	line = terminal.Visible(line)
	space := strings.Repeat(" ", max(columns-width(line), 0))
	if right {
		return space + line
	}
	return line + space
}
