package baseline

import (
	"slices"

	"github.com/pkg/errors"

	"gophe/data/column"
	"gophe/data/sales"
)

// ledger is the sales of a stream, their products and customers numbered.
type ledger struct {
	sales               *sales.Sales
	lines               []line // [rows]
	products, customers int    // their numbers
	quantities          []float64
}

// line holds the facts of a sale that a rule knows before its quantity.
type line struct {
	product, customer int32
	anonymous         bool // no customer is named: it may be anyone
}

// anonymous is the item of a missing customer.
const anonymous = "<NA>"

func newLedger(s *sales.Stream) (*ledger, error) {
	if len(s.Days) != len(s.Steps) || !slices.IsSorted(s.Days) {
		return nil, errors.Errorf("baselines need a stream with a day for each step, ascending; this one has %d steps and %d days", len(s.Steps), len(s.Days))
	}
	products, err := items(s.Sales, "StockCode")
	if err != nil {
		return nil, err
	}
	customers, err := items(s.Sales, "CustomerID")
	if err != nil {
		return nil, err
	}
	l := &ledger{sales: s.Sales, lines: make([]line, s.Sales.NumRows())}
	productNumbers, distinctProducts := column.Number(products)
	customerNumbers, distinctCustomers := column.Number(customers)
	for row := range l.lines {
		l.lines[row] = line{productNumbers[row], customerNumbers[row], customers[row] == anonymous}
	}
	l.products, l.customers = len(distinctProducts), len(distinctCustomers)
	return l, nil
}

// items returns the values of a column.
func items(s *sales.Sales, name string) ([]string, error) {
	i := slices.IndexFunc(s.Categorical, func(c column.Categorical) bool { return c.Name == name })
	if i < 0 {
		return nil, errors.Errorf("baselines need the column %q", name)
	}
	return s.Categorical[i].Values, nil
}

// byDay returns all rows in the order of their days. The rows of a day stay in the order of Sales, which sorts a product's
// sales by time.
func (l *ledger) byDay() []int32 {
	keys := make([]int64, l.sales.NumRows()) // day, then row: an order that numbers alone decide is found five times as fast
	for row := range keys {
		keys[row] = int64(l.sales.Day(row))<<32 | int64(row)
	}
	slices.Sort(keys)
	rows := make([]int32, len(keys))
	for i, key := range keys {
		rows[i] = int32(key)
	}
	return rows
}

// earlier returns the quantities of a window without its padding and without its last sale; valid until the next call.
func (l *ledger) earlier(w sales.Windows, i int) []float64 {
	l.quantities = l.quantities[:0]
	for _, row := range w.Rows[i*w.Length+int(w.Padding[i]) : (i+1)*w.Length-1] {
		l.quantities = append(l.quantities, float64(l.sales.Quantities[row]))
	}
	return l.quantities
}
