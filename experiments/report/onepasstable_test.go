package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec/protocol"
	"gophe/phe/disk/filetest"
)

// runOf is a complete run that got a share of two steps of 100 and 300 rows right.
func runOf(seed int64, first, second float64) result.Run {
	return result.Run{Seed: seed, Status: result.Complete, Rows: []int{100, 300}, Accuracy: []float64{first, second}, LogLikelihood: []float64{-1, -1},
		Summary: map[string]float64{measure.Accuracy: 50 * (first + second)}}
}

func methodWith(name string, frozen bool, named string, runs ...result.Run) result.Method {
	return result.Method{Name: name, Frozen: frozen, Dataset: "adult", Protocol: named, Convention: protocol.Paper, Hash: "x", Runs: runs}
}

// The worst seed is paired with the same seed of the frozen model, and regret is of all rows, against the published reference.
func TestOnePassStream(t *testing.T) {
	s := onePassStream{name: "adult-swapped",
		own: &result.File{Methods: []result.Method{methodWith(fromNothing, false, protocol.Swapped, runOf(0, 0.8, 0.9), runOf(1, 0.7, 0.9), runOf(2, 0, 0))}},
		published: &result.File{Methods: []result.Method{
			methodWith(measure.Reference, false, protocol.Swapped, runOf(0, 0.9, 0.8), runOf(1, 0.7, 0.9)),
			methodWith("PHE", true, protocol.Swapped, runOf(0, 0.5, 0.9), runOf(1, 0.7, 0.86)),
		}}}
	r := measure.Rows(s.own)[0]
	if got := s.worstCell(r); got != "2.00" { // seed 0 gains 15 points, seed 1 gains 2, seed 2 has no pair
		t.Errorf("least gain %s, want 2.00", got)
	}
	if got := s.regretCell(r); got != "-25.0 ± 35.4" { // seed 0: (0.1·100 − 0.1·300)/400; seed 1: 0
		t.Errorf("regret %s, want -25 ± 35.36", got)
	}
	alone := onePassStream{own: s.own}
	if s.worstCell(measure.Row{}) != "–" || alone.worstCell(r) != "–" {
		t.Error("a least gain of nothing")
	}
	if alone.regretCell(r) != "–" {
		t.Error("a regret without its reference")
	}
}

// The spread over orders is a deviation within each seed, not over all runs.
func TestSpread(t *testing.T) {
	s := onePassStream{name: "adult-order", own: &result.File{}}
	at := func(seed int64, accuracy float64) result.Run {
		return result.Run{Seed: seed, Status: result.Complete, Summary: map[string]float64{measure.FinalAverage: accuracy}}
	}
	for i, v := range []float64{80, 82} {
		s.own.Methods = append(s.own.Methods, methodWith(fmt.Sprint(fromNothing, " order ", i), false, protocol.Order, at(0, v), at(1, 10+2*v)))
	}
	s.own.Methods = append(s.own.Methods, methodWith(fromNothing+" order 0", true, protocol.Order, at(0, 0), at(1, 0)))
	sd, widest, orders := overOrders(s.own, fromNothing+" order ")
	if orders != 2 || math.Abs(sd-1.5*math.Sqrt2) > 1e-9 || widest != 4 {
		t.Errorf("deviation %v and range %v of %d orders, want 2.12 and 4 of 2", sd, widest, orders)
	}
	if text := orderTable([]onePassStream{s}).String(); !strings.Contains(text, "| adult | One pass | 2 | 2.121 | 4.00 |") {
		t.Errorf("table:\n%s", text)
	}
	if _, _, orders := overOrders(s.own, exactName+" order "); orders != 0 {
		t.Error("orders of a method that has none")
	}
}

// The table is made of the results that are there: each block has at most five columns.
func TestOnePassTable(t *testing.T) {
	all := results{
		"adult-swapped-one-pass": {methodWith(fromNothing, false, protocol.Swapped, runOf(0, 0.8, 0.9)), methodWith(refittedName, false, protocol.Swapped, runOf(0, 0.7, 0.9))},
		"adult-swapped":          {methodWith("PHE", false, protocol.Swapped, runOf(0, 0.6, 0.9)), methodWith("PHE", true, protocol.Swapped, runOf(0, 0.5, 0.9)), methodWith(measure.Reference, false, protocol.Swapped, runOf(0, 0.9, 0.9))},
	}
	for _, methods := range all {
		methods[0].TotalParameters = 722
	}
	table := filetest.Must(markdown("one-pass", all.open(t)))(t)
	fixture.WantText(t, table, "| adult-swapped | 70.00 | 75.00 | 85.00 | 80.00 (every 25) |", "| adult-swapped | 15.00 | – | 25.0 | – |", "| adult-swapped | – | 722 | – | – |")
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "|") && strings.Count(line, "|") > 6 {
			t.Errorf("more than five columns: %s", line)
		}
	}
}

// The table names the interval of the fits where the result's spec gives one above 1. Whole groups are fitted one by one.
func TestRefittedCell(t *testing.T) {
	for _, c := range []struct{ manifest, want string }{
		{`{"protocol": {"name": "online"}, "methods": [{"name": "Refitted logistic regression"}]}`, "80.00 (every 25)"},
		{`{"protocol": {"name": "online"}, "methods": [{"name": "Refitted logistic regression", "refit_every": 7}]}`, "80.00 (every 7)"},
		{`{"protocol": {"name": "online"}, "methods": [{"name": "Refitted logistic regression", "refit_every": 1}]}`, "80.00"},
		{`{"protocol": {"name": "group"}, "methods": [{"name": "Refitted logistic regression"}]}`, "80.00"},
	} {
		s := onePassStream{own: &result.File{Manifest: result.Manifest{Spec: []byte(c.manifest)}, Methods: []result.Method{methodWith(refittedName, false, protocol.Online, runOf(0, 0.7, 0.9))}}}
		if got := s.refittedCell(s.row(refittedName)); got != c.want {
			t.Errorf("%s gives %q, want %q", c.manifest, got, c.want)
		}
	}
}

// One pass is next to the published result of its stream, paired with it over days.
func TestRatingPassTable(t *testing.T) {
	method := func(name string, errors ...float64) result.Method {
		run := result.Run{Seed: 0, Status: result.Complete, Seconds: result.Seconds{Update: 3}}
		for _, e := range errors {
			run.Rows = append(run.Rows, 1)
			run.Append(measure.RatingError, e)
		}
		return result.Method{Name: name, Dataset: "ml-latest-small", Protocol: protocol.Recommend, Convention: protocol.Paper, TotalParameters: 460413, Runs: []result.Run{run}}
	}
	folder := results{
		"movielens-small-wide":          ratingMethods(protocol.Paper),
		"movielens-small-wide-one-pass": {method(fromNothing, 0.14, 0.15, 0.13), method(baseline.Biases, 0.15, 0.15, 0.15)},
		"adult-swapped-one-pass":        {methodWith(fromNothing, false, protocol.Swapped, runOf(0, 0.8, 0.9))},
	}.open(t)
	table := filetest.Must(markdown("one-pass", folder))(t)
	fixture.WantText(t, table,
		"| movielens-small-wide | 16.10 ± 0.14 | – | 15.00 | 14.00 |",
		// 10, 0 and 20 thousandths below the averages; 10, 10 and 40 below seed 0 of PHE.
		"| movielens-small-wide | One pass | -1.00 (0.58) | – | -2.00 (1.00) |",
		"| movielens-small-wide | One pass | 14.00 | 460413 | 3.0 |",
	)
}

// The worth of a column is the difference of the same seeds, and a method that has no partner has no row.
func TestLateColumn(t *testing.T) {
	folder := results{"bank-growing-one-pass": {
		methodWith(fromNothing, false, protocol.Growing, runOf(0, 0.8, 0.9), runOf(1, 0.7, 0.9)),
		methodWith(fromNothing+", without poutcome", false, protocol.Growing, runOf(0, 0.8, 0.8), runOf(1, 0.7, 0.8)),
		methodWith(refittedName, true, protocol.Growing, runOf(0, 0.8, 0.9)),
	}}.open(t)
	table := filetest.Must(markdown("late-column", folder))(t)
	fixture.WantText(t, table, "| bank, growing | One pass | 82.50 ± 3.54 | 77.50 ± 3.54 | 5.00 ± 0.00 |")
	if _, err := markdown("late-column", result.OpenFolder(t.TempDir())); err == nil {
		t.Error("a table without any result")
	}
}

// One pass is ahead on Adult, level on Bank, and behind the frozen model and a one-hot model on Mushroom. A stream without a rival does not
// count for it. The loss on Mushroom is listed.
func TestStanding(t *testing.T) {
	at := func(name string, frozen bool, accuracy float64) result.Method {
		return methodWith(name, frozen, protocol.Swapped, runOf(0, accuracy, accuracy))
	}
	all := results{"covertype-swapped-one-pass": {at(fromNothing, false, 0.1)}}
	for name, scores := range map[string][5]float64{ // one pass, PHE, frozen, AdPredictor, refitted regression
		"adult-swapped":    {0.9, 0.89, 0.5, 0.8, 0.7},
		"bank-swapped":     {0.9, 0.9009, 0.8991, 0.9, 0.9},
		"mushroom-swapped": {0.8, 0.7, 0.802, 0.81, 0.95},
	} {
		all[name+"-one-pass"] = []result.Method{at(fromNothing, false, scores[0]), at("AdPredictor", false, scores[3]), at(refittedName, false, scores[4])}
		all[name] = []result.Method{at("PHE", false, scores[1]), at("PHE", true, scores[2])}
	}
	open := &source{folder: all.open(t)}
	fixture.WantText(t, standingTable(open).String(), "| PHE, published update | 3 | 2 | 1 | 0 |", "| PHE, frozen | 3 | 1 | 1 | 1 |",
		"| PHE, Adam on all parameters | 0 | 0 | 0 | 0 |", "| best one-hot model | 3 | 1 | 1 | 1 |")
	const want = "| stream | one pass | PHE, published update | PHE, frozen | best one-hot model |\n|---|---:|---:|---:|---:|\n" +
		"| mushroom-swapped | 80.0 | 70.0 | 80.2 | 95.0 |\n"
	if got := lossesTable(open).String(); got != want {
		t.Errorf("losses:\n%s", got)
	}
	if got := open.behind("best one-hot model"); got != "1 of 3" {
		t.Errorf("behind a one-hot model on %q, want 1 of 3", got)
	}
	filetest.Check(t, open.err)
	open.behind("nobody")
	filetest.WantError(t, open.err, `"nobody"`)
}
