package labelled

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gophe/data/datatest"
	"gophe/phe/disk/filetest"
)

func checkGrowing(t *testing.T, table *Table, s *Stream, chunkRows, maxSteps int) {
	t.Helper()
	checkStream(t, table, s, chunkRows)
	s.checkTrain(t)
	items, _ := table.permutedItems()
	known, later := items[:(len(items)+1)/2], items[(len(items)+1)/2:]
	filetest.Want(t, len(s.Changes), len(later), "changes")
	filetest.True(t, s.Table == table && (maxSteps == 0 || len(s.Steps) <= maxSteps), "%d steps, or another table", len(s.Steps))
	first := s.firstSteps()
	for i, item := range later {
		filetest.Want(t, s.Changes[i], Change{(i + 1) * s.Changes[0].Step, "item " + item}, "change %d", i)
		filetest.Want(t, first[item], s.Changes[i].Step, "the first step of item %q", item)
	}
	for _, step := range s.Steps {
		filetest.True(t, len(step) == chunkRows, "a step has %d rows", len(step))
	}
	initial, taught := table.strata(s.Initial), 0
	for s, n := range table.strata(table.allRows()) { // two thirds of which are taught, half of them at first
		if !slices.Contains(known, s.item) {
			continue
		}
		filetest.Want(t, initial[s], ((2*n+2)/3+1)/2, "%v: initial rows of %d", s, n)
		taught += initial[s]
	}
	filetest.True(t, taught == len(s.Initial), "Initial has %d rows, %d of them known", len(s.Initial), taught)
}

func TestGrowing(t *testing.T) {
	for name, table := range streamTables(t) {
		full := 0
		for _, maxSteps := range []int{0, 100, 1000000, 9} {
			t.Run(fmt.Sprint(name, maxSteps), func(t *testing.T) {
				const chunkRows = 50
				s := filetest.Must(table.Growing(chunkRows, maxSteps))(t)
				checkGrowing(t, table, s, chunkRows, maxSteps)
				if maxSteps == 0 {
					full = len(s.Steps)
					checkDraws(t, table, s)
				}
				filetest.True(t, maxSteps == 0 || len(s.Steps) == min(full, maxSteps), "%d steps", len(s.Steps))
				again := filetest.Must(table.Growing(chunkRows, maxSteps))(t)
				filetest.True(t, reflect.DeepEqual(s, again), "two calls differ")
			})
		}
	}
}

// checkDraws checks that each phase of an unlimited growing stream shows the items in proportion to their unused rows,
// and that fewer rows are left over than a step has.
func checkDraws(t *testing.T, table *Table, s *Stream) {
	t.Helper()
	unused := make(map[string]int) // training rows by item
	for stratum, n := range table.strata(table.allRows()) {
		unused[stratum.item] += (2*n + 2) / 3
	}
	for _, item := range itemsOf(table, s.Initial) {
		unused[item]--
	}
	present := slices.Clone(s.Tests[0].Items)
	for phase := range len(s.Changes) + 1 {
		begin, end := 0, len(s.Steps)
		if phase > 0 {
			begin = s.Changes[phase-1].Step
			present = append(present, strings.TrimPrefix(s.Changes[phase-1].What, "item "))
		}
		if phase < len(s.Changes) {
			end = s.Changes[phase].Step
		}
		pool, drawn := 0, itemsOf(table, slices.Concat(s.Steps[begin:end]...))
		for _, item := range present {
			pool += unused[item]
		}
		n, N := float64(len(drawn)), float64(pool)
		got := datatest.Counts(drawn)
		for _, item := range present { // hypergeometric: 5 standard deviations, and the row that always begins the phase
			share := float64(unused[item]) / N
			sd := math.Sqrt(n * share * (1 - share) * (N - n) / (N - 1))
			filetest.True(t, math.Abs(float64(got[item])-n*share) <= 5*sd+1,
				"phase %d: %d rows of %q, expected %.0f ± %.0f", phase, got[item], item, n*share, sd)
			unused[item] -= got[item]
		}
	}
	left := 0
	for _, n := range unused {
		left += n
	}
	filetest.True(t, left >= 0 && left < len(s.Steps[0]), "%d rows are left over", left)
}
