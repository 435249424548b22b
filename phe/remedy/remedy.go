// Package remedy gives an error the name of a remedy. A program that knows the name adds to the error how to apply it: a command names its
// flag.
package remedy

import (
	"fmt"

	"github.com/pkg/errors"
)

// named is an error with the name of a remedy.
type named struct {
	error
	remedy string
}

// Unwrap returns the error without the name.
func (e named) Unwrap() error { return e.error }

// Format formats the error without the name, with its stack for %+v.
func (e named) Format(s fmt.State, verb rune) { fmt.Fprintf(s, fmt.FormatString(s, verb), e.error) }

// HowRead ends errors and notices about a value, whether it comes from a file, a stream or a request.
const HowRead = "docs/values.md says how values are read"

// With returns err with the name of a remedy. It returns nil for nil.
func With(remedy string, err error) error {
	if err == nil {
		return nil
	}
	return named{err, remedy}
}

// Errorf returns an error with the name of a remedy.
func Errorf(remedy, format string, args ...any) error {
	return named{errors.Errorf(format, args...), remedy}
}

// Of returns the name of the remedy of an error; "" if it has none.
func Of(err error) string {
	var e named
	if errors.As(err, &e) {
		return e.remedy
	}
	return ""
}
