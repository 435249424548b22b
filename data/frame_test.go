package data

import (
	"slices"
	"testing"

	"github.com/go-gota/gota/series"
)

// A frame shows the rows that the table has, in columns of the right types.
func TestTableFrame(t *testing.T) {
	table, err := Load("mushroom", Options{})
	if err != nil {
		t.Fatal(err)
	}
	frame := table.Frame(10, 13)
	if err := frame.Error(); err != nil {
		t.Fatal(err)
	}
	if rows, columns := frame.Dims(); rows != 3 || columns != len(table.Categorical)+len(table.Numeric)+1 {
		t.Fatalf("%d rows, %d columns", rows, columns)
	}
	for _, c := range table.Categorical {
		if got := frame.Col(c.Name).Records(); !slices.Equal(got, c.Values[10:13]) {
			t.Errorf("%s: %v, want %v", c.Name, got, c.Values[10:13])
		}
	}
	for i, class := range frame.Col("class").Records() {
		if want := table.Classes[table.Labels[10+i]]; class != want {
			t.Errorf("row %d is %s, want %s", 10+i, class, want)
		}
	}
}

func TestSalesFrame(t *testing.T) {
	s := &Sales{
		Categorical: []CategoricalColumn{{"StockCode", []string{"84", "0085"}}, {"CustomerID", []string{"<NA>", "7"}}},
		Prices:      []float64{1.5, 2.25}, Quantities: []int32{3, 4}, Minutes: []int32{0, 24*60 + 61},
	}
	frame := s.Frame(1, 2)
	want := [][]string{{"StockCode", "CustomerID", "InvoiceDate", "UnitPrice", "Quantity"}, {"0085", "7", "2010-12-02 01:01", "2.250000", "4"}}
	if got := frame.Records(); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v, want %v", got, want)
	}
	if kinds := frame.Types(); !slices.Equal(kinds, []series.Type{series.String, series.String, series.String, series.Float, series.Int}) {
		t.Errorf("types %v", kinds)
	}
}

func TestRatingsFrame(t *testing.T) {
	r := &Ratings{UserIDs: []int32{11, 12}, MovieIDs: []int32{21, 22}, Users: []int32{0, 1}, Movies: []int32{1, 0},
		HalfStars: []uint8{10, 1}, Seconds: []int32{0, 86_400 + 3_661}}
	want := [][]string{{"userId", "movieId", "rating", "time"},
		{"11", "22", "5.000000", "1970-01-01 00:00:00"}, {"12", "21", "0.500000", "1970-01-02 01:01:01"}}
	if got := r.Frame(0, 2).Records(); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v, want %v", got, want)
	}
}
