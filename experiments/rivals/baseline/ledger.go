package baseline

import (
	"slices"

	"gophe/data/column"
	"gophe/data/sales"
)

// ledger is the sales of a stream, their products and customers numbered.
type ledger struct {
	sales               *sales.Sales
	windows             sales.Windows
	lines               []line  // [rows]
	byDay               []int32 // rows; those of a day stay in the order of Sales, which sorts a product's sales by time
	products, customers int     // their numbers
	quantities          []float64
}

// line holds the facts of a sale that a rule knows before its quantity.
type line struct {
	product, customer int32
	anonymous         bool // no customer is named: it may be anyone
}

// anonymous is the item of a missing customer.
const anonymous = "<NA>"

// newLedger reads the first two columns of the sales, StockCode and CustomerID.
func newLedger(s *sales.Stream) *ledger {
	customers := s.Sales.Categorical[1].Values
	productNumbers, distinctProducts := column.Number(s.Sales.Categorical[0].Values)
	customerNumbers, distinctCustomers := column.Number(customers)
	l := &ledger{sales: s.Sales, windows: s.Windows, products: len(distinctProducts), customers: len(distinctCustomers)}
	keys := make([]int64, s.Sales.NumRows()) // day, then row: an order that numbers alone decide is found five times as fast
	for row := range keys {
		l.lines = append(l.lines, line{productNumbers[row], customerNumbers[row], customers[row] == anonymous})
		keys[row] = int64(s.Sales.Day(row))<<32 | int64(row)
	}
	slices.Sort(keys)
	for _, key := range keys {
		l.byDay = append(l.byDay, int32(key))
	}
	return l
}

// earlier returns the quantities of a window without its padding and without its last sale; valid until the next call.
func (l *ledger) earlier(i int) []float64 {
	w := l.windows
	l.quantities = l.quantities[:0]
	for _, row := range w.Rows[i*w.Length+int(w.Padding[i]) : (i+1)*w.Length-1] {
		l.quantities = append(l.quantities, float64(l.sales.Quantities[row]))
	}
	return l.quantities
}
