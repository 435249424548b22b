package data

import (
	"encoding/csv"

	"github.com/pkg/errors"
)

// atPosition rewrites an error of encoding/csv so that it begins with file:line:column.
func atPosition(path string, err error) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return errors.Wrap(err, path)
	}
	return errors.Wrapf(parse.Err, "%s:%d:%d: in the row that starts on line %d", path, parse.Line, parse.Column, parse.StartLine)
}

// clip shortens text that an error quotes, so that a binary file does not flood the terminal.
func clip(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
}
