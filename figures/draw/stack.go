package draw

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Stack is a column of contents, the first on top.
type Stack []Storey

// Storey is a content and its height.
type Storey struct {
	Content
	Height vg.Length
}

// Figure returns the column as a figure with a caption, as wide as a page.
func (s Stack) Figure(caption string) *Figure { return newFigure(s, pageWidth, s.height(), caption) }

func (s Stack) height() vg.Length {
	total := vg.Length(0)
	for _, part := range s {
		total += part.Height
	}
	return total
}

// Draw gives every content its share of the canvas.
func (s Stack) Draw(c draw.Canvas) ([]Mark, error) {
	unit := (c.Max.Y - c.Min.Y) / s.height()
	top := c.Max.Y
	var marks []Mark
	for _, part := range s {
		below := top - unit*part.Height
		drawn, err := part.Content.Draw(draw.Crop(c, 0, 0, below-c.Min.Y, top-c.Max.Y))
		if err != nil {
			return nil, err
		}
		marks = append(marks, drawn...)
		top = below
	}
	return marks, nil
}
