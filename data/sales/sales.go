// Package sales reads UCI Online Retail, cuts it into windows of consecutive sales and orders them into streams. Call Load, then
// OverlappingWindows or SeparateWindows with Daily, or ByProduct.
package sales

import (
	"time"

	"gophe/data/column"
	"gophe/data/splits"
)

// Sales is UCI Online Retail as the paper reads it. A row is a sale: a line of an invoice with a positive quantity.
//
// Rows are sorted by StockCode, then by InvoiceDate; sales of the same minute are in the order of the file. A product's sales
// thus are consecutive rows. Columns are shared, not copied: treat them as read-only.
type Sales struct {
	Name        string
	Categorical []column.Categorical // StockCode, CustomerID, Country; a missing customer is "<NA>", as the authors hash it
	Incremental int                  // index into Categorical of the column that is learned online: StockCode
	Prices      []float64            // UnitPrice in the file, −11,062.06 to 13,541.33; the authors divide by 38,970, a return's
	Quantities  []int32              // more than 0
	Minutes     []int32              // minutes from 2010-12-01 00:00 to InvoiceDate
	Places      []int32              // position among the file's sales, which tells the order of sales of one minute
	SHA256      string               // hexadecimal checksum of the uncompressed file
	Verified    bool                 // SHA256 is the declared checksum
	Path        string               // path of the file
}

// Start is the day of the first sale. Minutes and days count from it.
var Start = time.Date(2010, time.December, 1, 0, 0, 0, 0, time.UTC)

const minutesPerDay = 24 * 60

// NumRows returns the number of sales.
func (s *Sales) NumRows() int { return len(s.Quantities) }

// Day returns the day of a sale. Day 0 is 2010-12-01.
func (s *Sales) Day(row int) int {
	minutes := int(s.Minutes[row])
	if minutes < 0 { // an altered file may begin earlier
		minutes -= minutesPerDay - 1
	}
	return minutes / minutesPerDay
}

// products returns the rows of each product.
func (s *Sales) products() []splits.Span {
	codes := s.Categorical[s.Incremental].Values
	var products []splits.Span
	for row, code := range codes {
		if row == 0 || code != codes[row-1] {
			products = append(products, splits.Span{First: row, End: row})
		}
		products[len(products)-1].End = row + 1
	}
	return products
}

// Stream holds the sales in the order in which a learner sees them. Its examples are windows.
type Stream struct {
	Sales   *Sales
	Windows Windows
	Initial []int32       // indices of windows that are learned first, for many epochs
	Steps   [][]int32     // indices of later windows. Daily: of a day, to predict, score and learn. ByProduct: of a group after the first
	Days    []int         // Daily: day of each step, since 2010-12-01
	Tests   []splits.Test // ByProduct: a test for each group, in which rows are windows and items are products
}
