package table

import (
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/pkg/errors"
	"golang.org/x/term"
)

// screen writes to a terminal so that text from data or names can do nothing there.
type screen struct {
	terminal *os.File
	mu       sync.Mutex
	rest     []byte // the beginning of a letter
}

// Screen returns a writer to a file. If that is a terminal, control characters except tabs and line ends are shown, such as \x1b.
func Screen(file *os.File) io.Writer {
	if Terminal(file) == nil {
		return file
	}
	return &screen{terminal: file}
}

// Terminal returns the terminal that w writes to, or nil. The program's own control sequences go there.
func Terminal(w io.Writer) *os.File {
	if s, ok := w.(*screen); ok {
		return s.terminal
	}
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return file
	}
	return nil
}

// Write implements io.Writer.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := append(s.rest, p...)
	last := max(0, len(text)-1)
	for last > max(0, len(text)-utf8.UTFMax) && !utf8.RuneStart(text[last]) {
		last--
	}
	if utf8.FullRune(text[last:]) {
		last = len(text)
	}
	s.rest = text[last:]
	if _, err := io.WriteString(s.terminal, visible(string(text[:last]), "\n\t")); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Shown returns a name for a cell or a line of its own in w. On a terminal, all its control characters are visible.
func Shown(w io.Writer, name string) string {
	if Terminal(w) == nil {
		return name
	}
	return visible(name, "")
}

// hidden matches control characters, marks that turn the direction of text, other invisible letters, and bytes that are not UTF-8.
var hidden = regexp.MustCompile(`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\x{FFFD}]`)

// visible writes hidden letters as Go does, except a few and the joiners inside words and emoji.
func visible(text, except string) string {
	return hidden.ReplaceAllStringFunc(text, func(letter string) string {
		if strings.Contains(except, letter) || letter == "\u200c" || letter == "\u200d" {
			return letter
		}
		return strings.Trim(strconv.Quote(letter), `"`)
	})
}

// Print writes the page. A terminal gets it with aligned tables and with lines wrapped to the terminal's width. A pipe or a file gets
// Markdown.
func (p Page) Print(w io.Writer) error {
	text := p.String()
	if width, ok := Width(w); ok {
		text = p.render(width)
	}
	_, err := io.WriteString(w, text)
	return errors.Wrap(err, "printing")
}

// Width returns the number of columns of the terminal that w writes to. It returns false if w is no terminal.
func Width(w io.Writer) (int, bool) {
	f := Terminal(w)
	if f == nil {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 1 {
		width = 80
	}
	return width, true
}

// minText is the least number of columns that are filled with text, however narrow the terminal.
const minText = 20

// Hang returns a text that begins at a column of a line. On a terminal it wraps the text, and its lines begin at the same column.
func Hang(w io.Writer, column int, text string) string {
	if width, ok := Width(w); ok {
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
