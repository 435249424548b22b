package figures

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// stack is a column of contents, the first on top.
type stack []storey

// storey is a content and its height.
type storey struct {
	content
	height vg.Length
}

func (s stack) height() vg.Length {
	total := vg.Length(0)
	for _, part := range s {
		total += part.height
	}
	return total
}

// draw gives every content its share of the canvas.
func (s stack) draw(c draw.Canvas) error {
	unit := (c.Max.Y - c.Min.Y) / s.height()
	top := c.Max.Y
	for _, part := range s {
		below := top - unit*part.height
		if err := part.content.draw(draw.Crop(c, 0, 0, below-c.Min.Y, top-c.Max.Y)); err != nil {
			return err
		}
		top = below
	}
	return nil
}
