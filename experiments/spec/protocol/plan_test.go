package protocol_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gophe/data/column"
	"gophe/data/labelled"
	"gophe/experiments/result/resulttest"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/spec/protocol/protocoltest"
	"gophe/phe/disk/filetest"
)

// planOf returns the plan of a protocol with one initial epoch.
func planOf(t *testing.T, p protocol.Spec, table *labelled.Table) *protocol.Plan {
	t.Helper()
	p.InitialEpochs = 1
	return protocoltest.MustPlan(t, p, table)
}

// kindOf says what a plan scores, and when: its steps, tests before any learning, and tests after some steps.
func kindOf(p *protocol.Plan) string {
	var names []string
	for _, test := range p.Tests {
		names = append(names, test.Name)
	}
	return fmt.Sprintf("scored %t, untrained %t, %q after %v", p.Scored, p.Untrained, names, testedAfter(p))
}

// PROTOCOL (b): the first of the table's groups is initial, each other one is a step, and all are tested before and after each.
func TestGroupPlan(t *testing.T) {
	for _, dataset := range []string{"mushroom", "bank"} {
		table := resulttest.MustLoad(t, dataset)
		for _, cut := range []labelled.GroupCut{labelled.FileOrder, labelled.Stratified} {
			spec := protocol.Spec{Name: protocol.GroupWise, Groups: 4, Cut: cut}
			p, groups := planOf(t, spec, table), filetest.Must(table.GroupSplit(4, cut))(t)
			const want = `scored false, untrained true, ["group 1" "group 2" "group 3" "group 4"] after [0 1 2 3]`
			filetest.Want(t, kindOf(p), want, "%s", dataset)
			checkRows(t, dataset, p)
			for g, train := range append([][]int32{p.Initial}, p.Steps...) {
				test, want := p.Tests[g], groups[g]
				filetest.Want(t, test.Items, want.Items, "%s: items of %s", dataset, test.Name)
				filetest.Want(t, test.Train, len(train), "%s: rows learned for %s", dataset, test.Name)
				filetest.True(t, slices.Equal(train, want.Train), "%s, group %d learns other rows than the cut's", dataset, g+1)
				filetest.True(t, slices.Equal(test.Rows, want.Test), "%s, group %d is tested on other rows than the cut's", dataset, g+1)
			}
			spec.MaxTestRows = 100
			for _, test := range planOf(t, spec, table).Tests {
				filetest.Want(t, len(test.Rows), 100, "%s: max_test_rows", dataset)
			}
		}
	}
}

// More than nine groups have names too.
func TestManyGroups(t *testing.T) {
	var values []string
	for i := range 44 {
		values = append(values, fmt.Sprint("item ", i%11))
	}
	items := []column.Categorical{{Name: "c", Values: values}}
	table := &labelled.Table{Categorical: items, Labels: make([]int32, 44), Classes: []string{"no", "yes"}}
	p := planOf(t, protocol.Spec{Name: protocol.GroupWise, Groups: 11, Cut: labelled.FileOrder}, table)
	filetest.WantWords(t, kindOf(p), `"group 9" "group 10" "group 11"]`)
}

// PROTOCOL (a): chunks and rows scored; Mushroom's 300 chunks of 3 rows have 600 scored rows.
func TestOnlinePlan(t *testing.T) {
	mushroom, bank := resulttest.MustLoad(t, "mushroom"), resulttest.MustLoad(t, "bank")
	online := protocol.Spec{Name: protocol.Online, InitialFraction: 0.3}
	plan := func(table *labelled.Table, chunkRows, maxChunks int, allRows bool) *protocol.Plan {
		s := online
		s.ChunkRows, s.MaxChunks, s.AllRows = chunkRows, maxChunks, allRows
		return planOf(t, s, table)
	}
	whole, short := plan(mushroom, 3, 0, false), plan(mushroom, 3, 300, false)
	for _, c := range []struct {
		name string
		p    *protocol.Plan
		want [4]int
	}{
		{"bank, all rows", plan(bank, 100, 0, true), [4]int{13563, 317, 48, 100}}, // int(0.3·45211)
		{"mushroom", whole, [4]int{2019, 1964, 2, 2}},                             // int(0.8·int(0.3·8416))
		{"mushroom, 300", short, [4]int{2019, 300, 2, 2}},
		{"bank", plan(bank, 100, 0, false), [4]int{10850, 317, 38, 80}},
	} {
		sizes := [4]int{len(c.p.Initial), len(c.p.Steps), len(c.p.Steps[len(c.p.Steps)-1]), c.p.LargestStep()}
		filetest.Want(t, sizes, c.want, "%s: initial rows, steps, rows of the last and of the largest", c.name)
		filetest.Want(t, kindOf(c.p), "scored true, untrained false, [] after []", "%s", c.name)
		checkRows(t, c.name, c.p)
	}
	filetest.Want(t, short.Steps, whole.Steps[:300], "steps of the stream cut short")
	adult := resulttest.MustLoad(t, "adult")
	filetest.WantWords(t, protocoltest.SizesOf(protocoltest.MustPlan(t, protocoltest.Full[protocol.Online], adult)), " [24 24 24] []")
	n := adult.NumRows() // where the last chunk is a single row, nothing is scored there, and the stream ends with the chunk before
	filetest.Want(t, len(plan(adult, n-int(0.3*float64(n))-1, 0, false).Steps), 1, "steps before a chunk of one row")
}

// The order test learns the rows of the online stream, and is tested on all other rows.
func TestOrderPlan(t *testing.T) {
	bank := resulttest.MustLoad(t, "bank")
	s := protocol.Spec{Name: protocol.Order, InitialFraction: 0.3, ChunkRows: 100}
	online, order := s, planOf(t, s, bank)
	online.Name = protocol.Online
	want := planOf(t, online, bank)
	filetest.Want(t, order.Initial, want.Initial, "initial rows, and of the online stream")
	filetest.Want(t, order.Steps, want.Steps, "steps, and of the online stream")
	filetest.Want(t, kindOf(order), `scored true, untrained false, ["held out"] after [0 317]`, "order")
	checkRows(t, "bank", order)
	filetest.Want(t, len(learned(order))+len(tested(order)), 45211, "rows learned and tested")
	s.MaxChunks = 3
	all := tested(planOf(t, s, bank))
	filetest.Want(t, len(all), 2713+3*20, "rows held out: a fifth of the initial block, rounded up, and of three chunks")
	var spaced []int32 // evenly, from the first on
	for k := range 7 {
		spaced = append(spaced, all[k*len(all)/7])
	}
	s.MaxTestRows = 7
	filetest.Want(t, tested(planOf(t, s, bank)), spaced, "test rows")
}

// Supp. G.6: two groups; all rows of the second come one by one, and none of its items was seen before.
func TestAdaptationPlan(t *testing.T) {
	mushroom := resulttest.MustLoad(t, "mushroom")
	for _, cut := range []labelled.GroupCut{labelled.FileOrder, labelled.Stratified} {
		s := protocol.Spec{Name: protocol.Adaptation, Cut: cut, TestEvery: 100}
		p, groups := planOf(t, s, mushroom), filetest.Must(mushroom.GroupSplit(2, cut))(t)
		filetest.Want(t, len(p.Steps), len(groups[1].Train)+len(groups[1].Test), "%s: steps", cut)
		filetest.Want(t, len(learned(p))+len(tested(p)), 8416, "%s: rows learned and tested", cut)
		filetest.Want(t, p.LargestStep(), 1, "%s: rows of the largest step", cut)
		filetest.Want(t, tested(p), groups[0].Test, "%s: rows tested", cut)
		filetest.WantWords(t, kindOf(p), `scored true, untrained false, ["group 1"] after [0 100 200`)
		checkRows(t, string(cut), p)
		values := mushroom.Categorical[mushroom.Incremental].Values
		for _, row := range p.Initial {
			filetest.True(t, slices.Contains(groups[0].Items, values[row]), "%s: %s in the initial phase", cut, values[row])
		}
		for _, step := range p.Steps {
			filetest.True(t, slices.Contains(groups[1].Items, values[step[0]]), "%s: %s comes again", cut, values[step[0]])
		}
		s.MaxChunks, s.MaxTestRows = 250, 10
		short := planOf(t, s, mushroom)
		filetest.Want(t, short.Steps, p.Steps[:250], "%s: steps of the stream cut short", cut)
		filetest.Want(t, len(tested(short)), 10, "%s: rows tested of the stream cut short", cut)
		filetest.Want(t, testedAfter(short), []int{0, 100, 200, 250}, "%s: steps with tests after them", cut)
	}
}

// The streams of package data, which has tests of its own, arrive whole.
func TestArrivingPlans(t *testing.T) {
	adult := resulttest.MustLoad(t, "adult")
	for _, name := range []string{protocol.ByGroup, protocol.Growing, protocol.Swapped} {
		s := protocoltest.Full[name]
		p := protocoltest.MustPlan(t, s, adult)
		checkRows(t, name, p)
		filetest.True(t, p.Scored && !p.Untrained, "%s: %s", name, kindOf(p))
		filetest.Want(t, p.TestEvery, s.TestEvery, "%s: steps between tests", name)
		filetest.True(t, len(p.Changes) > 0 && len(p.Tests) >= 2, "%s: %d changes, %d tests", name, len(p.Changes), len(p.Tests))
		most := s.MaxChunks * resulttest.Pick(name == protocol.ByGroup, s.Groups-1, 1)
		filetest.True(t, len(p.Steps) > 0 && len(p.Steps) <= most, "%s: %d steps, want at most %d", name, len(p.Steps), most)
		for _, test := range p.Tests {
			filetest.True(t, len(test.Rows) <= s.MaxTestRows, "%s: %d rows in test %s", name, len(test.Rows), test.Name)
		}
	}
	swapped := protocoltest.MustPlan(t, protocoltest.Full[protocol.Swapped], adult).Table.Categorical[adult.Incremental]
	filetest.True(t, !slices.Equal(swapped.Values, adult.Categorical[adult.Incremental].Values), "nothing is swapped")
}

// An arrival changes only the order, and at-once only the steps. The rows learned and tested stay the same.
func TestArranged(t *testing.T) {
	adult := resulttest.MustLoad(t, "adult")
	p := planOf(t, protocol.Spec{Name: protocol.Order, InitialFraction: 0.3, ChunkRows: 100}, adult)
	before, kind := protocoltest.SizesOf(p), kindOf(p)
	stream := slices.Concat(p.Steps...)
	sorted := func(rows []int32) []int32 { return slices.Sorted(slices.Values(rows)) }
	values := adult.Categorical[adult.Incremental].Values
	byItem := func(x, y int32) int { return strings.Compare(values[x], values[y]) }
	for _, a := range []protocol.Arrival{protocol.AsItComes, protocol.Shuffled, protocol.Reversed, protocol.ByItem, protocol.AtOnce} {
		got := p.Arranged(a, 0)
		rows := slices.Concat(got.Steps...)
		filetest.True(t, slices.Equal(sorted(rows), sorted(stream)), "%s: other rows", a)
		filetest.Want(t, got.Initial, p.Initial, "%s: initial rows", a)
		filetest.Want(t, tested(got), tested(p), "%s: rows tested", a)
		if a == protocol.AtOnce {
			filetest.Want(t, len(got.Steps), 1, "%s: steps", a)
			filetest.Want(t, testedAfter(got), []int{0, 1}, "%s: steps with tests after them", a)
		} else {
			filetest.Want(t, protocoltest.SizesOf(got), before, "%s: sizes", a)
			filetest.Want(t, kindOf(got), kind, "%s: kind", a)
		}
		inOrder := a == protocol.AsItComes || a == protocol.AtOnce
		filetest.Want(t, slices.Equal(rows, stream), inOrder, "%s: the rows' order is the stream's", a)
		switch a {
		case protocol.Reversed:
			slices.Reverse(rows)
			filetest.True(t, slices.Equal(rows, stream), "%s: not the stream backwards", a)
		case protocol.ByItem:
			filetest.True(t, slices.IsSortedFunc(rows, byItem), "%s: items are mixed", a)
		case protocol.Shuffled:
			filetest.Want(t, slices.Concat(p.Arranged(a, 0).Steps...), rows, "%s: the second time, rows", a)
			filetest.True(t, !slices.Equal(slices.Concat(p.Arranged(a, 1).Steps...), rows), "%s: two draws are one order", a)
		}
	}
	filetest.True(t, protocoltest.SizesOf(p) == before && slices.Equal(slices.Concat(p.Steps...), stream),
		"arranging changed the plan itself")
}

func TestPlanErrors(t *testing.T) {
	adult := resulttest.MustLoad(t, "adult")
	for _, c := range []struct {
		name string
		p    protocol.Spec
		want []string
	}{
		{"more groups than items", protocol.Spec{Name: protocol.GroupWise, Groups: 99, Cut: labelled.FileOrder}, []string{"99 groups"}},
		{"no step", protocol.Spec{Name: protocol.Online, InitialFraction: 0.9999, ChunkRows: 100}, []string{"0 steps"}},
		{"no initial row", protocol.Spec{Name: protocol.Online, InitialFraction: 1e-6, ChunkRows: 100}, []string{"initial"}},
		{"by-group", protocol.Spec{Name: protocol.ByGroup, Groups: 99, ChunkRows: 2, TestEvery: 1}, []string{"99 groups"}},
		{"growing", protocol.Spec{Name: protocol.Growing, ChunkRows: 10000, TestEvery: 1}, []string{"10000"}},
		{"swapped", protocol.Spec{Name: protocol.Swapped, InitialFraction: 0.5, ChunkRows: 10000, TestEvery: 1}, []string{"1 step"}},
	} {
		t.Log(c.name)
		c.p.InitialEpochs = 1
		filetest.WantError(t, filetest.Failure(protocol.NewPlan(c.p, adult)), c.want...)
	}

	// A group with a single row has nothing to be tested on.
	items := []column.Categorical{{Name: "c", Values: []string{"a", "a", "a", "b"}}}
	few := &labelled.Table{Name: "few", Categorical: items, Labels: []int32{0, 1, 0, 1}, Classes: []string{"no", "yes"}}
	_, err := protocol.NewPlan(protocol.Spec{Name: protocol.GroupWise, InitialEpochs: 1, Groups: 2, Cut: labelled.FileOrder}, few)
	filetest.WantError(t, err, "has no rows", "too small")
}

// The rows of protocol in-order come as the file has them, each once.
func TestInOrder(t *testing.T) {
	s := protocol.Spec{Name: protocol.InOrder, InitialFraction: 0.25, InitialEpochs: 1, ChunkRows: 700}
	p := planOf(t, s, resulttest.MustLoad(t, "adult"))
	rows := learned(p)
	filetest.Want(t, protocoltest.SizesOf(p), "460 [700 682] []", "sizes")
	filetest.True(t, slices.IsSorted(rows) && len(rows) == p.Table.NumRows(),
		"%d of %d rows, or in another order", len(rows), p.Table.NumRows())
	checkRows(t, protocol.InOrder, p)
	filetest.True(t, !p.Shares(1), "a step shares a score where the protocol does not say so")
	s.ScoreSteps = 2
	shared := planOf(t, s, p.Table)
	filetest.True(t, !shared.Shares(0) && shared.Shares(1) && !shared.Shares(2),
		"of two steps the second shares the first one's score, and the third begins a new one")
	s.InitialFraction = 0.0001
	filetest.WantError(t, filetest.Failure(protocol.NewPlan(s, p.Table)), "initial_fraction 0.0001")
}

// learned returns the rows that a plan teaches.
func learned(p *protocol.Plan) []int32 {
	return slices.Concat(append([][]int32{p.Initial}, p.Steps...)...)
}

// tested returns the rows of a plan's tests.
func tested(p *protocol.Plan) (rows []int32) {
	for _, t := range p.Tests {
		rows = append(rows, t.Rows...)
	}
	return rows
}

// checkRows fails a test unless each row is learned once or tested once, and is a row of the table.
func checkRows(t *testing.T, name string, p *protocol.Plan) {
	t.Helper()
	seen := map[int32]bool{}
	for _, row := range append(learned(p), tested(p)...) {
		if row < 0 || int(row) >= p.Table.NumRows() || seen[row] {
			t.Errorf("%s: row %d of %d comes twice, or is none", name, row, p.Table.NumRows())
			return
		}
		seen[row] = true
	}
}

// testedAfter lists the numbers of steps after which tests are taken.
func testedAfter(p *protocol.Plan) (after []int) {
	for steps := 0; steps <= len(p.Steps); steps++ {
		if p.TestsAfter(steps) {
			after = append(after, steps)
		}
	}
	return after
}

// The validation part is of the initial rows, whatever the protocol: no row of the stream or of a test is learned or scored.
func TestValidationLeavesTheStreamAlone(t *testing.T) {
	table := resulttest.MustLoad(t, "adult")
	for name, p := range protocoltest.Full {
		if p.Windows != "" || name == protocol.TwoItems || name == protocol.Recommend { // no table
			p.Validation = 0.2
			filetest.WantError(t, p.Validate(), "validation does not belong to protocol")
			continue
		}
		p.MaxChunks = 0
		whole := protocoltest.MustPlan(t, p, table)
		p.Validation = 0.2
		part := protocoltest.MustPlan(t, p, table)
		initial, used := slices.Sorted(slices.Values(whole.Initial)), learned(part)
		slices.Sort(used)
		filetest.Want(t, used, initial, "%s: rows of the validation plan", name)
		filetest.Want(t, len(part.Initial), len(initial)-int(math.Round(0.2*float64(len(initial)))), "%s: rows learned first", name)
		filetest.Want(t, kindOf(part), "scored true, untrained false, [] after []", "%s", name)
		for _, row := range append(slices.Concat(whole.Steps...), tested(whole)...) {
			if _, found := slices.BinarySearch(used, row); found {
				t.Errorf("%s: row %d of the stream or of a test is in the validation plan", name, row)
				break
			}
		}
		filetest.Want(t, protocoltest.MustPlan(t, p, table).Initial, part.Initial, "%s: a second plan's initial rows", name)
		last := slices.Equal(learned(part), whole.Initial)
		filetest.True(t, name != protocol.InOrder || last, "%s: the last initial rows are not the held-out ones", name)
		if p.ChunkRows > 0 {
			filetest.Want(t, len(part.Steps[0]), whole.LargestStep(), "%s: rows of a step", name)
		} else {
			filetest.Want(t, len(part.Steps), 1, "%s: steps", name)
		}
	}
	p := protocoltest.Full[protocol.InOrder]
	p.InitialFraction, p.Validation = 0.003, 0.05
	filetest.WantError(t, filetest.Failure(protocol.NewPlan(p, table)), "validation 0.05 of 5 initial rows holds out 0")
}

func TestMain(m *testing.M) { os.Exit(resulttest.Main(m)) }
