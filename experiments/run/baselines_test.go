package run

import (
	"math"
	"slices"
	"testing"

	"gophe/data/column"
	"gophe/data/cuts"
	"gophe/data/tables"
	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/task"
	"gophe/phe/disk/filetest"
)

// Along a plan: scores before learning, tests when the plan has them, all seeds alike. Eight rows of item a are of class 1,
// four of item b of class 0.
func TestRivals(t *testing.T) {
	table := &tables.Table{Name: "made up", Classes: []string{"no", "yes"}, Incremental: 1, Labels: slices.Repeat([]int32{1, 1, 0}, 4),
		Categorical: []column.Categorical{{Name: "other", Values: slices.Repeat([]string{"x", "y", "z"}, 4)},
			{Name: "c", Values: slices.Concat(slices.Repeat([]string{"a"}, 8), slices.Repeat([]string{"b"}, 4))}}}
	slices.SortFunc(table.Labels, func(a, b int32) int { return int(b - a) })
	spec := tiny(t)
	stream := &tables.Stream{Table: table, Initial: []int32{0, 1}, Steps: [][]int32{{2, 8}, {9, 10, 3}, {11}},
		Tests: []cuts.Test{{Rows: []int32{4, 5, 6}}, {Rows: []int32{7}}}}
	rivals := func(p protocol.Plan) []result.Method {
		p.Stream = stream
		return filetest.Must((task.NewClassification(table)).Baselines(spec, &p))(t)
	}
	got := rivals(protocol.Plan{Scored: true, TestEvery: 2})
	var names []string
	var numbers []int
	for _, m := range got {
		names, numbers = append(names, m.Name), append(numbers, m.Parameters)
	}
	filetest.WantEqual(t, names, []string{baseline.Majority, baseline.ItemMajority}, "rivals")
	filetest.WantEqual(t, numbers, []int{2, 2 * (1 + 2)}, "parameters: counts of two classes, and for each of two items")
	log := func(p float64) float64 { return math.Log(p) }
	want := map[string]result.Run{
		// Class counts, one added to each: 1:3 before the first step, then 2:4, then 4:5 with rows 9, 10 and 3.
		baseline.Majority: {Accuracy: []float64{0.5, 1. / 3, 0}, LogLikelihood: []float64{
			(log(3./4) + log(1./4)) / 2, (2*log(2./6) + log(4./6)) / 3, log(4. / 9)}},
		// Item a: two rows of class 1, so (2+p)/3 where p is Majority's; item b is new at first.
		baseline.ItemMajority: {Accuracy: []float64{0.5, 1, 1}, LogLikelihood: []float64{
			(log((2+3./4)/3) + log(1./4)) / 2, (2*log((1+2./6)/2) + log((3+4./6)/4)) / 3, log((3 + 4./9) / 4)}},
	}
	for _, m := range got {
		kind := [3]string{m.Dataset, m.Protocol, m.Convention}
		filetest.WantEqual(t, kind, [3]string{spec.Dataset, spec.Protocol.Name, spec.Convention()}, "kind of %s", m.Name)
		filetest.Want(t, !m.Frozen && len(m.Runs) == 2, "%s: %+v", m.Name, m)
		for i, run := range m.Runs {
			filetest.Want(t, run.Seed == int64(i) && run.Status == result.Complete, "%s: %+v", m.Name, run)
			filetest.WantEqual(t, run.Rows, []int{2, 3, 1}, "%s: rows", m.Name)
			filetest.WantEqual(t, run.Accuracy, want[m.Name].Accuracy, "%s: accuracy", m.Name)
			for k, l := range run.LogLikelihood {
				filetest.WantNear(t, l, want[m.Name].LogLikelihood[k], 1e-6, "%s, step %d: log-likelihood", m.Name, k)
			}
			var after [][2]int
			for _, s := range run.Tests {
				after = append(after, [2]int{s.After, s.Set})
				tie := m.Name == baseline.Majority && s.After == 3 // four rows of each class: it goes to class 0
				// all test rows are of class 1, the majority until then
				filetest.WantEqual(t, s.Accuracy, fixture.Pick(tie, 0., 1.), "%s: accuracy of test %+v", m.Name, s)
			}
			filetest.WantEqual(t, after, [][2]int{{0, 0}, {0, 1}, {2, 0}, {2, 1}, {3, 0}, {3, 1}}, "%s: tests after, and of set", m.Name)
		}
	}

	run := rivals(protocol.Plan{Untrained: true, TestEvery: 1})[0].Runs[0]
	filetest.Want(t, run.Rows != nil, "null in place of no rows")
	filetest.WantEqual(t, [3]int{len(run.Rows), len(run.Accuracy), len(run.LogLikelihood)}, [3]int{}, "scores of steps that are not scored")
	filetest.WantEqual(t, len(run.Tests), 2*(1+4), "tests")
	first := run.Tests[0]
	filetest.Want(t, first.After == result.Untrained && first.Accuracy == 0, "untrained, a tie goes to class 0: %+v", first)
	filetest.WantNear(t, first.LogLikelihood, log(0.5), 1e-6, "untrained: log-likelihood")
}
