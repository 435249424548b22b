package report

import (
	"io"
	"slices"
	"strconv"
	"testing"

	"gophe/experiments/measure"
	"gophe/experiments/result/fixture"
	"gophe/phe/disk/filetest"
)

// Retail's vocabulary, counted in its file: the items of StockCode, CustomerID (a missing one is an item too) and Country in
// rows that sell something.
func TestRetailVocabulary(t *testing.T) {
	rows := fixture.Retail(t)
	header := filetest.Must(rows.Read())(t)
	column := func(name string) int { return slices.Index(header, name) }
	quantity, columns := column("Quantity"), []int{column("StockCode"), column("CustomerID"), column("Country")}
	items := make([]map[string]bool, len(columns))
	for i := range items {
		items[i] = map[string]bool{}
	}
	for row, err := rows.Read(); err != io.EOF; row, err = rows.Read() {
		filetest.Check(t, err)
		if filetest.Must(strconv.Atoi(row[quantity]))(t) <= 0 {
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

// Table 4, and the ratio that Table 1 has too, come from the formulas 2·(B·d + P·K) and 2·V·d, and from nothing else.
func TestComputedSizes(t *testing.T) {
	retail, pee := 2.*(109*20+109*3), 2.*8319*20
	ml, mlpee := 2.*(10009*20+10009*3), 2.*(200948+87585)*20
	want := map[string]float64{
		"Table 4 retail PHE": retail, "Table 4 retail P-EE": pee, "Table 4 retail PHE / P-EE": retail / pee, "Table 1 retail PHE / P-EE": retail / pee,
		"Table 4 ml-32m PHE": ml, "Table 4 ml-32m P-EE": mlpee, "Table 4 ml-32m PHE / P-EE": ml / mlpee, "Table 1 ml-32m PHE / P-EE": ml / mlpee,
	}
	cells := computedSizes()
	if len(cells) != len(want) {
		t.Fatalf("%d cells", len(cells))
	}
	for _, c := range cells {
		if *c.Measured != want[c.Item+" "+c.Dataset+" "+c.Method] || c.outcome() != comesOut || c.Seeds != 0 || c.Spec != "" || c.Metric == measure.Parameters && *c.Paper != *c.Measured {
			t.Errorf("%s %s %s: %v beside the paper's %v: %s", c.Item, c.Dataset, c.Method, *c.Measured, *c.Paper, c.outcome())
		}
	}
}
