package sales

import (
	"slices"
	"testing"

	"github.com/go-gota/gota/series"

	"gophe/data/column"
)

func TestFrame(t *testing.T) {
	s := &Sales{
		Categorical: []column.Categorical{{Name: "StockCode", Values: []string{"84", "0085"}}, {Name: "CustomerID", Values: []string{"<NA>", "7"}}},
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
