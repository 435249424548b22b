package table

import (
	"io"
	"os"
	"strings"

	"github.com/pkg/errors"
	"golang.org/x/term"
)

// Print writes the page. A terminal gets it with aligned tables and with lines wrapped to the terminal's width. A pipe or a file gets
// Markdown.
func (p Page) Print(w io.Writer) error {
	text := p.String()
	if width, ok := terminalWidth(w); ok {
		text = p.render(width)
	}
	_, err := io.WriteString(w, text)
	return errors.Wrap(err, "printing")
}

// terminalWidth returns the number of columns of the terminal that w writes to. It returns false if w is no terminal.
func terminalWidth(w io.Writer) (int, bool) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 1 {
		width = 80
	}
	return width, true
}

// minText is the least number of columns that Hang fills with text.
const minText = 20

// Hang returns a text that begins at a column of a line. On a terminal it wraps the text, and its lines begin at the same column.
func Hang(w io.Writer, column int, text string) string {
	if width, ok := terminalWidth(w); ok {
		return hang(column, text, width)
	}
	return text
}

func hang(column int, text string, width int) string {
	return strings.Join(Wrap(text, max(width-column, minText)), "\n"+strings.Repeat(" ", column))
}

// render returns the page with its tables aligned and its lines wrapped to a width.
func (p Page) render(width int) string {
	var b strings.Builder
	for i := range p {
		t := &p[i]
		b.WriteString(wrapLines(t.Above, width))
		if len(t.Columns) > 0 {
			b.WriteString(strings.Join(t.layout(width), "\n") + "\n")
		}
		b.WriteString(wrapLines(t.below(), width))
	}
	return b.String()
}

// wrapLines wraps each line of a text.
func wrapLines(text string, width int) string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		out = append(out, wrapLine(line, width)...)
	}
	return strings.Join(out, "\n")
}

// wrapLine wraps a line of prose. Its continuation keeps the indentation, and a list item's continuation is deeper.
func wrapLine(line string, width int) []string {
	text := strings.TrimLeft(line, " ")
	mark := marker(text)
	first := line[:len(line)-len(text)] + mark
	lines := Wrap(text[len(mark):], max(width-len(first), 1))
	for i := range lines {
		if i == 0 {
			lines[i] = first + lines[i]
		} else {
			lines[i] = strings.Repeat(" ", len(first)) + lines[i]
		}
	}
	return lines
}

// marker returns the mark of a list's item at the beginning of a text, such as "- " or "[12] "; "" without one.
func marker(text string) string {
	word, _, found := strings.Cut(text, " ")
	isNumber := strings.HasSuffix(word, ".") && strings.Trim(word, "0123456789") == "."
	isNote := strings.HasPrefix(word, "[") && strings.HasSuffix(word, "]")
	if found && (word == "-" || word == "*" || isNumber || isNote) {
		return word + " "
	}
	return ""
}
