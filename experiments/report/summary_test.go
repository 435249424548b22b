package report

import (
	"slices"
	"testing"

	"gophe/experiments/measure/measuretest"
	"gophe/experiments/result/fixture"
)

// Every method of a result by every metric of its protocol, and the same as a table.
func TestSummary(t *testing.T) {
	f := measuretest.HandMade()
	f.Name = "made-by-group"
	cells := Summary(f)
	var got []string
	for _, c := range cells {
		got = append(got, c.Method+" "+c.Metric)
		if c.Item != f.Name || c.Spec != f.Name || c.Paper != nil || c.Note != "" {
			t.Errorf("cell %+v", c)
		}
	}
	want := []string{"PHE accuracy", "PHE adaptation", "PHE forgetting", "PHE regret", "PHE (frozen) accuracy", "PHE (frozen) adaptation", "PHE (frozen) forgetting",
		"PHE (frozen) regret", "P-EE replay accuracy", "P-EE replay adaptation", "P-EE replay forgetting", "P-EE replay regret"}
	if !slices.Equal(got, want) {
		t.Errorf("cells %q, want %q", got, want)
	}
	fixture.WantText(t, ResultTable(f).String(),
		"| method | scheme | loss | parameters | accuracy % | less PHE, paired | adaptation % | forgetting, points | regret, errors in 1000 | seeds | s per seed |\n",
		"| PHE | none | none | 346 | 75.00 ± 7.07 | – | 80.00 ± 0.00 | 25.00 | 50.0 | 2 | 0.0 |\n",
		"| PHE (frozen) | none | none | 346 | 50.00 | -20.00 | 50.00 | – | 250.0 | 1 | 0.0 |\n",
	)
}
