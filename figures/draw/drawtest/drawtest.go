// Package drawtest reads pictures in tests: by the text of their points, not by their pixels.
package drawtest

import (
	"strings"
	"testing"

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

// Has fails a test for each text that no mark has.
func Has(t testing.TB, marks map[string]draw.Mark, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if _, ok := marks[text]; !ok {
			t.Errorf("no mark %q in %v", text, marks)
		}
	}
}

// Count returns the number of marks whose texts begin with a prefix.
func Count(fig *draw.Figure, prefix string) (n int) {
	for _, m := range fig.Marks(most) {
		if strings.HasPrefix(m.Text, prefix) {
			n++
		}
	}
	return n
}
