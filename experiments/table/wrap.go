package table

import (
	"strings"

	"github.com/rivo/uniseg"
)

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
func width(text string) int { return uniseg.StringWidth(visible(text, "")) }

// pad shows a line's control characters and fills it with spaces to a width, on its left side if the line belongs to the right.
func pad(line string, columns int, right bool) string {
	line = visible(line, "")
	space := strings.Repeat(" ", max(columns-width(line), 0))
	if right {
		return space + line
	}
	return line + space
}
