package draw

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// stack is a column of contents, the first on top.
type stack []storey

// storey is a content and its height.
type storey struct {
	Content
	height vg.Length
}

func (s stack) height() vg.Length {
	total := vg.Length(0)
	for _, part := range s {
		total += part.height
	}
	return total
}

// Draw gives every content its share of the canvas.
func (s stack) Draw(c draw.Canvas) ([]Mark, error) {
	unit := (c.Max.Y - c.Min.Y) / s.height()
	top := c.Max.Y
	var marks []Mark
	for _, part := range s {
		below := top - unit*part.height
		drawn, err := part.Content.Draw(draw.Crop(c, 0, 0, below-c.Min.Y, top-c.Max.Y))
		if err != nil {
			return nil, err
		}
		marks = append(marks, drawn...)
		top = below
	}
	return marks, nil
}
