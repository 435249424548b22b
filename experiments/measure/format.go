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

// unreadable is the size from which a number with decimals is shown as a power of ten. Only what diverges is as large.
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
