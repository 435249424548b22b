package experiments

import (
	"compress/gzip"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// Retail's vocabulary, counted in its file: the items of StockCode, CustomerID (a missing one is an item too) and Country in
// rows that sell something.
func TestRetailVocabulary(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "data", "uci", "retail.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	rows := csv.NewReader(z)
	rows.ReuseRecord = true
	header, err := rows.Read()
	if err != nil {
		t.Fatal(err)
	}
	column := func(name string) int { return slices.Index(header, name) }
	quantity, columns := column("Quantity"), []int{column("StockCode"), column("CustomerID"), column("Country")}
	items := make([]map[string]bool, len(columns))
	for i := range items {
		items[i] = map[string]bool{}
	}
	for {
		row, err := rows.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if n, err := strconv.Atoi(row[quantity]); err != nil {
			t.Fatal(err)
		} else if n <= 0 {
			continue
		}
		for i, c := range columns {
			items[i][row[c]] = true
		}
	}
	if !items[1][""] {
		t.Error("no row lacks its CustomerID")
	}
	got := []int{len(items[0]), len(items[1]), len(items[2])}
	if !slices.Equal(got, []int{3941, 4340, 38}) || got[0]+got[1]+got[2] != 8319 || sizings[0].vocabulary != 8319 {
		t.Errorf("%d items of StockCode, CustomerID and Country; sizings has %d in all", got, sizings[0].vocabulary)
	}
}

// Table 4 comes from the formula 2·(B·d + P·K) or 2·V·d, and from nothing else.
func TestComputedSizes(t *testing.T) {
	cells := computedSizes()
	if len(cells) != 4 {
		t.Fatalf("%d cells", len(cells))
	}
	for i, want := range []float64{2 * (109*20 + 109*3), 2 * 8319 * 20, 2 * (10009*20 + 10009*3), 2 * (200948 + 87585) * 20} {
		c := cells[i]
		if *c.Measured != want || *c.Paper != want || c.Seeds != 0 || c.Spec != "" || c.Metric != Parameters {
			t.Errorf("%s %s: %v beside the paper's %v, want %v", c.Dataset, c.Method, *c.Measured, *c.Paper, want)
		}
	}
}
