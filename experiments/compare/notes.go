package compare

import (
	"fmt"
	"slices"
	"strings"
)

// notes numbers the reasons of cells for the lines below a table.
type notes struct{ texts []string }

// mark returns the number of a cell's note, or the words that it differs without a known reason.
func (n *notes) mark(c Cell) string {
	if c.Note == "" && c.Differs() {
		return " (differs)"
	}
	return n.number(c)
}

// number returns the number of the cell's note. It is empty if the cell has none.
func (n *notes) number(c Cell) string {
	if c.Note == "" {
		return ""
	}
	if !slices.Contains(n.texts, c.Note) {
		n.texts = append(n.texts, c.Note)
	}
	return fmt.Sprintf(" [%d]", slices.Index(n.texts, c.Note)+1)
}

// String returns the notes, each with its number.
func (n *notes) String() string {
	var b strings.Builder
	for i, text := range n.texts {
		fmt.Fprintf(&b, "\n[%d] %s\n", i+1, text)
	}
	return b.String()
}
