// Package fieldpath gives errors of a configuration the path of the field that is wrong, so that a program can point at it.
package fieldpath

import (
	"fmt"
	"slices"

	"github.com/pkg/errors"
)

// fieldError is an error of one field.
type fieldError struct {
	path string
	error
}

// Unwrap returns the error without the path.
func (e fieldError) Unwrap() error { return e.error }

// Errorf returns an error of a field. The path has the JSON names from the outermost field on, separated by dots.
func Errorf(path, format string, args ...any) error {
	return fieldError{path, errors.Errorf(format, args...)}
}

// In returns err with the name of the field that holds the configuration in front of its path. It returns nil for nil.
func In(outer string, err error) error {
	if err == nil {
		return nil
	}
	if path := Path(err); path != "" {
		outer += "." + path
	}
	return fieldError{outer, err}
}

// Path returns the path of the field that err is about; "" if it names none.
func Path(err error) string {
	var e fieldError
	if errors.As(err, &e) {
		return e.path
	}
	return ""
}

// OneOf returns an error of a field whose value is none of the choices, and lists them. There are at least two.
func OneOf[T ~string](name string, value T, choices ...T) error {
	if slices.Contains(choices, value) {
		return nil
	}
	list := fmt.Sprintf("%q", choices[0])
	for _, c := range choices[1 : len(choices)-1] {
		list += fmt.Sprintf(", %q", c)
	}
	return Errorf(name, "%s is %q; choose %s or %q", name, value, list, choices[len(choices)-1])
}

// First returns the first of some names whose field is given; the first name if none is.
func First(names []string, given ...bool) string { return names[max(0, slices.Index(given, true))] }
