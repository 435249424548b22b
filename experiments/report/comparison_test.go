package report

import (
	"fmt"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/spec/protocol"
)

// Each method stands next to the same one of the paper and of the other result, over all its seeds and over the same ones. A method
// that one result lacks has no number there.
func TestAgainst(t *testing.T) {
	file := func(name string, methods ...result.Method) *result.File {
		return &result.File{Name: name, Methods: methods}
	}
	method := func(name string, frozen bool, accuracies ...float64) result.Method {
		m := result.Method{Name: name, Frozen: frozen, Protocol: protocol.Online}
		for seed, a := range accuracies {
			m.Put(result.Run{Seed: int64(seed), Status: result.Complete, Rows: []int{80}, Accuracy: []float64{a / 100}})
		}
		return m
	}
	other := file("adult-online", method("PHE", false, 80, 82, 90), method("EE", false, 70, 72, 74), method("PHE", true, 81, 83, 85))
	own := file("mine", method("PHE", false, 60, 64), method("PHE", true, 61), method("Mine", false, 75, 75))
	want := []string{
		"PHE: paper 84.1 ± 0.2, other 84.0 ± 5.3, same seeds 81.0 ± 1.4, own 62.0 ± 2.8",
		"PHE (frozen): paper –, other 83.0 ± 2.0, same seeds 81.0, own 61.0",
		"Mine: paper –, other –, same seeds –, own 75.0 ± 0.0",
		"EE: paper 84.2 ± 0.0, other 72.0 ± 2.0, same seeds –, own –",
	}
	rows := Against(own, other)
	if len(rows) != len(want) {
		t.Fatalf("%d rows, want %d", len(rows), len(want))
	}
	for i, r := range rows {
		got := fmt.Sprintf("%s: paper %s, other %s, same seeds %s, own %s", r.Method, r.Paper.Text(1), r.Other.Text(1), r.SameSeeds.Text(1), r.Own.Text(1))
		if got != want[i] {
			t.Errorf("got  %s\nwant %s", got, want[i])
		}
	}
}
