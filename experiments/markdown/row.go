// Package markdown reads and writes rows of Markdown tables.
package markdown

import "strings"

// bar stands for a bar behind a backslash, which belongs to its cell.
const bar = "\x00"

// Cells splits a row into its cells, without the spaces around them.
func Cells(line string) (cells []string) {
	line = strings.ReplaceAll(strings.TrimSpace(line), `\|`, bar)
	line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	for _, cell := range strings.Split(line, "|") {
		cells = append(cells, strings.TrimSpace(strings.ReplaceAll(cell, bar, "|")))
	}
	return cells
}

// Row returns the line of a row, without its end. It is the inverse of Cells.
func Row(cells []string) string {
	escaped := make([]string, len(cells))
	for i, cell := range cells {
		escaped[i] = strings.ReplaceAll(cell, "|", `\|`)
	}
	return "| " + strings.Join(escaped, " | ") + " |"
}
