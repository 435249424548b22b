package sales

import (
	"cmp"
	"slices"

	"github.com/pkg/errors"

	"gophe/data/column"
	"gophe/data/splits"
)

// Daily returns the authors' stream for online learning. Initial holds the windows whose last sale was before firstDay, counted
// from 2010-12-01. Then each day on which windows end is a step. Each of these blocks is permuted, and the first int(0.8·n)
// of its n windows are kept. The others are neither scored nor learned. A day with a single window keeps none and is no step.
//
// The authors' first day is 62, 2011-02-01. OverlappingWindows(10) then gives 44,480 initial windows and 355,579 windows in 261
// steps. The paper's "first three month" end before day 90.
//
// RandomState(1234) first permutes the initial block, then each day. Unlike OnlineSplit it draws nothing before. Before its permutation a
// block is in the order of the last sales' time; windows of the same minute keep their order. The authors' order is not documented.
// With this order we get the figures measured on their stream (daily_test.go).
//
// If windows overlap, a sale is in windows of its own day and of later days. Windows that are kept share sales with windows that are not.
func (s *Sales) Daily(windows Windows, firstDay int) (*Stream, error) {
	order := s.byTime(windows)
	day := func(i int) int { return s.Day(int(windows.Last(int(order[i])))) }
	initial, steps, days := splits.Days(splits.Span{End: len(order)}, firstDay, day)
	stream := &Stream{Sales: s, Windows: windows, Initial: column.InOrder(order, initial), Days: days}
	for _, step := range steps {
		stream.Steps = append(stream.Steps, column.InOrder(order, step))
	}
	if len(stream.Initial) == 0 || len(stream.Steps) == 0 {
		return nil, errors.Errorf("daily stream from day %d: %d of %d windows are initial data and %d days follow, "+
			"want at least 1 of both; choose another first day (the authors': 62)",
			firstDay, len(stream.Initial), windows.Len(), len(stream.Steps))
	}
	return stream, nil
}

// byTime returns the indices of the windows in the order of their last sales' time. Windows of the same minute keep their order.
func (s *Sales) byTime(windows Windows) []int32 {
	order := splits.Span{End: windows.Len()}.Rows()
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.Minutes[windows.Last(int(a))], s.Minutes[windows.Last(int(b))]), cmp.Compare(a, b))
	})
	return order
}
