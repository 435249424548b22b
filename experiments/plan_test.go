package experiments

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gophe/data"
	"gophe/experiments/result"
)

// PROTOCOL (b): rows of each group, in the order of the file, and the groups that the paper prints.
func TestGroupPlan(t *testing.T) {
	for _, c := range []struct {
		dataset string
		want    string
		items   [][]string
	}{
		{"mushroom", "2571 [534 512 1995] [1285 266 256 997]", [][]string{{"MUSTY", "NONE"}, {"ANISE", "ALMOND"}, {"SPICY", "CREOSOTE"}, {"FOUL", "FISHY", "PUNGENT"}}},
		{"bank", "24640 [3268 1227 1008] [12319 1633 613 503]", [][]string{{"unknown"}, {"failure"}, {"other"}, {"success"}}},
	} {
		table := mustLoad(t, c.dataset)
		p := mustPlan(t, Protocol{Name: GroupWise, InitialEpochs: 1, Groups: 4, Cut: data.FileOrder}, table)
		if got := sizesOf(p); got != c.want {
			t.Errorf("%s: %s, want %s", c.dataset, got, c.want)
		}
		if p.scored || !p.untrained || !slices.Equal(testedAfter(p), []int{0, 1, 2, 3}) || p.largestStep() != pick(c.dataset == "bank", 3268, 1995) {
			t.Errorf("%s: scored %v, untrained %v, tests after %v, largest step %d", c.dataset, p.scored, p.untrained, testedAfter(p), p.largestStep())
		}
		checkRows(t, c.dataset, p)
		for g, test := range p.Tests {
			train := p.Initial
			if g > 0 {
				train = p.Steps[g-1]
			}
			if test.Name != fmt.Sprint("group ", g+1) || !slices.Equal(test.Items, c.items[g]) || test.Train != len(train) {
				t.Errorf("%s: test %d is %q of %q, %d rows learned", c.dataset, g, test.Name, test.Items, test.Train)
			}
			if !slices.IsSorted(train) || !slices.IsSorted(test.Rows) || train[len(train)-1] > test.Rows[0] {
				t.Errorf("%s, group %d: not the first two thirds of the file", c.dataset, g+1)
			}
			for _, row := range append(slices.Clone(train), test.Rows...) {
				if item := table.Categorical[table.Incremental].Values[row]; !slices.Contains(test.Items, item) {
					t.Fatalf("%s, group %d has a row of %s", c.dataset, g+1, item)
				}
			}
		}
		stratified := mustPlan(t, Protocol{Name: GroupWise, InitialEpochs: 1, Groups: 4, Cut: data.Stratified, MaxTestRows: 100}, table)
		checkRows(t, c.dataset, stratified)
		if slices.IsSorted(stratified.Initial) || stratified.Tests[0].Items[0] != c.items[0][0] {
			t.Errorf("%s: a stratified group is in random order, of the same items", c.dataset)
		}
		for _, test := range stratified.Tests {
			if len(test.Rows) != 100 {
				t.Errorf("%s: %d test rows in spite of max_test_rows 100", c.dataset, len(test.Rows))
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
	table := &data.Table{Categorical: []data.CategoricalColumn{{Name: "c", Values: values}}, Labels: make([]int32, 44), Classes: []string{"no", "yes"}}
	p := mustPlan(t, Protocol{Name: GroupWise, InitialEpochs: 1, Groups: 11, Cut: data.FileOrder}, table)
	if len(p.Tests) != 11 || p.Tests[9].Name != "group 10" || p.Tests[10].Name != "group 11" {
		t.Errorf("%d tests, the last %q", len(p.Tests), p.Tests[len(p.Tests)-1].Name)
	}
}

// PROTOCOL (a): chunks and rows scored; Mushroom's 300 chunks of 3 rows have 600 scored rows.
func TestOnlinePlan(t *testing.T) {
	mushroom, bank := mustLoad(t, "mushroom"), mustLoad(t, "bank")
	whole := mustPlan(t, Protocol{Name: Online, InitialEpochs: 1, InitialFraction: 0.3, ChunkRows: 3}, mushroom)
	short := mustPlan(t, Protocol{Name: Online, InitialEpochs: 1, InitialFraction: 0.3, ChunkRows: 3, MaxChunks: 300}, mushroom)
	banks := mustPlan(t, Protocol{Name: Online, InitialEpochs: 1, InitialFraction: 0.3, ChunkRows: 100}, bank)
	for _, c := range []struct {
		name                          string
		p                             *plan
		initial, steps, last, largest int
	}{
		{"mushroom", whole, 2019, 1964, 2, 2}, // int(0.8·int(0.3·8416))
		{"mushroom, 300", short, 2019, 300, 2, 2},
		{"bank", banks, 10850, 317, 38, 80},
	} {
		p := c.p
		if len(p.Initial) != c.initial || len(p.Steps) != c.steps || len(p.Steps[c.steps-1]) != c.last || p.largestStep() != c.largest {
			t.Errorf("%s: %d initial rows, %d steps, the last of %d rows, the largest of %d", c.name, len(p.Initial), len(p.Steps), len(p.Steps[len(p.Steps)-1]), p.largestStep())
		}
		if !p.scored || p.untrained || len(p.Tests) != 0 || len(testedAfter(p)) != 0 {
			t.Errorf("%s: scored %v, %d tests", c.name, p.scored, len(p.Tests))
		}
		checkRows(t, c.name, p)
	}
	for i, step := range short.Steps {
		if !slices.Equal(step, whole.Steps[i]) {
			t.Fatalf("step %d differs once the stream is cut short", i)
		}
	}
	if got := mustPlan(t, full[Online], mustLoad(t, "adult")); !strings.HasSuffix(sizesOf(got), " [24 24 24] []") {
		t.Errorf("adult: %s", sizesOf(got))
	}
}

// The order test learns what the online stream does, and is tested on all that it leaves out.
func TestOrderPlan(t *testing.T) {
	bank := mustLoad(t, "bank")
	online := mustPlan(t, Protocol{Name: Online, InitialEpochs: 1, InitialFraction: 0.3, ChunkRows: 100}, bank)
	order := mustPlan(t, Protocol{Name: Order, InitialEpochs: 1, InitialFraction: 0.3, ChunkRows: 100}, bank)
	if !slices.EqualFunc(order.Steps, online.Steps, slices.Equal[[]int32]) || !slices.Equal(order.Initial, online.Initial) || !order.scored {
		t.Error("the stream is not the online one")
	}
	checkRows(t, "bank", order)
	if len(order.Tests) != 1 || order.Tests[0].Name != "held out" || len(learned(order))+len(order.Tests[0].Rows) != 45211 {
		t.Errorf("%d tests, %d of 45211 rows learned", len(order.Tests), len(learned(order)))
	}
	if !slices.Equal(testedAfter(order), []int{0, 317}) {
		t.Errorf("tests after %v steps, want before the first and after the last", testedAfter(order))
	}
	limited := mustPlan(t, Protocol{Name: Order, InitialEpochs: 1, InitialFraction: 0.3, ChunkRows: 100, MaxChunks: 3, MaxTestRows: 7}, bank)
	all := mustPlan(t, Protocol{Name: Order, InitialEpochs: 1, InitialFraction: 0.3, ChunkRows: 100, MaxChunks: 3}, bank).Tests[0].Rows
	if len(all) != 2713+3*20 { // a fifth of the initial block, rounded up, and of three chunks
		t.Errorf("%d rows held out of the initial block and three chunks", len(all))
	}
	var want []int32 // evenly spaced, from the first on
	for k := range 7 {
		want = append(want, all[k*len(all)/7])
	}
	if !slices.Equal(limited.Tests[0].Rows, want) || want[0] != all[0] {
		t.Errorf("test rows %v, want %v", limited.Tests[0].Rows, want)
	}
}

// Supp. G.3: two groups; all rows of the second come one by one, and none of its items was seen before.
func TestAdaptationPlan(t *testing.T) {
	mushroom := mustLoad(t, "mushroom")
	for _, cut := range []data.GroupCut{data.FileOrder, data.Stratified} {
		p := mustPlan(t, Protocol{Name: Adaptation, InitialEpochs: 1, Cut: cut, TestEvery: 100}, mushroom)
		groups, err := mushroom.GroupSplit(2, cut)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(groups[1].Train) + len(groups[1].Test); len(p.Steps) != n || len(learned(p))+len(tested(p)) != 8416 || p.largestStep() != 1 {
			t.Errorf("%s: %d steps of the second group's %d rows", cut, len(p.Steps), n)
		}
		checkRows(t, string(cut), p)
		if !p.scored || p.untrained || len(p.Tests) != 1 || p.Tests[0].Name != "group 1" || !slices.Equal(p.Tests[0].Rows, groups[0].Test) {
			t.Errorf("%s: scored %v, untrained %v, %d tests", cut, p.scored, p.untrained, len(p.Tests))
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
		short := mustPlan(t, Protocol{Name: Adaptation, InitialEpochs: 1, Cut: cut, TestEvery: 100, MaxChunks: 250, MaxTestRows: 10}, mushroom)
		if len(short.Steps) != 250 || len(short.Tests[0].Rows) != 10 || !slices.Equal(testedAfter(short), []int{0, 100, 200, 250}) {
			t.Errorf("%s: %d steps, %d test rows, tests after %v", cut, len(short.Steps), len(short.Tests[0].Rows), testedAfter(short))
		}
		if short.Steps[249][0] != p.Steps[249][0] {
			t.Errorf("%s: cut short, the stream differs", cut)
		}
	}
}

// The streams of package data, which has tests of its own, arrive whole.
func TestArrivingPlans(t *testing.T) {
	adult := mustLoad(t, "adult")
	for _, name := range []string{ByGroup, Growing, Swapped} {
		p := mustPlan(t, full[name], adult)
		checkRows(t, name, p)
		if !p.scored || p.untrained || p.testEvery != full[name].TestEvery || len(p.Changes) == 0 || len(p.Tests) < 2 {
			t.Errorf("%s: scored %v, %d changes, %d tests", name, p.scored, len(p.Changes), len(p.Tests))
		}
		most := full[name].MaxChunks * pick(name == ByGroup, full[name].Groups-1, 1)
		if len(p.Steps) == 0 || len(p.Steps) > most {
			t.Errorf("%s: %d steps, want at most %d", name, len(p.Steps), most)
		}
		for _, test := range p.Tests {
			if len(test.Rows) > full[name].MaxTestRows {
				t.Errorf("%s: %d rows in test %s", name, len(test.Rows), test.Name)
			}
		}
		described := p.describe()
		if described.Initial != len(p.Initial) || described.Steps != len(p.Steps) || len(described.Changes) != len(p.Changes) ||
			!slices.EqualFunc(described.Tests, p.Tests, func(a result.Test, b data.Test) bool {
				return a.Name == b.Name && slices.Equal(a.Items, b.Items) && a.Train == b.Train && a.Rows == len(b.Rows)
			}) || described.Changes[0] != (result.Change{Step: p.Changes[0].Step, What: p.Changes[0].What}) {
			t.Errorf("%s: described as %+v", name, described)
		}
	}
	swapped := mustPlan(t, full[Swapped], adult)
	if swapped.Table == adult || slices.Equal(swapped.Table.Categorical[adult.Incremental].Values, adult.Categorical[adult.Incremental].Values) {
		t.Error("nothing is swapped")
	}
}

// What an arrival changes is the order, and at-once the steps: never what is learned or tested.
func TestArranged(t *testing.T) {
	adult := mustLoad(t, "adult")
	p := mustPlan(t, Protocol{Name: Order, InitialEpochs: 1, InitialFraction: 0.3, ChunkRows: 100}, adult)
	before := sizesOf(p)
	stream := slices.Concat(p.Steps...)
	sorted := func(rows []int32) []int32 { return slices.Sorted(slices.Values(rows)) }
	values := adult.Categorical[adult.Incremental].Values
	for _, a := range []Arrival{AsItComes, Shuffled, Reversed, ByItem, AtOnce} {
		got := p.arranged(a, 0)
		rows := slices.Concat(got.Steps...)
		if !slices.Equal(sorted(rows), sorted(stream)) {
			t.Errorf("%s: other rows", a)
		}
		if !slices.Equal(got.Initial, p.Initial) || len(got.Tests) != 1 || !slices.Equal(got.Tests[0].Rows, p.Tests[0].Rows) || !got.scored {
			t.Errorf("%s: another initial phase or test", a)
		}
		if a == AtOnce {
			if len(got.Steps) != 1 || got.largestStep() != len(stream) || !slices.Equal(testedAfter(got), []int{0, 1}) {
				t.Errorf("%s: %d steps, tests after %v", a, len(got.Steps), testedAfter(got))
			}
		} else if sizesOf(got) != before || !slices.Equal(testedAfter(got), []int{0, len(p.Steps)}) {
			t.Errorf("%s: %s, want %s", a, sizesOf(got), before)
		}
		if same := slices.Equal(rows, stream); same != (a == AsItComes || a == AtOnce) {
			t.Errorf("%s: the rows' order is the stream's: %v", a, same)
		}
		switch a {
		case Reversed:
			slices.Reverse(rows)
			if !slices.Equal(rows, stream) {
				t.Errorf("%s: not the stream backwards", a)
			}
		case ByItem:
			if !slices.IsSortedFunc(rows, func(x, y int32) int { return strings.Compare(values[x], values[y]) }) {
				t.Errorf("%s: items are mixed", a)
			}
		case Shuffled:
			if again := p.arranged(a, 0); !slices.Equal(slices.Concat(again.Steps...), rows) {
				t.Errorf("%s: another order the second time", a)
			}
		}
	}
	if sizesOf(p) != before || !slices.Equal(slices.Concat(p.Steps...), stream) {
		t.Error("arranging changed the plan itself")
	}
}

func TestPlanErrors(t *testing.T) {
	adult := mustLoad(t, "adult")
	for _, c := range []struct {
		name string
		p    Protocol
		want []string
	}{
		{"more groups than items", Protocol{Name: GroupWise, InitialEpochs: 1, Groups: 99, Cut: data.FileOrder}, []string{"99 groups"}},
		{"no step", Protocol{Name: Online, InitialEpochs: 1, InitialFraction: 0.9999, ChunkRows: 100}, []string{"0 steps"}},
		{"no initial row", Protocol{Name: Online, InitialEpochs: 1, InitialFraction: 1e-6, ChunkRows: 100}, []string{"initial"}},
		{"by-group", Protocol{Name: ByGroup, InitialEpochs: 1, Groups: 99, ChunkRows: 2, TestEvery: 1}, []string{"99 groups"}},
		{"growing", Protocol{Name: Growing, InitialEpochs: 1, ChunkRows: 10000, TestEvery: 1}, []string{"10000"}},
		{"swapped", Protocol{Name: Swapped, InitialEpochs: 1, InitialFraction: 0.5, ChunkRows: 10000, TestEvery: 1}, []string{"1 step"}},
	} {
		_, err := newPlan(c.p, adult)
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		wantError(t, err, c.want...)
	}

	// A group with a single row has nothing to be tested on.
	few := &data.Table{Name: "few", Categorical: []data.CategoricalColumn{{Name: "c", Values: []string{"a", "a", "a", "b"}}}, Labels: []int32{0, 1, 0, 1}, Classes: []string{"no", "yes"}}
	_, err := newPlan(Protocol{Name: GroupWise, InitialEpochs: 1, Groups: 2, Cut: data.FileOrder}, few)
	wantError(t, err, "has no rows", "too small")
}

// The rows of protocol in-order come as the file has them, each once.
func TestInOrder(t *testing.T) {
	p := mustPlan(t, Protocol{Name: InOrder, InitialFraction: 0.25, InitialEpochs: 1, ChunkRows: 700}, mustLoad(t, "adult"))
	rows := learned(p)
	if sizesOf(p) != "460 [700 682] []" || !slices.IsSorted(rows) || len(rows) != p.Table.NumRows() {
		t.Errorf("%s of %d rows", sizesOf(p), p.Table.NumRows())
	}
	checkRows(t, InOrder, p)
	if _, err := newPlan(Protocol{Name: InOrder, InitialFraction: 0.0001, InitialEpochs: 1, ChunkRows: 700}, p.Table); err == nil || !strings.Contains(err.Error(), "initial_fraction 0.0001") {
		t.Errorf("no initial row: %v", err)
	}
}
