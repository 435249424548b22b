package protocol_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gophe/data/column"
	"gophe/data/cuts"
	"gophe/data/tables"
	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/spec/protocol/protocoltest"
	"gophe/phe/disk/filetest"
)

// PROTOCOL (b): the first of the table's groups is initial, each other one is a step, and all are tested before and after each.
func TestGroupPlan(t *testing.T) {
	for _, dataset := range []string{"mushroom", "bank"} {
		table := fixture.MustLoad(t, dataset)
		for _, cut := range []tables.GroupCut{tables.FileOrder, tables.Stratified} {
			spec := protocol.Spec{Name: protocol.GroupWise, InitialEpochs: 1, Groups: 4, Cut: cut}
			p, groups := protocoltest.MustPlan(t, spec, table), filetest.Must(table.GroupSplit(4, cut))(t)
			if p.Scored || !p.Untrained || len(p.Tests) != 4 || !slices.Equal(testedAfter(p), []int{0, 1, 2, 3}) {
				t.Errorf("%s: scored %v, untrained %v, %d tests after %v", dataset, p.Scored, p.Untrained, len(p.Tests), testedAfter(p))
			}
			checkRows(t, dataset, p)
			for g, train := range append([][]int32{p.Initial}, p.Steps...) {
				test, want := p.Tests[g], groups[g]
				if test.Name != fmt.Sprint("group ", g+1) || !slices.Equal(test.Items, want.Items) || test.Train != len(train) {
					t.Errorf("%s: test %d is %q of %q, %d rows learned", dataset, g, test.Name, test.Items, test.Train)
				}
				if !slices.Equal(train, want.Train) || !slices.Equal(test.Rows, want.Test) {
					t.Errorf("%s, group %d: %d rows learned and %d tested are not the cut's", dataset, g+1, len(train), len(test.Rows))
				}
			}
			spec.MaxTestRows = 100
			for _, test := range protocoltest.MustPlan(t, spec, table).Tests {
				filetest.Want(t, len(test.Rows) == 100,
					"%s: %d test rows in spite of max_test_rows 100", dataset, len(test.Rows))
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
	table := &tables.Table{Categorical: []column.Categorical{{Name: "c", Values: values}}, Labels: make([]int32, 44), Classes: []string{"no", "yes"}}
	p := protocoltest.MustPlan(t, protocol.Spec{Name: protocol.GroupWise, InitialEpochs: 1, Groups: 11, Cut: tables.FileOrder}, table)
	if len(p.Tests) != 11 || p.Tests[9].Name != "group 10" || p.Tests[10].Name != "group 11" {
		t.Errorf("%d tests, the last %q", len(p.Tests), p.Tests[len(p.Tests)-1].Name)
	}
}

// PROTOCOL (a): chunks and rows scored; Mushroom's 300 chunks of 3 rows have 600 scored rows.
func TestOnlinePlan(t *testing.T) {
	mushroom, bank := fixture.MustLoad(t, "mushroom"), fixture.MustLoad(t, "bank")
	whole := protocoltest.MustPlan(t, protocol.Spec{Name: protocol.Online, InitialEpochs: 1, InitialFraction: 0.3, ChunkRows: 3}, mushroom)
	short := protocoltest.MustPlan(t, protocol.Spec{Name: protocol.Online, InitialEpochs: 1, InitialFraction: 0.3, ChunkRows: 3, MaxChunks: 300}, mushroom)
	banks := protocoltest.MustPlan(t, protocol.Spec{Name: protocol.Online, InitialEpochs: 1, InitialFraction: 0.3, ChunkRows: 100}, bank)
	text := protocoltest.MustPlan(t, protocol.Spec{Name: protocol.Online, InitialEpochs: 1, InitialFraction: 0.3, ChunkRows: 100,
		AllRows: true}, bank)
	for _, c := range []struct {
		name                          string
		p                             *protocol.Plan
		initial, steps, last, largest int
	}{
		{"bank, all rows", text, 13563, 317, 48, 100}, // int(0.3·45211)
		{"mushroom", whole, 2019, 1964, 2, 2},         // int(0.8·int(0.3·8416))
		{"mushroom, 300", short, 2019, 300, 2, 2},
		{"bank", banks, 10850, 317, 38, 80},
	} {
		p := c.p
		if len(p.Initial) != c.initial || len(p.Steps) != c.steps || len(p.Steps[c.steps-1]) != c.last || p.LargestStep() != c.largest {
			t.Errorf("%s: %d initial rows, %d steps, the last of %d rows, the largest of %d", c.name, len(p.Initial), len(p.Steps), len(p.Steps[len(p.Steps)-1]), p.LargestStep())
		}
		if !p.Scored || p.Untrained || len(p.Tests) != 0 || len(testedAfter(p)) != 0 {
			t.Errorf("%s: scored %v, %d tests", c.name, p.Scored, len(p.Tests))
		}
		checkRows(t, c.name, p)
	}
	for i, step := range short.Steps {
		if !slices.Equal(step, whole.Steps[i]) {
			t.Fatalf("step %d differs once the stream is cut short", i)
		}
	}
	if got := protocoltest.MustPlan(t, protocoltest.Full[protocol.Online], fixture.MustLoad(t, "adult")); !strings.HasSuffix(protocoltest.SizesOf(got), " [24 24 24] []") {
		t.Errorf("adult: %s", protocoltest.SizesOf(got))
	}
}

// The order test learns the rows of the online stream, and is tested on all other rows.
func TestOrderPlan(t *testing.T) {
	bank := fixture.MustLoad(t, "bank")
	online := protocoltest.MustPlan(t, protocol.Spec{Name: protocol.Online, InitialEpochs: 1, InitialFraction: 0.3, ChunkRows: 100}, bank)
	order := protocoltest.MustPlan(t, protocol.Spec{Name: protocol.Order, InitialEpochs: 1, InitialFraction: 0.3, ChunkRows: 100}, bank)
	if !slices.EqualFunc(order.Steps, online.Steps, slices.Equal[[]int32]) || !slices.Equal(order.Initial, online.Initial) || !order.Scored {
		t.Error("the stream is not the online one")
	}
	checkRows(t, "bank", order)
	if len(order.Tests) != 1 || order.Tests[0].Name != "held out" || len(learned(order))+len(order.Tests[0].Rows) != 45211 {
		t.Errorf("%d tests, %d of 45211 rows learned", len(order.Tests), len(learned(order)))
	}
	filetest.Want(t, slices.Equal(testedAfter(order), []int{0, 317}),
		"tests after %v steps, want before the first and after the last", testedAfter(order))
	limited := protocoltest.MustPlan(t, protocol.Spec{Name: protocol.Order, InitialEpochs: 1, InitialFraction: 0.3, ChunkRows: 100, MaxChunks: 3, MaxTestRows: 7}, bank)
	all := protocoltest.MustPlan(t, protocol.Spec{Name: protocol.Order, InitialEpochs: 1, InitialFraction: 0.3, ChunkRows: 100, MaxChunks: 3}, bank).Tests[0].Rows
	filetest.Want(t, len(all) == 2713+3*20, // a fifth of the initial block, rounded up, and of three chunks
		"%d rows held out of the initial block and three chunks", len(all))
	var want []int32 // evenly spaced, from the first on
	for k := range 7 {
		want = append(want, all[k*len(all)/7])
	}
	filetest.Want(t, slices.Equal(limited.Tests[0].Rows, want) && want[0] == all[0],
		"test rows %v, want %v", limited.Tests[0].Rows, want)
}

// Supp. G.6: two groups; all rows of the second come one by one, and none of its items was seen before.
func TestAdaptationPlan(t *testing.T) {
	mushroom := fixture.MustLoad(t, "mushroom")
	for _, cut := range []tables.GroupCut{tables.FileOrder, tables.Stratified} {
		p := protocoltest.MustPlan(t, protocol.Spec{Name: protocol.Adaptation, InitialEpochs: 1, Cut: cut, TestEvery: 100}, mushroom)
		groups := filetest.Must(mushroom.GroupSplit(2, cut))(t)
		if n := len(groups[1].Train) + len(groups[1].Test); len(p.Steps) != n || len(learned(p))+len(tested(p)) != 8416 || p.LargestStep() != 1 {
			t.Errorf("%s: %d steps of the second group's %d rows", cut, len(p.Steps), n)
		}
		checkRows(t, string(cut), p)
		if !p.Scored || p.Untrained || len(p.Tests) != 1 || p.Tests[0].Name != "group 1" || !slices.Equal(p.Tests[0].Rows, groups[0].Test) {
			t.Errorf("%s: scored %v, untrained %v, %d tests", cut, p.Scored, p.Untrained, len(p.Tests))
		}
		values := mushroom.Categorical[mushroom.Incremental].Values
		for _, row := range p.Initial {
			if !slices.Contains(groups[0].Items, values[row]) {
				t.Fatalf("%s: %s in the initial phase", cut, values[row])
			}
		}
		for _, step := range p.Steps {
			if !slices.Contains(groups[1].Items, values[step[0]]) {
				t.Fatalf("%s: %s comes again", cut, values[step[0]])
			}
		}
		short := protocoltest.MustPlan(t, protocol.Spec{Name: protocol.Adaptation, InitialEpochs: 1, Cut: cut, TestEvery: 100, MaxChunks: 250, MaxTestRows: 10}, mushroom)
		if len(short.Steps) != 250 || len(short.Tests[0].Rows) != 10 || !slices.Equal(testedAfter(short), []int{0, 100, 200, 250}) {
			t.Errorf("%s: %d steps, %d test rows, tests after %v", cut, len(short.Steps), len(short.Tests[0].Rows), testedAfter(short))
		}
		filetest.Want(t, short.Steps[249][0] == p.Steps[249][0], "%s: cut short, the stream differs", cut)
	}
}

// The streams of package data, which has tests of its own, arrive whole.
func TestArrivingPlans(t *testing.T) {
	adult := fixture.MustLoad(t, "adult")
	for _, name := range []string{protocol.ByGroup, protocol.Growing, protocol.Swapped} {
		p := protocoltest.MustPlan(t, protocoltest.Full[name], adult)
		checkRows(t, name, p)
		if !p.Scored || p.Untrained || p.TestEvery != protocoltest.Full[name].TestEvery || len(p.Changes) == 0 || len(p.Tests) < 2 {
			t.Errorf("%s: scored %v, %d changes, %d tests", name, p.Scored, len(p.Changes), len(p.Tests))
		}
		most := protocoltest.Full[name].MaxChunks * fixture.Pick(name == protocol.ByGroup, protocoltest.Full[name].Groups-1, 1)
		filetest.Want(t, len(p.Steps) != 0 && len(p.Steps) <= most,
			"%s: %d steps, want at most %d", name, len(p.Steps), most)
		for _, test := range p.Tests {
			filetest.Want(t, len(test.Rows) <= protocoltest.Full[name].MaxTestRows,
				"%s: %d rows in test %s", name, len(test.Rows), test.Name)
		}
		described := p.Describe()
		if described.Initial != len(p.Initial) || described.Steps != len(p.Steps) || len(described.Changes) != len(p.Changes) ||
			!slices.EqualFunc(described.Tests, p.Tests, func(a result.Test, b cuts.Test) bool {
				return a.Name == b.Name && slices.Equal(a.Items, b.Items) && a.Train == b.Train && a.Rows == len(b.Rows)
			}) || described.Changes[0] != (result.Change{Step: p.Changes[0].Step, What: p.Changes[0].What}) {
			t.Errorf("%s: described as %+v", name, described)
		}
	}
	swapped := protocoltest.MustPlan(t, protocoltest.Full[protocol.Swapped], adult)
	if swapped.Table == adult || slices.Equal(swapped.Table.Categorical[adult.Incremental].Values, adult.Categorical[adult.Incremental].Values) {
		t.Error("nothing is swapped")
	}
}

// An arrival changes only the order, and at-once only the steps. The rows learned and tested stay the same.
func TestArranged(t *testing.T) {
	adult := fixture.MustLoad(t, "adult")
	p := protocoltest.MustPlan(t, protocol.Spec{Name: protocol.Order, InitialEpochs: 1, InitialFraction: 0.3, ChunkRows: 100}, adult)
	before := protocoltest.SizesOf(p)
	stream := slices.Concat(p.Steps...)
	sorted := func(rows []int32) []int32 { return slices.Sorted(slices.Values(rows)) }
	values := adult.Categorical[adult.Incremental].Values
	for _, a := range []protocol.Arrival{protocol.AsItComes, protocol.Shuffled, protocol.Reversed, protocol.ByItem, protocol.AtOnce} {
		got := p.Arranged(a, 0)
		rows := slices.Concat(got.Steps...)
		filetest.Want(t, slices.Equal(sorted(rows), sorted(stream)), "%s: other rows", a)
		if !slices.Equal(got.Initial, p.Initial) || len(got.Tests) != 1 || !slices.Equal(got.Tests[0].Rows, p.Tests[0].Rows) || !got.Scored {
			t.Errorf("%s: another initial phase or test", a)
		}
		if a == protocol.AtOnce {
			if len(got.Steps) != 1 || got.LargestStep() != len(stream) || !slices.Equal(testedAfter(got), []int{0, 1}) {
				t.Errorf("%s: %d steps, tests after %v", a, len(got.Steps), testedAfter(got))
			}
		} else if protocoltest.SizesOf(got) != before || !slices.Equal(testedAfter(got), []int{0, len(p.Steps)}) {
			t.Errorf("%s: %s, want %s", a, protocoltest.SizesOf(got), before)
		}
		if same := slices.Equal(rows, stream); same != (a == protocol.AsItComes || a == protocol.AtOnce) {
			t.Errorf("%s: the rows' order is the stream's: %v", a, same)
		}
		switch a {
		case protocol.Reversed:
			slices.Reverse(rows)
			filetest.Want(t, slices.Equal(rows, stream), "%s: not the stream backwards", a)
		case protocol.ByItem:
			if !slices.IsSortedFunc(rows, func(x, y int32) int { return strings.Compare(values[x], values[y]) }) {
				t.Errorf("%s: items are mixed", a)
			}
		case protocol.Shuffled:
			if again := p.Arranged(a, 0); !slices.Equal(slices.Concat(again.Steps...), rows) {
				t.Errorf("%s: another order the second time", a)
			}
		}
	}
	filetest.Want(t, protocoltest.SizesOf(p) == before && slices.Equal(slices.Concat(p.Steps...), stream),
		"arranging changed the plan itself")
}

func TestPlanErrors(t *testing.T) {
	adult := fixture.MustLoad(t, "adult")
	for _, c := range []struct {
		name string
		p    protocol.Spec
		want []string
	}{
		{"more groups than items", protocol.Spec{Name: protocol.GroupWise, InitialEpochs: 1, Groups: 99, Cut: tables.FileOrder}, []string{"99 groups"}},
		{"no step", protocol.Spec{Name: protocol.Online, InitialEpochs: 1, InitialFraction: 0.9999, ChunkRows: 100}, []string{"0 steps"}},
		{"no initial row", protocol.Spec{Name: protocol.Online, InitialEpochs: 1, InitialFraction: 1e-6, ChunkRows: 100}, []string{"initial"}},
		{"by-group", protocol.Spec{Name: protocol.ByGroup, InitialEpochs: 1, Groups: 99, ChunkRows: 2, TestEvery: 1}, []string{"99 groups"}},
		{"growing", protocol.Spec{Name: protocol.Growing, InitialEpochs: 1, ChunkRows: 10000, TestEvery: 1}, []string{"10000"}},
		{"swapped", protocol.Spec{Name: protocol.Swapped, InitialEpochs: 1, InitialFraction: 0.5, ChunkRows: 10000, TestEvery: 1}, []string{"1 step"}},
	} {
		t.Log(c.name)
		filetest.WantError(t, filetest.Failure(protocol.NewPlan(c.p, adult)), c.want...)
	}

	// A group with a single row has nothing to be tested on.
	few := &tables.Table{Name: "few", Categorical: []column.Categorical{{Name: "c", Values: []string{"a", "a", "a", "b"}}}, Labels: []int32{0, 1, 0, 1}, Classes: []string{"no", "yes"}}
	_, err := protocol.NewPlan(protocol.Spec{Name: protocol.GroupWise, InitialEpochs: 1, Groups: 2, Cut: tables.FileOrder}, few)
	filetest.WantError(t, err, "has no rows", "too small")
}

// The rows of protocol in-order come as the file has them, each once.
func TestInOrder(t *testing.T) {
	p := protocoltest.MustPlan(t, protocol.Spec{Name: protocol.InOrder, InitialFraction: 0.25, InitialEpochs: 1, ChunkRows: 700}, fixture.MustLoad(t, "adult"))
	rows := learned(p)
	if protocoltest.SizesOf(p) != "460 [700 682] []" || !slices.IsSorted(rows) || len(rows) != p.Table.NumRows() {
		t.Errorf("%s of %d rows", protocoltest.SizesOf(p), p.Table.NumRows())
	}
	checkRows(t, protocol.InOrder, p)
	filetest.Want(t, !p.Shares(1), "a step shares a score where the protocol does not say so")
	shared := protocoltest.MustPlan(t, protocol.Spec{Name: protocol.InOrder, InitialFraction: 0.25, InitialEpochs: 1, ChunkRows: 700, ScoreSteps: 2}, p.Table)
	if shared.Shares(0) || !shared.Shares(1) || shared.Shares(2) {
		t.Error("of two steps the second shares the first one's score, and the third begins a new one")
	}
	filetest.WantError(t, filetest.Failure(protocol.NewPlan(protocol.Spec{Name: protocol.InOrder, InitialFraction: 0.0001, InitialEpochs: 1, ChunkRows: 700}, p.Table)), "initial_fraction 0.0001")
}

// learned returns the rows that a plan teaches.
func learned(p *protocol.Plan) []int32 {
	return slices.Concat(append([][]int32{p.Initial}, p.Steps...)...)
}

// tested returns the rows of a plan's tests.
func tested(p *protocol.Plan) []int32 {
	var rows []int32
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
func testedAfter(p *protocol.Plan) []int {
	var after []int
	for steps := 0; steps <= len(p.Steps); steps++ {
		if p.TestsAfter(steps) {
			after = append(after, steps)
		}
	}
	return after
}
