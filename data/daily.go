package data

import (
	"cmp"
	"slices"
	"sort"

	"github.com/pkg/errors"
)

// SalesStream is the sales in the order in which a learner meets them; its examples are windows.
type SalesStream struct {
	Sales   *Sales
	Windows Windows
	Initial []int32   // indices of windows, learned first, for many epochs
	Steps   [][]int32 // then these. Daily: of each day; predicted, scored, then learned. ByProduct: of each group after the first
	Days    []int     // Daily: the day of each step, since 2010-12-01
	Tests   []Test    // ByProduct: of each group; Train counts windows, Rows are windows, Items are the products
}

// Daily is the authors' stream for online learning: the windows whose last sale was before firstDay (since 2010-12-01)
// are the initial data, then there is a step for each day on which windows end. Each block is permuted, and of its n
// windows the first int(0.8·n) are kept; the others are neither scored nor learned. A day of a single window keeps
// none, and is no step.
//
// The authors' first day is 62, 2011-02-01: with OverlappingWindows(10), 44,480 initial windows and 261 steps with
// 355,579 in all. The paper's "first three month" end before day 90.
//
// All draws come from RandomState(1234): a permutation of the initial block, then one of each day, and nothing before,
// unlike OnlineSplit. What is permuted is in the order of the last sales' time, windows of the same minute as they are in
// windows. The authors' order is not written down; this one gives the figures measured on their stream (daily_test.go).
//
// Where windows overlap, a sale is in windows of its own day and of later ones, and among those kept and not kept.
func (s *Sales) Daily(windows Windows, firstDay int) (*SalesStream, error) {
	order := s.byTime(windows)
	day := func(i int) int { return s.Day(int(windows.Last(int(order[i])))) }
	end := sort.Search(len(order), func(i int) bool { return day(i) >= firstDay })
	random := NewRandomState(splitSeed)
	stream := &SalesStream{Sales: s, Windows: windows, Initial: cutBlock(random, order[:end]).Scored}
	for end < len(order) {
		start := end
		for end < len(order) && day(end) == day(start) {
			end++
		}
		if scored := cutBlock(random, order[start:end]).Scored; len(scored) > 0 {
			stream.Steps = append(stream.Steps, scored)
			stream.Days = append(stream.Days, day(start))
		}
	}
	if len(stream.Initial) == 0 || len(stream.Steps) == 0 {
		return nil, errors.Errorf("daily stream from day %d: %d of %d windows are initial data and %d days follow, "+
			"want 1 or more of both; choose another first day (the authors': 62)", firstDay, len(stream.Initial), windows.Len(), len(stream.Steps))
	}
	return stream, nil
}

// byTime returns the indices of the windows in the order of their last sales' time, those of the same minute in their
// own order.
func (s *Sales) byTime(windows Windows) []int32 {
	order := make([]int32, windows.Len())
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.Minutes[windows.Last(int(a))], s.Minutes[windows.Last(int(b))]), cmp.Compare(a, b))
	})
	return order
}
