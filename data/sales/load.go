package sales

import (
	"cmp"
	"slices"

	"github.com/go-gota/gota/dataframe"

	"gophe/data/column"
	"gophe/data/files"
	"gophe/data/splits"
	"gophe/data/uci"
)

// Load finds and reads Retail, which is no table: its rows are sequences in time and have no classes.
//
// The file is read like the files of package labelled, with the same errors. Reading takes 1.3 s and a peak of 95 MB of memory, of which
// the columns hold 36 MB.
func Load(options files.Options) (*Sales, error) {
	return newSales(uci.Retail().Load(options))
}

// OfFrame returns the sales of a DataFrame that was read from Retail's file, or from a part of it.
func OfFrame(df dataframe.DataFrame) (*Sales, error) { return newSales(uci.Retail().OfFrame(df)) }

// newSales makes sales of Retail's columns.
func newSales(c *uci.Columns, err error) (*Sales, error) {
	if err != nil {
		return nil, err
	}
	s := &Sales{Name: c.Declaration.Name, Categorical: c.Items, Incremental: c.Incremental, Prices: c.Numbers[0].Values,
		Quantities: c.Counts, Minutes: c.Moments, SHA256: c.SHA256, Verified: c.Verified, Path: c.Path}
	for i := range s.Minutes {
		s.Minutes[i] -= int32(Start.Unix() / 60)
	}
	s.sort()
	return s, nil
}

// sort brings the sales from the order of the file into the order of Sales.
func (s *Sales) sort() {
	codes := s.Categorical[s.Incremental].Values
	order := splits.Span{End: len(codes)}.Rows()
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(codes[a], codes[b]), cmp.Compare(s.Minutes[a], s.Minutes[b]), cmp.Compare(a, b))
	})
	for i := range s.Categorical {
		s.Categorical[i].Values = column.InOrder(s.Categorical[i].Values, order)
	}
	s.Prices = column.InOrder(s.Prices, order)
	s.Quantities = column.InOrder(s.Quantities, order)
	s.Minutes = column.InOrder(s.Minutes, order)
	s.Places = order
}
