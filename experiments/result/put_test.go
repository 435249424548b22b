package result_test

import (
	"reflect"
	"slices"
	"testing"

	"gophe/experiments/result"
)

// Runs stand in the order of their seeds, in whatever order they end; a seed's new run takes the place of its old one.
func TestPut(t *testing.T) {
	for _, seeds := range [][]int64{{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}, {1, 3, 0, 2, 1, 3}} {
		var m result.Method
		last := map[int64]int{}
		for i, seed := range seeds {
			m.Put(result.Run{Seed: seed, UpdateSteps: i})
			last[seed] = i
		}
		var got []int64
		for _, run := range m.Runs {
			got = append(got, run.Seed)
			if run.UpdateSteps != last[run.Seed] {
				t.Errorf("put in the order %v, seed %d has run number %d", seeds, run.Seed, run.UpdateSteps)
			}
		}
		if !slices.Equal(got, []int64{0, 1, 2, 3}) {
			t.Errorf("put in the order %v, they stand as %v", seeds, got)
		}
	}
}

// Tallies add up, each under its name and in its cell.
func TestTally(t *testing.T) {
	var r result.Run
	if r.Tally(nil); r.Tallies != nil {
		t.Errorf("of nothing %v", r.Tallies)
	}
	first := map[string][]result.Tally{"user first": {{Rows: 1, Error: 0.5}, {Rows: 2, Error: 0.25}}}
	r.Tally(first)
	r.Tally(map[string][]result.Tally{"user first": {{Rows: 4, Error: 1}, {}}, "film first": {{Rows: 8, Error: 2}}})
	want := map[string][]result.Tally{"user first": {{Rows: 5, Error: 1.5}, {Rows: 2, Error: 0.25}}, "film first": {{Rows: 8, Error: 2}}}
	if !reflect.DeepEqual(r.Tallies, want) {
		t.Errorf("%v, want %v", r.Tallies, want)
	}
	if first["user first"][0].Rows != 1 {
		t.Error("adding changed what was added")
	}
}
