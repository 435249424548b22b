package sales

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"

	"gophe/data/column"
	"gophe/data/labelled"
	"gophe/data/splits"
)

// manyPieces is the quantity from which a sale is of the second class of Lines.
const manyPieces = 12

// Lines returns the sales as a table in the order of time, whose items keep coming: does a line of an invoice sell 12 pieces or more?
// The columns are StockCode, which is incremental, CustomerID, hour, weekday and price. A price is the item ⌊4 log₂(1 + price)⌋.
//
// Description, InvoiceNo and Country are in no line, since a description repeats its code. All sales without a customer have the
// customer "<NA>".
func (s *Sales) Lines(name string) *labelled.Table {
	order := splits.Span{End: s.NumRows()}.Rows()
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.Minutes[a], s.Minutes[b]), cmp.Compare(s.Places[a], s.Places[b]))
	})
	t := &labelled.Table{Name: name, Classes: []string{"fewer than 12", "12 or more"}, Labels: make([]int32, len(order)),
		Incremental: s.Incremental, SHA256: s.SHA256, Verified: s.Verified, Path: s.Path}
	for _, c := range s.Categorical[:2] { // without Country
		t.Categorical = append(t.Categorical, column.Categorical{Name: c.Name, Values: column.InOrder(c.Values, order)})
	}
	hours, days, prices := make([]string, len(order)), make([]string, len(order)), make([]string, len(order))
	for i, row := range order {
		at := Start.Add(time.Duration(s.Minutes[row]) * time.Minute)
		price := s.Prices[row]
		bin := int(math.Copysign(math.Floor(4*math.Log2(1+math.Abs(price))), price))
		hours[i], days[i], prices[i] = strconv.Itoa(at.Hour()), at.Weekday().String(), strconv.Itoa(bin)
		if s.Quantities[row] >= manyPieces {
			t.Labels[i] = 1
		}
	}
	t.Categorical = append(t.Categorical, column.Categorical{Name: "hour", Values: hours},
		column.Categorical{Name: "weekday", Values: days}, column.Categorical{Name: "price", Values: prices})
	return t
}
