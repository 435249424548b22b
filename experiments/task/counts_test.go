package task

import (
	"math"
	"slices"
	"testing"

	"gophe/data/files"
	"gophe/data/sales"
	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/phe/count"
	"gophe/phe/disk/filetest"
)

// The counts of today score a committed result's first day again, to the six digits of its file.
func TestCommittedCounts(t *testing.T) {
	s := filetest.Must(spec.Load("retail-counts"))(t)
	m := s.Methods[len(s.Methods)-1]
	committed := filetest.Must(result.Read("../out/retail-counts.json"))(t).Method(m.Name, false).Run(s.Seeds[0])
	task, plan, err := Load(s, files.Options{})
	filetest.Check(t, err)
	c := filetest.Must(task.(*forecasting).newCounts(m.Memory, s.Seeds[0]))(t)
	score := filetest.Must(c.Score(plan.Steps[0]))(t)
	for _, name := range []string{measure.AbsoluteError, measure.WholeError, measure.CappedError, measure.LogLikelihood} {
		want := committed.Series(name)[0]
		filetest.Near(t, score.Metrics[name], want, 1e-5*math.Abs(want), "%s in the committed result", name)
	}
	_, ok := score.Metrics[measure.ErrorOfMean]
	filetest.True(t, !ok, "a mean was scored that no count tells")
	filetest.Want(t, len(task.(*forecasting).stream.Days), len(committed.Rows), "days")
}

// The sales of a day do not tell the day's forecasts: if each product's last sale of the day and all later sales change, no
// median of the day moves.
func TestCountsNoLeak(t *testing.T) {
	all := filetest.Must(sales.Load(files.Options{}))(t)
	stream := filetest.Must(all.Daily(all.OverlappingWindows(windowLength), 3))(t)
	const step = 1
	altered, changed := *all, 0
	altered.Quantities = slices.Clone(all.Quantities)
	codes := all.Categorical[all.Incremental].Values
	for row, q := range altered.Quantities {
		day := all.Day(row)
		last := row+1 == len(codes) || codes[row+1] != codes[row] || all.Day(row+1) != day
		switch {
		case day > stream.Days[step]:
			altered.Quantities[row] = 7
		case day == stream.Days[step] && last:
			altered.Quantities[row] = 3*q + 50
			changed++
		}
	}
	other := *stream
	other.Sales = &altered
	medians := func(s *sales.Stream) (list []float64) {
		c := filetest.Must((&forecasting{stream: s}).newCounts(1<<19, 0))(t)
		for _, windows := range s.Steps[:step] {
			filetest.Check(t, c.Learn(windows))
		}
		for _, window := range s.Steps[step] {
			row := s.Windows.Last(int(window))
			filetest.Check(t, c.learner.Distribution(c.record(row), func(d count.Distribution) { list = append(list, d.Quantile(0.5)) }))
		}
		return list
	}
	was, is := medians(stream), medians(&other)
	filetest.Want(t, len(was), 1515, "windows")
	filetest.True(t, changed >= 500, "%d sales changed", changed)
	filetest.Want(t, is, was, "the medians")
}
