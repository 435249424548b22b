package table

import (
	"io"
	"regexp"
	"strings"

	"gophe/phe/terminal"

	"github.com/pkg/errors"
)

// Print writes the page: to a terminal with aligned tables and wrapped lines, and to a pipe or a file as Markdown.
func (p Page) Print(w io.Writer) error {
	text := p.String()
	if width, ok := terminal.Width(w); ok {
		text = p.render(width)
	}
	_, err := io.WriteString(w, text)
	return errors.Wrap(err, "printing")
}

// minText is the least number of columns that are filled with text, however narrow the terminal.
const minText = 20

// Hang returns a text that begins at a column of a line. On a terminal it wraps the text, and its lines begin at the same column.
func Hang(w io.Writer, column int, text string) string {
	if width, ok := terminal.Width(w); ok {
		return hang(column, text, width)
	}
	return text
}

func hang(column int, text string, width int) string {
	return strings.Join(Wrap(text, max(width-column, minText)), "\n"+strings.Repeat(" ", column))
}

// render returns the page with its tables aligned and its lines wrapped to a width.
func (p Page) render(width int) string {
	return p.joined(func(t *Table) string {
		rows := ""
		if len(t.Columns) > 0 {
			rows = t.layout(width)
		}
		return wrapLines(t.Above, width) + rows + wrapLines(t.below(), width)
	})
}

// indentation matches the spaces before a line's text, and the mark of a list's item, such as "- " or "[12] ".
var indentation = regexp.MustCompile(`^ *(?:[-*] |\d*\. |\[\S*\] )?`)

// wrapLines wraps each line of a text. Its continuation is below its text.
func wrapLines(text string, width int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		first := indentation.FindString(line)
		lines[i] = first + hang(len(first), line[len(first):], width)
	}
	return strings.Join(lines, "\n")
}
