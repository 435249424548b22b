// Package terminal writes to a terminal: text whose control characters are shown and do nothing, and a line of progress.
package terminal

import (
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"
)

// screen writes to a terminal. Control characters of data or names do nothing there.
type screen struct {
	terminal *os.File
	mu       sync.Mutex
	rest     []byte // first bytes of a letter that is not complete
}

// Screen returns a writer to a file. If that is a terminal, control characters except tabs and line ends are shown, such as \x1b.
func Screen(file *os.File) io.Writer {
	if Of(file) == nil {
		return file
	}
	return &screen{terminal: file}
}

// Of returns the terminal that w writes to, or nil. The program's own control sequences go there.
func Of(w io.Writer) *os.File {
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
	if Of(w) == nil {
		return name
	}
	return Visible(name)
}

// Visible returns a text with all control characters shown, such as \x1b.
func Visible(text string) string { return visible(text, "") }

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

// Width returns the number of columns of the terminal that w writes to. It returns false if w is no terminal.
func Width(w io.Writer) (int, bool) {
	f := Of(w)
	if f == nil {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 1 {
		width = 80
	}
	return width, true
}
