package sales

import (
	"cmp"
	"slices"
	"time"

	"github.com/go-gota/gota/dataframe"
	"github.com/pkg/errors"

	"gophe/data/column"
	"gophe/data/uci"
)

// columns builds Sales from blocks of rows, in the order of the file.
type columns struct {
	sales    *Sales
	interned []map[string]string // distinct values of each categorical column
	expected int                 // number of rows of the declared file
}

func newColumns(d uci.Declaration) *columns {
	c := &columns{sales: &Sales{Name: d.Name}, expected: d.CompleteRows}
	for _, k := range d.Kept() {
		if k.Kind == uci.Categorical || k.Kind == uci.Optional {
			if k.Name == d.Incremental {
				c.sales.Incremental = len(c.sales.Categorical)
			}
			c.sales.Categorical = append(c.sales.Categorical, column.Categorical{Name: k.Name})
			c.interned = append(c.interned, make(map[string]string))
		}
	}
	return c
}

// add appends a block of the kept columns and copies all that it keeps.
func (c *columns) add(frame dataframe.DataFrame) error {
	s := c.sales
	if frame.Nrow() == column.BlockRows && s.NumRows() == 0 { // the file is not small: expect the declared file
		c.grow(c.expected)
	}
	for i := range s.Categorical {
		items := &s.Categorical[i]
		items.Values = append(items.Values, column.Intern(c.interned[i], frame.Col(items.Name).Records())...)
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
		date, err := time.Parse(uci.MomentLayout, text)
		if err != nil {
			return errors.Wrap(err, `column "InvoiceDate"`)
		}
		s.Minutes = append(s.Minutes, int32(date.Sub(Start)/time.Minute))
	}
	return nil
}

// grow makes room for n sales. Columns that grow by doubling would leave as much garbage again.
func (c *columns) grow(n int) {
	for i := range c.sales.Categorical {
		c.sales.Categorical[i].Values = slices.Grow(c.sales.Categorical[i].Values, n)
	}
	c.sales.Prices = slices.Grow(c.sales.Prices, n)
	c.sales.Quantities = slices.Grow(c.sales.Quantities, n)
	c.sales.Minutes = slices.Grow(c.sales.Minutes, n)
}

// sort brings the sales from the order of the file into the order of Sales.
func (s *Sales) sort() {
	numbers, products := column.Number(s.Categorical[s.Incremental].Values)
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
		s.Categorical[i].Values = column.InOrder(s.Categorical[i].Values, order)
	}
	s.Prices = column.InOrder(s.Prices, order)
	s.Quantities = column.InOrder(s.Quantities, order)
	s.Minutes = column.InOrder(s.Minutes, order)
	s.Places = order
}
