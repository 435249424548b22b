package data

import "github.com/pkg/errors"

// Growing is the stream whose vocabulary grows: half of the items of the incremental column (rounded up) are known at
// the start, the others appear one after another, and all stay. Items are in the order of ItemGroups.
//
// Initial is one half (rounded up for each item and class) of the known items' training rows; the other half is
// streamed. The stream has one phase more than there are later items. In each phase the rows are drawn, without
// replacement, from the unused training rows of all items present by then, each row with the same chance; so an item
// has the share of a step that it has of the unused rows. The very first row of a phase is one of the item that appears
// with it, which is its Change. Steps have exactly chunkRows rows.
//
// Phases are equally long, as long as the rows present allow, and the last one takes what is left (it is much longer
// than the others only if the known items have few rows). If the stream would exceed maxSteps (0: no limit), each
// phase is cut short in proportion: all items still appear, at the same fractions of the stream. Rounding may leave
// fewer than maxSteps steps. It is an error if that leaves a phase without a step.
//
// Tests: "known at start", and "item X" for each later item X, in the order of appearance.
func (t *Table) Growing(chunkRows, maxSteps int) (*Stream, error) {
	const stream = "growing stream"
	if err := checkSteps(stream, chunkRows, maxSteps); err != nil {
		return nil, err
	}
	items := t.permutedItems()
	if len(items) < 2 {
		return nil, errors.Errorf("%s: column %q has %d item, want 2 or more", stream, t.Categorical[t.Incremental].Name, len(items))
	}
	known, later := items[:(len(items)+1)/2], items[(len(items)+1)/2:]
	random := t.afterItems()
	train, test := t.stratify(random.shuffled(t.allRows()), 2, 3)
	ofKnown, _ := t.partition(train, known)
	initial, pool := t.stratify(ofKnown, 1, 2)
	newcomers := t.byItem(train)

	perPhase, full := phaseSteps(len(pool), later, newcomers, chunkRows)
	if perPhase == 0 {
		return nil, errors.Errorf("%s: too few rows for steps of %d rows with each of %d items appearing at another one",
			stream, chunkRows, len(later))
	}
	shown, steps := perPhase, full
	if maxSteps > 0 && maxSteps < full {
		if maxSteps <= len(later) {
			return nil, errors.Errorf("%s: at most %d steps, want %d or more for %d items to appear", stream, maxSteps, len(later)+1, len(later))
		}
		steps = maxSteps
		shown = max(1, perPhase*steps/full)
	}

	s := &Stream{Table: t, Initial: initial}
	s.Steps = chunks(random.take(&pool, perPhase*chunkRows), chunkRows, shown)
	for i, item := range later {
		s.Changes = append(s.Changes, Change{len(s.Steps), naming([]string{item})})
		rows, limit := perPhase*chunkRows, shown
		if i == len(later)-1 {
			rows, limit = (full-perPhase*len(later))*chunkRows, steps-shown*len(later)
		}
		phase := newcomers[item][:1:1]
		pool = append(pool, newcomers[item][1:]...)
		phase = append(phase, random.take(&pool, rows-1)...)
		s.Steps = append(s.Steps, chunks(phase, chunkRows, limit)...)
	}
	t.addGrowingTests(s, known, later, test)
	return s, nil
}

// phaseSteps returns how many steps each phase but the last has room for, and how many the whole stream has, given the
// streamed rows of the known items and the rows of those that appear later.
func phaseSteps(known int, later []string, newcomers map[string][]int32, chunkRows int) (perPhase, full int) {
	present := known
	perPhase = present / chunkRows
	for i, item := range later { // phase i+1 ends when (i+2)·perPhase steps have been drawn from what is present
		present += len(newcomers[item])
		perPhase = min(perPhase, present/(chunkRows*(i+2)))
	}
	return perPhase, present / chunkRows
}

// byItem returns the rows of each item of the incremental column, keeping their order.
func (t *Table) byItem(rows []int32) map[string][]int32 {
	values := t.Categorical[t.Incremental].Values
	byItem := make(map[string][]int32)
	for _, row := range rows {
		byItem[values[row]] = append(byItem[values[row]], row)
	}
	return byItem
}

// addGrowingTests adds the tests of Growing to a stream that has its rows.
func (t *Table) addGrowingTests(s *Stream, known, later []string, test []int32) {
	learned := t.byItem(s.Initial)
	for _, step := range s.Steps {
		for item, rows := range t.byItem(step) {
			learned[item] = append(learned[item], rows...)
		}
	}
	n := 0
	for _, item := range known {
		n += len(learned[item])
	}
	rows, _ := t.partition(test, known)
	s.addTest(Test{Name: "known at start", Items: known, Train: n, Rows: rows})
	tested := t.byItem(test)
	for _, item := range later {
		s.addTest(Test{Name: naming([]string{item}), Items: []string{item}, Train: len(learned[item]), Rows: tested[item]})
	}
}
