package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
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
	if got := s.minGain(r); got == nil || math.Abs(*got-2) > 1e-9 { // seed 0 gains 15 points, seed 1 gains 2, seed 2 has no pair
		t.Errorf("least gain %v, want 2", got)
	}
	e := s.regret(r) // seed 0: (0.1·100 − 0.1·300)/400; seed 1: 0
	if e.Seeds != 2 || math.Abs(*e.Mean+25) > 1e-9 || math.Abs(*e.SD-50/math.Sqrt2) > 1e-9 {
		t.Errorf("regret %v ± %v of %d seeds, want -25 ± 35.36 of 2", *e.Mean, *e.SD, e.Seeds)
	}
	if s.minGain(measure.Row{}) != nil || (onePassStream{own: s.own}).minGain(r) != nil {
		t.Error("a least gain of nothing")
	}
	if e := (onePassStream{own: s.own}).regret(r); e.Seeds != 0 {
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
	folder := t.TempDir()
	for name, methods := range map[string][]result.Method{
		"adult-swapped-one-pass": {methodWith(fromNothing, false, protocol.Swapped, runOf(0, 0.8, 0.9)), methodWith(refittedName, false, protocol.Swapped, runOf(0, 0.7, 0.9))},
		"adult-swapped":          {methodWith("PHE", false, protocol.Swapped, runOf(0, 0.6, 0.9)), methodWith("PHE", true, protocol.Swapped, runOf(0, 0.5, 0.9)), methodWith(measure.Reference, false, protocol.Swapped, runOf(0, 0.9, 0.9))},
	} {
		methods[0].TotalParameters = 722
		write(t, folder, name, methods...)
	}
	table := filetest.Must(markdown("one-pass", result.OpenFolder(folder)))(t)
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
