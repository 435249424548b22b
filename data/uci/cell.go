package uci

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// cellDefect returns the end of a sentence that says what is wrong with a cell, or "".
func (d Declaration) cellDefect(k Kind, text string) string {
	switch {
	case k == Indicator:
		if text != "0" && text != "1" {
			return "is neither 0 nor 1"
		}
	case k == Numeric && !isNumber(text):
		return "is not a number such as 17 or -0.5, of size 1e-15 to 1e15"
	case k == Label && !slices.Contains(d.Classes, text):
		return "is none of the classes " + strings.Join(d.Classes, ", ")
	case k == Categorical && text == "" && d.Missing == "":
		return "is no value"
	case k == Categorical && text == "":
		return fmt.Sprintf("is no value; a missing one is written %q", d.Missing)
	case k == count && !isCount(text):
		return "is not a whole number such as 17 or -5, of 32 bits"
	case k == moment && !isMoment(text):
		return "is not a time such as 2010-12-01 08:26:00, with seconds 00, of the years 2000 to 2099"
	case (k == Categorical || k == Optional) && !utf8.ValidString(text):
		return "is not UTF-8" // its token would have another hash in Python
	}
	return ""
}

// isNumber reports whether text is a number in JSON's grammar, and 0 or of size 1e-15 to 1e15. The quotient by the column's
// maximum then is finite even in float32. ParseFloat alone accepts too much: "007" (probably an identifier), "NaN", "0x10".
func isNumber(text string) bool {
	if !json.Valid([]byte(text)) {
		return false
	}
	v, err := strconv.ParseFloat(text, 64)
	size := math.Abs(v)
	return err == nil && (v == 0 || size >= 1e-15 && size <= 1e15)
}

// isCount reports whether text is an integer of 32 bits, spelled as Go spells it.
func isCount(text string) bool {
	v, err := strconv.ParseInt(text, 10, 32)
	return err == nil && strconv.FormatInt(v, 10) == text
}

// isMoment reports whether text is a time in momentLayout. The limits on years keep minutes and days well inside their integers.
func isMoment(text string) bool {
	v, err := time.Parse(momentLayout, text)
	return err == nil && v.Format(momentLayout) == text && v.Second() == 0 && v.Year() >= 2000 && v.Year() < 2100
}
