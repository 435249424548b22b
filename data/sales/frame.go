package sales

import (
	"time"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// Frame returns a copy of sales [from, to) as a gota DataFrame: StockCode, CustomerID, Country, InvoiceDate (UTC), UnitPrice, Quantity.
func (s *Sales) Frame(from, to int) dataframe.DataFrame {
	var columns []series.Series
	for _, c := range s.Categorical {
		columns = append(columns, series.New(c.Values[from:to], series.String, c.Name))
	}
	when, quantities := make([]string, to-from), make([]int, to-from)
	for i := range when {
		when[i] = Start.Add(time.Duration(s.Minutes[from+i]) * time.Minute).Format("2006-01-02 15:04")
		quantities[i] = int(s.Quantities[from+i])
	}
	return dataframe.New(append(columns,
		series.New(when, series.String, "InvoiceDate"),
		series.New(s.Prices[from:to], series.Float, "UnitPrice"),
		series.New(quantities, series.Int, "Quantity"))...)
}
