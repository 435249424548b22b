// Package drawtest reads pictures in tests: by the text of their points, not by their pixels.
package drawtest

import (
	"strings"

	"gophe/figures/draw"
)

// most is the number of marks that a test reads.
const most = 400

// BySeries returns the marks of a picture by the name of their series: the text before the first comma.
func BySeries(fig *draw.Figure) map[string][]draw.Mark {
	by := map[string][]draw.Mark{}
	for _, m := range fig.Marks(most) {
		series, _, _ := strings.Cut(m.Text, ", ")
		by[series] = append(by[series], m)
	}
	return by
}

// ByText returns the marks of a picture by their whole text.
func ByText(fig *draw.Figure) map[string]draw.Mark {
	by := map[string]draw.Mark{}
	for _, m := range fig.Marks(most) {
		by[m.Text] = m
	}
	return by
}
