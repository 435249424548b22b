package data

import (
	"cmp"
	"slices"
	"time"

	"github.com/go-gota/gota/dataframe"
	"github.com/pkg/errors"
)

// Sales is UCI Online Retail as the paper reads it: one row a sale, that is a line of an invoice with a positive
// quantity, sorted by StockCode and then InvoiceDate, lines of the same minute in the order of the file. A product's
// sales are thus consecutive rows. Columns are shared, not copied: treat them as read-only.
type Sales struct {
	Name        string
	Categorical []CategoricalColumn // StockCode, CustomerID, Country; a missing customer is "<NA>", as the authors hash it
	Incremental int                 // index into Categorical of the column that keeps learning online: StockCode
	Prices      []float64           // UnitPrice as in the file, −11,062.06 to 13,541.33; the authors divide by 38,970, a return's
	Quantities  []int32             // more than 0
	Minutes     []int32             // of InvoiceDate, since 2010-12-01 00:00
	Places      []int32             // among the file's sales: the order by Minutes and then Places is the file's order in time
	SHA256      string              // hexadecimal, of the uncompressed file as read
	Verified    bool                // SHA256 is the declared one
	Path        string              // the file read
}

// momentLayout is how Retail writes times. They are wall-clock times without a zone.
const momentLayout = "2006-01-02 15:04:05"

// SalesStart is the day of the first sale, from which Minutes and days count.
var SalesStart = time.Date(2010, time.December, 1, 0, 0, 0, 0, time.UTC)

const minutesPerDay = 24 * 60

// NumRows returns the number of sales.
func (s *Sales) NumRows() int { return len(s.Quantities) }

// Token returns the item's token `<column>_<value>`, which is what a model hashes. Column is an index into Categorical.
func (s *Sales) Token(column, row int) string { return s.Categorical[column].token(row) }

// Day returns the day of a sale, counted from 2010-12-01, which is 0.
func (s *Sales) Day(row int) int {
	minutes := int(s.Minutes[row])
	if minutes < 0 { // an altered file may begin earlier
		minutes -= minutesPerDay - 1
	}
	return minutes / minutesPerDay
}

// span is the rows from first to before end.
type span struct{ first, end int }

// products returns the rows of each product.
func (s *Sales) products() []span {
	codes := s.Categorical[s.Incremental].Values
	var products []span
	for row, code := range codes {
		if row == 0 || code != codes[row-1] {
			products = append(products, span{row, row})
		}
		products[len(products)-1].end = row + 1
	}
	return products
}

// sort brings the sales, which are in the order of the file, into the order of Sales.
func (s *Sales) sort() {
	codes := s.Categorical[s.Incremental].Values
	rank := make(map[string]int32)
	for i, code := range slices.Sorted(slices.Values(firstAppearance(codes))) {
		rank[code] = int32(i)
	}
	ranks, order := make([]int32, len(codes)), make([]int32, len(codes))
	for row, code := range codes {
		ranks[row], order[row] = rank[code], int32(row)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(ranks[a], ranks[b]), cmp.Compare(s.Minutes[a], s.Minutes[b]), cmp.Compare(a, b))
	})
	for i := range s.Categorical {
		s.Categorical[i].Values = inOrder(s.Categorical[i].Values, order)
	}
	s.Prices = inOrder(s.Prices, order)
	s.Quantities = inOrder(s.Quantities, order)
	s.Minutes = inOrder(s.Minutes, order)
	s.Places = order
}

func inOrder[T any](values []T, order []int32) []T {
	ordered := make([]T, len(order))
	for i, row := range order {
		ordered[i] = values[row]
	}
	return ordered
}

// salesColumns is Sales in the making, in the order of the file.
type salesColumns struct {
	sales    *Sales
	interned []map[string]string // distinct values of each categorical column
	expected int                 // rows in all, if the file is the declared one
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

// add appends a block of the kept columns. It keeps nothing of the block's memory.
func (c *salesColumns) add(frame dataframe.DataFrame) error {
	s := c.sales
	if frame.Nrow() == blockRows && s.NumRows() == 0 { // it is not a small file: expect the declared one
		c.grow(c.expected)
	}
	for i := range s.Categorical {
		column := &s.Categorical[i]
		column.Values = append(column.Values, intern(c.interned[i], frame.Col(column.Name).Records())...)
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

// grow makes room for n sales: columns that grow by doubling would leave as much garbage again.
func (c *salesColumns) grow(n int) {
	for i := range c.sales.Categorical {
		c.sales.Categorical[i].Values = slices.Grow(c.sales.Categorical[i].Values, n)
	}
	c.sales.Prices = slices.Grow(c.sales.Prices, n)
	c.sales.Quantities = slices.Grow(c.sales.Quantities, n)
	c.sales.Minutes = slices.Grow(c.sales.Minutes, n)
}
