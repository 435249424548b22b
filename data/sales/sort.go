package sales

import (
	"cmp"
	"slices"

	"gophe/data/column"
	"gophe/data/cuts"
)

// sort brings the sales from the order of the file into the order of Sales.
func (s *Sales) sort() {
	numbers, products := column.Number(s.Categorical[s.Incremental].Values)
	sorted := slices.Sorted(slices.Values(products))
	rank := make([]int, len(products)) // by number
	for number, code := range products {
		rank[number], _ = slices.BinarySearch(sorted, code)
	}
	order := cuts.Span{End: len(numbers)}.Rows()
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
