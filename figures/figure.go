package figures

import "gophe/figures/draw"

// Figure is a picture with a caption below. Its method Save draws it.
type Figure = draw.Figure

// Number writes a value with four significant digits, as all figures and notebooks do.
func Number(value float64) string { return draw.Number(value) }
