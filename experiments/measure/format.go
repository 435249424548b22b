package measure

import (
	"fmt"
	"math"
)

func PlusMinus(value, sd *float64, digits int) string {
	s := Optional(value, digits)
	if value != nil && sd != nil {
		s += " ± " + Optional(sd, digits)
	}
	return s
}

// unreadable is from where on a number with digits behind its point is shown as a power of ten: what diverges.
const unreadable = 1e5

func Optional(value *float64, digits int) string {
	if value == nil {
		return "–"
	}
	if digits > 0 && math.Abs(*value) >= unreadable {
		return fmt.Sprintf("%.1e", *value)
	}
	return fmt.Sprintf("%.*f", digits, *value)
}

func Signed(difference float64, digits int) string {
	text := Optional(&difference, digits)
	if difference >= 0 {
		text = "+" + text
	}
	return text
}

func Or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
