package data

import (
	"cmp"
	"slices"
	"time"

	"github.com/go-gota/gota/dataframe"
	"github.com/pkg/errors"
)

// salesColumns builds Sales from blocks of rows, in the order of the file.
type salesColumns struct {
	sales    *Sales
	interned []map[string]string // distinct values of each categorical column
	expected int                 // number of rows of the declared file
}

func newSalesColumns(d declaration) *salesColumns {
	c := &salesColumns{sales: &Sales{Name: d.name}, expected: d.completeRows}
	for _, k := range d.kept() {
		if k.kind == categorical || k.kind == optional {
			if k.name == d.incremental {
				c.sales.Incremental = len(c.sales.Categorical)
			}
			c.sales.Categorical = append(c.sales.Categorical, CategoricalColumn{Name: k.name})
			c.interned = append(c.interned, make(map[string]string))
		}
	}
	return c
}

// add appends a block of the kept columns and copies all that it keeps.
func (c *salesColumns) add(frame dataframe.DataFrame) error {
	s := c.sales
	if frame.Nrow() == blockRows && s.NumRows() == 0 { // the file is not small: expect the declared file
		c.grow(c.expected)
	}
	for i := range s.Categorical {
		items := &s.Categorical[i]
		items.Values = append(items.Values, intern(c.interned[i], frame.Col(items.Name).Records())...)
	}
	s.Prices = append(s.Prices, frame.Col("UnitPrice").Float()...)
	quantities, err := frame.Col("Quantity").Int()
	if err != nil {
		return errors.Wrap(err, `column "Quantity"`)
	}
	for _, q := range quantities {
		s.Quantities = append(s.Quantities, int32(q))
	}
	for _, text := range frame.Col("InvoiceDate").Records() {
		date, err := time.Parse(momentLayout, text)
		if err != nil {
			return errors.Wrap(err, `column "InvoiceDate"`)
		}
		s.Minutes = append(s.Minutes, int32(date.Sub(SalesStart)/time.Minute))
	}
	return nil
}

// grow makes room for n sales. Columns that grow by doubling would leave as much garbage again.
func (c *salesColumns) grow(n int) {
	for i := range c.sales.Categorical {
		c.sales.Categorical[i].Values = slices.Grow(c.sales.Categorical[i].Values, n)
	}
	c.sales.Prices = slices.Grow(c.sales.Prices, n)
	c.sales.Quantities = slices.Grow(c.sales.Quantities, n)
	c.sales.Minutes = slices.Grow(c.sales.Minutes, n)
}

// sort brings the sales from the order of the file into the order of Sales.
func (s *Sales) sort() {
	numbers, products := numberValues(s.Categorical[s.Incremental].Values)
	sorted := slices.Sorted(slices.Values(products))
	rank := make([]int, len(products)) // by number
	for number, code := range products {
		rank[number], _ = slices.BinarySearch(sorted, code)
	}
	order := make([]int32, len(numbers))
	for row := range order {
		order[row] = int32(row)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(rank[numbers[a]], rank[numbers[b]]), cmp.Compare(s.Minutes[a], s.Minutes[b]), cmp.Compare(a, b))
	})
	for i := range s.Categorical {
		s.Categorical[i].Values = inOrder(s.Categorical[i].Values, order)
	}
	s.Prices = inOrder(s.Prices, order)
	s.Quantities = inOrder(s.Quantities, order)
	s.Minutes = inOrder(s.Minutes, order)
	s.Places = order
}
