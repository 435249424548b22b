// Package columnweight measures two kinds of tables that a person wrote into pages. One shows the rule by which the paper chooses the
// column whose vocabulary changes (Supp. G.3): "we first use one-hot encodings to represent categorical items, and then fit a logistic
// regression model". The column with large weights is taken. The others show how well a column tells the items of another one.
package columnweight

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// pageRows returns the rows of the table of a page whose header begins with some words. Each row is a list of its cells.
func pageRows(t *testing.T, page, header string) (rows [][]string) {
	t.Helper()
	text := string(filetest.Must(os.ReadFile(filepath.Join("..", "pages", page)))(t))
	_, table, found := strings.Cut(text, "\n| "+header)
	if !found {
		t.Fatalf("%s has no table %q", page, header)
	}
	table, _, _ = strings.Cut(table, "\n\n")
	for _, line := range strings.Split(table, "\n")[2:] {
		rows = append(rows, strings.Split(strings.Trim(line, "| "), " | "))
	}
	return rows
}

// wantRow fails unless a table has a row. The last digits of a fit differ between processors, so numbers may be apart a little.
func wantRow(t *testing.T, rows [][]string, want []string, apart float64) {
	t.Helper()
	same := func(a, b string) bool {
		x, errX := strconv.ParseFloat(a, 64)
		y, errY := strconv.ParseFloat(b, 64)
		return a == b || errX == nil && errY == nil && math.Abs(x-y) <= apart
	}
	if !slices.ContainsFunc(rows, func(row []string) bool { return slices.EqualFunc(row, want, same) }) {
		t.Errorf("the page has no row %q", want)
	}
}
