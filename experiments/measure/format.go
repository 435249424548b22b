package measure

import (
	"fmt"
	"math"
)

// PlusMinus formats a value with its deviation, such as "81.2 ± 0.3". It leaves the deviation out if sd is nil.
func PlusMinus(value, sd *float64, digits int) string {
	s := Optional(value, digits)
	if value != nil && sd != nil {
		s += " ± " + Optional(sd, digits)
	}
	return s
}

// unreadable is from where on a number with digits behind its point is shown as a power of ten: what diverges.
const unreadable = 1e5

// Optional formats a value, or a dash if value is nil.
func Optional(value *float64, digits int) string {
	if value == nil {
		return "–"
	}
	if digits > 0 && math.Abs(*value) >= unreadable {
		return fmt.Sprintf("%.1e", *value)
	}
	return fmt.Sprintf("%.*f", digits, *value)
}

// Signed formats a difference with its sign.
func Signed(difference float64, digits int) string {
	text := Optional(&difference, digits)
	if difference >= 0 {
		text = "+" + text
	}
	return text
}

// Or returns text, or otherwise if text is empty.
func Or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
