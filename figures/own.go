package figures

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// NewPlot returns an empty plot with the look of all figures, for a plot of your own.
func NewPlot(xLabel, yLabel string) *plot.Plot {
	p := plot.New()
	house(p)
	p.X.Label.Text, p.Y.Label.Text = xLabel, yLabel
	p.Title.TextStyle.Font = sans(8)
	p.Legend.TextStyle.Font = sans(7)
	p.Legend.Padding = vg.Points(1)
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(-4), vg.Points(-3) // for the upper right corner
	p.Legend.ThumbnailWidth = vg.Points(16)
	return p
}

// Color returns a method's colour in all figures. Every other name has a colour too.
func Color(method string) color.NRGBA {
	l, _ := new(palette).look(method, false)
	return l.color
}

// PowerTicks returns ticks for an axis of decimal logarithms in a plot of your own. Powers of ten have labels.
func PowerTicks() plot.Ticker { return plot.TickerFunc(powerTicks) }
