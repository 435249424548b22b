package experiments

import (
	"fmt"
	"math"
)

func plusMinus(value, sd *float64, digits int) string {
	s := optional(value, digits)
	if value != nil && sd != nil {
		s += " ± " + optional(sd, digits)
	}
	return s
}

// unreadable is from where on a number with digits behind its point is shown as a power of ten: what diverges.
const unreadable = 1e5

func optional(value *float64, digits int) string {
	if value == nil {
		return "–"
	}
	if digits > 0 && math.Abs(*value) >= unreadable {
		return fmt.Sprintf("%.1e", *value)
	}
	return fmt.Sprintf("%.*f", digits, *value)
}

func signed(difference float64, digits int) string {
	text := optional(&difference, digits)
	if difference >= 0 {
		text = "+" + text
	}
	return text
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
