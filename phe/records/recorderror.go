package records

import (
	"fmt"
	"strings"

	"github.com/pkg/errors"
)

// RecordError describes a bad record: its place, its fault and a remedy. Read can be called again, and returns the record after it.
type RecordError struct {
	File    string
	Line    int64  // line of the text, from 1; 0 if the format has no lines
	Record  int64  // number of the record, from 1; 0 for names in the header
	Column  string // name of the column, or the number of the byte in a line of JSON; "" if the whole record is bad
	Problem string
	Remedy  string
}

// SkipBad returns a read that passes over the bad records of another one.
func SkipBad(read func() ([]string, error)) func() ([]string, error) {
	return func() ([]string, error) {
		for {
			record, err := read()
			if !errors.As(err, new(*RecordError)) {
				return record, err
			}
		}
	}
}

// Error returns one line, such as "sales.csv, line 12, column price: a quote stands inside a field; double it".
func (e *RecordError) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	switch {
	case e.Line > 0:
		fmt.Fprintf(&b, ", line %d", e.Line)
	case e.Record > 0:
		fmt.Fprintf(&b, ", record %d", e.Record)
	}
	if e.Column != "" {
		b.WriteString(", column " + e.Column)
	}
	b.WriteString(": " + e.Problem)
	if e.Remedy != "" {
		b.WriteString("; " + e.Remedy)
	}
	return b.String()
}
