package files

import (
	"encoding/csv"

	"github.com/pkg/errors"
)

// AtPosition rewrites an error of encoding/csv so that it begins with file:line:column.
func AtPosition(path string, err error) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return errors.Wrap(err, path)
	}
	return errors.Wrapf(parse.Err, "%s:%d:%d: in the row that starts on line %d", path, parse.Line, parse.Column, parse.StartLine)
}

// Clip shortens text that an error quotes, so that a binary file does not flood the terminal.
func Clip(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
}
