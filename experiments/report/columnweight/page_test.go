// Package columnweight measures two kinds of tables that a person wrote into pages. One shows the rule by which the paper chooses the
// column whose vocabulary changes (Supp. G.3): "we first use one-hot encodings to represent categorical items, and then fit a logistic
// regression model". The column with large weights is taken. The others show how well a column tells the items of another one.
package columnweight

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gophe/data"
	columns "gophe/data/column"
	"gophe/data/files"
	"gophe/data/labelled"
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

// The shares of the page are those of the tables. The large tables are measured in the long tests, and MovieLens where its files are there.
func TestTellsIsMeasured(t *testing.T) {
	for _, of := range []struct {
		dataset string
		items   []string // the columns of items that keep coming
	}{{"retail-12", []string{"StockCode", "CustomerID"}}, {"ml-4", []string{"movieId", "userId"}}, {"drawn", []string{"product", "user"}}} {
		if of.dataset != "drawn" && !filetest.Long() {
			continue
		}
		table, err := data.OpenTable(of.dataset, files.Options{})
		if errors.Is(err, fs.ErrNotExist) {
			t.Logf("%s is not measured: %v", of.dataset, err)
			continue
		}
		filetest.Check(t, err)
		rows := pageRows(t, "late-items.md", "column | tells "+of.items[0])
		if len(rows) != len(table.Categorical)+1 {
			t.Errorf("%s: %d rows of the page, and %d columns", of.dataset, len(rows), len(table.Categorical))
		}
		for column := -1; column < len(table.Categorical); column++ {
			row := []string{"none: always the most frequent"}
			if column >= 0 {
				row[0] = table.Categorical[column].Name
			}
			for _, item := range of.items {
				share := "–" // a column does not tell itself
				if item != row[0] {
					share = fmt.Sprintf("%.1f", 100*tells(table, column, slices.IndexFunc(table.Categorical,
						func(c columns.Categorical) bool { return c.Name == item })))
				}
				row = append(row, share)
			}
			wantRow(t, rows, row, 0)
		}
	}
}

// tells returns how well one categorical column of a table tells another one's item: the share of rows that have the most frequent item of
// those rows that share the first column's item. It is 1 where the first column repeats the second. Columns are indices into Categorical;
// with a negative first column it is the share of the most frequent item.
func tells(t *labelled.Table, column, about int) float64 {
	counts := map[[2]string]int{}
	most := map[string]int{}
	for row, item := range t.Categorical[about].Values {
		given := ""
		if column >= 0 {
			given = t.Categorical[column].Values[row]
		}
		pair := [2]string{given, item}
		counts[pair]++
		most[given] = max(most[given], counts[pair])
	}
	right := 0
	for _, n := range most {
		right += n
	}
	return float64(right) / float64(t.NumRows())
}

// A column tells itself, and a constant tells no more than the most frequent item.
func TestTells(t *testing.T) {
	table := &labelled.Table{Labels: make([]int32, 4)}
	for _, values := range []string{"aabc", "1112", "xxxx"} {
		table.Categorical = append(table.Categorical, columns.Categorical{Values: strings.Split(values, "")})
	}
	for _, c := range []struct {
		column, about int
		want          float64
	}{{0, 0, 1}, {0, 1, 1}, {1, 0, 0.75}, {2, 0, 0.5}, {-1, 0, 0.5}} {
		if got := tells(table, c.column, c.about); got != c.want {
			t.Errorf("column %d tells column %d in %v of the rows, want %v", c.column, c.about, got, c.want)
		}
	}
}
