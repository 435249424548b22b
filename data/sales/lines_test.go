package sales

import (
	"slices"
	"testing"

	"gophe/data/column"
	"gophe/data/datatest"
	"gophe/phe/disk/filetest"
)

// Lines come in the order of time and then of the file, and say hour, weekday, bin of the price and class.
func TestLines(t *testing.T) {
	s := &Sales{Name: "toy", Incremental: 0, Prices: []float64{1, 3, -1}, Quantities: []int32{12, 11, 500}, Minutes: []int32{26 * 60, 9 * 60, 26 * 60}, Places: []int32{2, 1, 0},
		Categorical: []column.Categorical{{Name: "StockCode", Values: []string{"a", "b", "c"}}, {Name: "CustomerID", Values: []string{"1", "<NA>", "2"}}, {Name: "Country", Values: []string{"x", "x", "x"}}}}
	table := s.Lines("retail-12")
	want := map[string][]string{"StockCode": {"b", "c", "a"}, "CustomerID": {"<NA>", "2", "1"}, "hour": {"9", "2", "2"},
		"weekday": {"Wednesday", "Thursday", "Thursday"}, "price": {"8", "-4", "4"}}
	if len(table.Categorical) != len(want) || table.Categorical[table.Incremental].Name != "StockCode" || !slices.Equal(table.Labels, []int32{0, 1, 1}) {
		t.Errorf("%d columns, incremental %d, labels %v", len(table.Categorical), table.Incremental, table.Labels)
	}
	for _, c := range table.Categorical {
		filetest.WantEqual(t, c.Values, want[c.Name], "%s", c.Name)
	}
}

// The lines of the committed file are those of the study: a quarter sells 12 pieces or more.
func TestLinesOfRetail(t *testing.T) {
	table := loadedSales(t).Lines("retail-12")
	many := datatest.Counts(table.Labels)[1]
	if table.NumRows() != 531285 || many != 131675 || !table.Verified {
		t.Errorf("%d lines, %d of them of 12 pieces or more, verified %t", table.NumRows(), many, table.Verified)
	}
}
