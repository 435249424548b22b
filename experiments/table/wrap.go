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
func Wrap(text string, width int) (lines []string) {
	for _, part := range strings.Split(text, lineBreak) {
		line := ""
		for _, word := range words(part) {
			switch {
			case line == "":
				line = word
			case uniseg.StringWidth(line)+1+uniseg.StringWidth(word) <= width:
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
func natural(text string) (width int) {
	for _, line := range strings.Split(text, lineBreak) {
		width = max(width, uniseg.StringWidth(line))
	}
	return width
}

// least returns the width of a text's longest word.
func least(text string) (width int) {
	for _, word := range words(strings.ReplaceAll(text, lineBreak, " ")) {
		width = max(width, uniseg.StringWidth(word))
	}
	return width
}

// pad fills a line with spaces to a width, on its left side if the line belongs to the right.
func pad(line string, width int, right bool) string {
	space := strings.Repeat(" ", max(width-uniseg.StringWidth(line), 0))
	if right {
		return space + line
	}
	return line + space
}
