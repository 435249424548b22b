package measure

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
)

// Estimate is a mean with its standard deviation.
type Estimate struct {
	Mean  *float64 // nil without a value
	SD    *float64 // nil with fewer than two values
	Seeds int      // number of values
}

// Over returns the mean of values, their standard deviation and their number.
func Over(values []float64) Estimate {
	switch m, sd := stat.MeanStdDev(values, nil); len(values) {
	case 0:
		return Estimate{}
	case 1:
		return Estimate{&m, nil, 1}
	default:
		return Estimate{&m, &sd, len(values)}
	}
}

// Text shows the estimate, such as "81.2 ± 0.3". It is a dash without a mean.
func (e Estimate) Text(digits int) string {
	text := Optional(e.Mean, digits)
	if e.Mean != nil && e.SD != nil {
		text += " ± " + Optional(e.SD, digits)
	}
	return text
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
