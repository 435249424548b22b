package figures

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// NewPlot is an empty plot with the look of all figures, for one of your own.
func NewPlot(xLabel, yLabel string) *plot.Plot {
	p := plot.New()
	house(p)
	p.X.Label.Text, p.Y.Label.Text = xLabel, yLabel
	p.Title.TextStyle.Font = sans(8)
	p.Legend.TextStyle.Font = sans(7)
	p.Legend.Padding = vg.Points(1)
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(-4), vg.Points(-3) // for the right upper corner
	p.Legend.ThumbnailWidth = vg.Points(16)
	return p
}

// Color is a method's in all figures; every other name has one too.
func Color(method string) color.NRGBA {
	l, _ := new(palette).look(method, false)
	return l.color
}

// PowerTicks are for an axis of a plot of your own that shows decimal logarithms: labels at powers of ten.
func PowerTicks() plot.Ticker { return plot.TickerFunc(powerTicks) }
