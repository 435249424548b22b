package compare

import (
	"fmt"
	"slices"
	"strings"
)

// notes numbers the reasons that cells give, for below a table.
type notes struct{ texts []string }

// mark is what a cell shows: the number of its note, or that it differs and nobody knows why.
func (n *notes) mark(c Cell) string {
	if c.Note == "" && c.Differs() {
		return " (differs)"
	}
	return n.number(c)
}

// number is that of the cell's note; nothing where it has none.
func (n *notes) number(c Cell) string {
	if c.Note == "" {
		return ""
	}
	if !slices.Contains(n.texts, c.Note) {
		n.texts = append(n.texts, c.Note)
	}
	return fmt.Sprintf(" [%d]", slices.Index(n.texts, c.Note)+1)
}

// String lists the notes, each with its number.
func (n *notes) String() string {
	var b strings.Builder
	for i, text := range n.texts {
		fmt.Fprintf(&b, "\n[%d] %s\n", i+1, text)
	}
	return b.String()
}
