package report

import (
	"gophe/experiments/measure"
	"gophe/experiments/table"
)

// lateColumns holds the changing column of each data set whose methods also run without it. Mushroom has no other column.
var lateColumns = []struct{ dataset, column string }{{"adult", "education"}, {"bank", "poutcome"}, {"covertype", "wilderness_area"}}

// lateMethods are the methods that run with and without the changing column.
var lateMethods = []struct{ name, mark string }{{fromNothing, ""}, {refittedName, ""}, {refittedName, " (frozen)"}}

// lateColumnTable returns what the changing column is worth on the streams with late items: accuracy with it and without it, and the
// difference, paired by seed.
func lateColumnTable(s *source) table.Page {
	t := table.New(2, "stream", "method", "with it", "without it", "difference")
	t.Above = "Accuracy along the stream in percent, with the changing column and without it, and the difference in points, paired by seed. The\n" +
		"column is education (Adult), poutcome (Bank) or wilderness_area (Covertype). Mushroom has no other column, so nothing is left there.\n\n"
	for _, late := range lateColumns {
		for _, stream := range []string{"by-group", "growing", "swapped"} {
			f := s.find(late.dataset + "-" + stream + "-one-pass")
			for _, m := range lateMethods {
				with, without := measure.Find(f, m.name+m.mark), measure.Find(f, m.name+", without "+late.column+m.mark)
				if with.Method != nil && without.Method != nil {
					t.Add(late.dataset+", "+stream, with.Label(), with.Cell(measure.Accuracy), without.Cell(measure.Accuracy),
						with.Less(without, measure.Accuracy).Text(2))
				}
			}
		}
	}
	if len(t.Rows) == 0 {
		s.get("adult-by-group-one-pass")
	}
	return t.Page()
}
