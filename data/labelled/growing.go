package labelled

import (
	"slices"

	"github.com/pkg/errors"

	"gophe/data/splits"
)

// Growing returns the stream whose vocabulary grows. Half of the items of the incremental column (rounded up) are known at the
// beginning. The others appear one after another, in the permuted order of GroupSplit, and stay.
//
// Initial holds half of the known items' training rows, rounded up for each item and class. The other half is streamed in phases. In the
// first phase no item appears, in each later phase one. A phase draws its rows without replacement from the unused training rows of all
// present items, each row with the same chance. Its first row is of the item that appears, which is a Change. Steps have exactly
// chunkRows rows.
//
// Phases have the same length, the largest that the present rows allow, and the last phase takes the rest. It is much longer than the
// others only if the known items have few rows. A stream longer than maxSteps (0: no limit) has each phase cut short in
// proportion, so that items appear at the same fractions of the stream. Rounding may leave fewer than maxSteps steps. A phase without
// a step is an error.
//
// The tests are "known at start", and "item X" for each later item X, in the order of appearance.
func (t *Table) Growing(chunkRows, maxSteps int) (*Stream, error) {
	const stream = "growing stream"
	if err := checkSteps(stream, chunkRows, maxSteps); err != nil {
		return nil, err
	}
	items, random := t.permutedItems()
	if len(items) < 2 {
		return nil, errors.Errorf("%s: column %q has %d item, want at least 2", stream, t.Categorical[t.Incremental].Name, len(items))
	}
	known, later := items[:(len(items)+1)/2], items[(len(items)+1)/2:]
	train, test := t.stratify(splits.Shuffled(random, t.allRows()), 2, 3)
	ofKnown, _ := t.partition(train, known)
	initial, pool := t.stratify(ofKnown, 1, 2)
	newcomers := t.byItem(train)

	perPhase, full := phaseSteps(len(pool), later, newcomers, chunkRows)
	if perPhase == 0 {
		return nil, errors.Errorf("%s: too few rows for steps of %d rows if each of %d items appears at a step of its own",
			stream, chunkRows, len(later))
	}
	shown, steps := perPhase, full
	if maxSteps > 0 && maxSteps < full {
		if maxSteps <= len(later) {
			return nil, errors.Errorf("%s: at most %d steps, want at least %d for %d items to appear", stream, maxSteps, len(later)+1,
				len(later))
		}
		steps = maxSteps
		shown = max(1, perPhase*steps/full)
	}

	s := &Stream{Table: t, Initial: initial}
	s.Steps = splits.Chunks(random.Take(&pool, perPhase*chunkRows), chunkRows, shown)
	for i, item := range later {
		s.Changes = append(s.Changes, Change{len(s.Steps), naming([]string{item})})
		rows, limit := perPhase*chunkRows, shown
		if i == len(later)-1 {
			rows, limit = (full-perPhase*len(later))*chunkRows, steps-shown*len(later)
		}
		phase := newcomers[item][:1:1]
		pool = append(pool, newcomers[item][1:]...)
		phase = append(phase, random.Take(&pool, rows-1)...)
		s.Steps = append(s.Steps, splits.Chunks(phase, chunkRows, limit)...)
	}
	t.addGrowingTests(s, known, later, test)
	return s, nil
}

// phaseSteps returns the number of steps of each phase except the last, and of the whole stream. Known is the number of streamed rows
// of the known items, newcomers holds the rows of the later items.
func phaseSteps(known int, later []string, newcomers map[string][]int32, chunkRows int) (perPhase, full int) {
	present := known
	perPhase = present / chunkRows
	for i, item := range later { // phase i+1 ends when (i+2)·perPhase steps have been drawn from the present rows
		present += len(newcomers[item])
		perPhase = min(perPhase, present/(chunkRows*(i+2)))
	}
	return perPhase, present / chunkRows
}

// byItem returns the rows of each item of the incremental column, in their order.
func (t *Table) byItem(rows []int32) map[string][]int32 {
	values := t.Categorical[t.Incremental].Values
	byItem := make(map[string][]int32)
	for _, row := range rows {
		byItem[values[row]] = append(byItem[values[row]], row)
	}
	return byItem
}

// addGrowingTests adds the tests of Growing to a stream that has its initial rows and steps.
func (t *Table) addGrowingTests(s *Stream, known, later []string, test []int32) {
	rows := slices.Concat(append([][]int32{s.Initial}, s.Steps...)...)
	taught, _ := t.partition(rows, known)
	tests, _ := t.partition(test, known)
	s.addTest(splits.Test{Name: "known at start", Items: known, Train: len(taught), Rows: tests})
	learned, tested := t.byItem(rows), t.byItem(test)
	for _, item := range later {
		s.addTest(splits.Test{Name: naming([]string{item}), Items: []string{item}, Train: len(learned[item]), Rows: tested[item]})
	}
}
