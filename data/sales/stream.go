package sales

import "gophe/data/cuts"

// Stream holds the sales in the order in which a learner sees them. Its examples are windows.
type Stream struct {
	Sales   *Sales
	Windows Windows
	Initial []int32     // indices of windows that are learned first, for many epochs
	Steps   [][]int32   // indices of later windows. Daily: of each day, to predict, score and learn. ByProduct: of each group after the first
	Days    []int       // Daily: day of each step, since 2010-12-01
	Tests   []cuts.Test // ByProduct: a test for each group, in which rows are windows and items are products
}
