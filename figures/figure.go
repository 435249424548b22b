package figures

import "gophe/figures/draw"

// Number writes a value with four significant digits, as all figures and notebooks do.
func Number(value float64) string { return draw.Number(value) }
