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
	table := &tables.Table{Name: "made up", Classes: []string{"no", "yes"}}
	var values []string
	for i := range 12 {
		values = append(values, fixture.Pick(i < 8, "a", "b"))
		table.Labels = append(table.Labels, fixture.Pick[int32](i < 8, 1, 0))
	}
	table.Categorical = []column.Categorical{{Name: "other", Values: slices.Repeat([]string{"x", "y", "z"}, 4)}, {Name: "c", Values: values}}
	table.Incremental = 1
	spec := tiny(t)
	rivals := func(p *protocol.Plan) []result.Method {
		return filetest.Must((task.NewClassification(table)).Baselines(spec, p))(t)
	}
	stream := &tables.Stream{Table: table, Initial: []int32{0, 1}, Steps: [][]int32{{2, 8}, {9, 10, 3}, {11}}, Tests: []cuts.Test{{Rows: []int32{4, 5, 6}}, {Rows: []int32{7}}}}
	got := rivals(&protocol.Plan{Stream: stream, Scored: true, TestEvery: 2})
	if len(got) != 2 || got[0].Name != baseline.Majority || got[1].Name != baseline.ItemMajority {
		t.Fatalf("rivals %+v", got)
	}
	if got[0].Parameters != 2 || got[1].Parameters != 2*(1+2) { // counts of two classes, and for each of two items
		t.Errorf("%d and %d numbers", got[0].Parameters, got[1].Parameters)
	}
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
		if m.Frozen || m.Dataset != spec.Dataset || m.Protocol != spec.Protocol.Name || m.Convention != spec.Convention() || len(m.Runs) != 2 {
			t.Errorf("%+v", m)
		}
		for i, run := range m.Runs {
			if run.Seed != int64(i) || run.Status != result.Complete || !slices.Equal(run.Rows, []int{2, 3, 1}) || !slices.Equal(run.Accuracy, want[m.Name].Accuracy) {
				t.Errorf("%s: %+v, want accuracies %v", m.Name, run, want[m.Name].Accuracy)
			}
			for k, l := range run.LogLikelihood {
				filetest.WantNear(t, l, want[m.Name].LogLikelihood[k], 1e-6, "%s, step %d: log-likelihood", m.Name, k)
			}
			var after []int
			for _, s := range run.Tests {
				after = append(after, s.After, s.Set)
				tie := m.Name == baseline.Majority && s.After == 3 // four rows of each class: it goes to class 0
				if s.Accuracy != fixture.Pick(tie, 0., 1.) {       // all test rows are of class 1, the majority until then
					t.Errorf("%s: %+v", m.Name, s)
				}
			}
			filetest.Want(t, slices.Equal(after, []int{0, 0, 0, 1, 2, 0, 2, 1, 3, 0, 3, 1}),
				"%s: tests after, and of set, %v", m.Name, after)
		}
	}

	group := rivals(&protocol.Plan{Stream: stream, Untrained: true, TestEvery: 1})
	run := group[0].Runs[0]
	if len(run.Rows) != 0 || run.Rows == nil || len(run.Accuracy) != 0 || len(run.LogLikelihood) != 0 {
		t.Errorf("steps that are not scored have scores: %+v", run)
	}
	if len(run.Tests) != 2*(1+4) || run.Tests[0].After != result.Untrained || run.Tests[0].Accuracy != 0 || math.Abs(run.Tests[0].LogLikelihood-log(0.5)) > 1e-6 {
		t.Errorf("untrained, a tie goes to class 0: %+v", run.Tests)
	}
}
