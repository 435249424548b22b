package report

import (
	"testing"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec/protocol"
	"gophe/phe/disk/filetest"
)

// One pass is next to the published result of its stream, paired with it over days.
func TestRatingPassTable(t *testing.T) {
	folder := t.TempDir()
	writeRatings(t, folder, "movielens-small-wide", protocol.Paper)
	method := func(name string, errors ...float64) result.Method {
		run := result.Run{Seed: 0, Status: result.Complete, Seconds: result.Seconds{Update: 3}}
		for _, e := range errors {
			run.Rows = append(run.Rows, 1)
			run.Append(measure.RatingError, e)
		}
		return result.Method{Name: name, Dataset: "ml-latest-small", Protocol: protocol.Recommend, Convention: protocol.Paper, TotalParameters: 460413, Runs: []result.Run{run}}
	}
	for name, methods := range map[string][]result.Method{
		"movielens-small-wide-one-pass": {method(fromNothing, 0.14, 0.15, 0.13), method(baseline.Biases, 0.15, 0.15, 0.15)},
		"adult-swapped-one-pass":        {methodWith(fromNothing, false, protocol.Swapped, runOf(0, 0.8, 0.9))},
	} {
		write(t, folder, name, methods...)
	}
	table := filetest.Must(markdown("one-pass", result.OpenFolder(folder)))(t)
	fixture.WantText(t, table,
		"| movielens-small-wide | 16.10 ± 0.14 | – | 15.00 | 14.00 |",
		// 10, 0 and 20 thousandths below the averages; 10, 10 and 40 below seed 0 of PHE.
		"| movielens-small-wide | One pass | -1.00 (0.58) | – | -2.00 (1.00) |",
		"| movielens-small-wide | One pass | 14.00 | 460413 | 3.0 |",
	)
}
