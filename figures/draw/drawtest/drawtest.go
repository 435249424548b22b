// Package drawtest reads pictures in tests: by the text of their points, not by their pixels.
package drawtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gophe/figures/draw"
	"gophe/phe/disk/filetest"
)

// dpi is the number of dots per inch of pictures that are kept, as in notebooks.
const dpi = 150

// Keep writes a picture as NAME.png if GOPHE_PAGE_PICTURES names a folder, to be looked at.
func Keep(t testing.TB, fig *draw.Figure, name string) {
	t.Helper()
	folder := os.Getenv("GOPHE_PAGE_PICTURES")
	if folder == "" {
		return
	}
	filetest.Check(t, os.WriteFile(filepath.Join(folder, name+".png"), filetest.Must(fig.PNG(dpi))(t), 0o644))
}

// BySeries returns the marks of a picture by the name of their series: the text before the first comma. It keeps the picture under
// the name.
func BySeries(t testing.TB, fig *draw.Figure, name string) map[string][]draw.Mark {
	t.Helper()
	Keep(t, fig, name)
	by := map[string][]draw.Mark{}
	for _, m := range filetest.Must(fig.Marks())(t) {
		series, _, _ := strings.Cut(m.Text, ", ")
		by[series] = append(by[series], m)
	}
	return by
}

// ByText returns the marks of a picture by their whole text. It keeps the picture under the name.
func ByText(t testing.TB, fig *draw.Figure, name string) map[string]draw.Mark {
	t.Helper()
	Keep(t, fig, name)
	by := map[string]draw.Mark{}
	for _, m := range filetest.Must(fig.Marks())(t) {
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

// Counts returns the number of marks whose texts begin with each of the prefixes.
func Counts(t testing.TB, fig *draw.Figure, prefixes ...string) []int {
	t.Helper()
	counts := make([]int, len(prefixes))
	for _, m := range filetest.Must(fig.Marks())(t) {
		for i, prefix := range prefixes {
			if strings.HasPrefix(m.Text, prefix) {
				counts[i]++
			}
		}
	}
	return counts
}
