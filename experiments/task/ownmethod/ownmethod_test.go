package ownmethod_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pkg/errors"

	"gophe/data/column"
	"gophe/data/files"
	"gophe/data/labelled"
	"gophe/data/splits"
	"gophe/experiments/result"
	"gophe/experiments/result/resulttest"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/spec/protocol/protocoltest"
	"gophe/experiments/task"
	"gophe/experiments/task/ownmethod"
	"gophe/phe/disk/filetest"
)

// counter says how often each class was seen, with one row added for each class. By item it counts for each item of a column, and
// starts from the frequencies of all rows as if one row of the item had them.
type counter struct {
	column, classes int                  // column -1 counts all rows together
	seen            map[string][]float64 // by item; "" are all rows
}

// maker is a method's New.
type maker = func(ownmethod.Table, int64) ownmethod.Learner

func newCounter(column func(ownmethod.Table) int) maker {
	return func(t ownmethod.Table, _ int64) ownmethod.Learner {
		return counter{column(t), len(t.Classes), map[string][]float64{}}
	}
}

func (c counter) Predict(items []string, _ []float64) []float64 {
	p := c.shares("", slices.Repeat([]float64{1}, c.classes), float64(c.classes))
	if c.column < 0 {
		return p
	}
	return c.shares(items[c.column], p, 1)
}

// shares adds an item's counts to those before, of so many rows.
func (c counter) shares(item string, before []float64, rows float64) (p []float64) {
	own := append(c.seen[item], make([]float64, c.classes)...)[:c.classes]
	for _, n := range own {
		rows += n
	}
	for k, n := range before {
		p = append(p, (own[k]+n)/rows)
	}
	return p
}

func (c counter) Learn(items []string, _ []float64, class int) {
	for _, item := range append([]string{""}, items[max(0, c.column):c.column+1]...) {
		c.seen[item] = append(c.seen[item], make([]float64, c.classes)...)[:c.classes]
		c.seen[item][class]++
	}
}

func mustRun(t *testing.T, m ownmethod.Method, table task.Task, s spec.Spec, p *protocol.Plan) []result.Method {
	t.Helper()
	rows, _, err := m.Run(context.Background(), table, s, p, func(string) {})
	filetest.Check(t, err)
	return rows
}

// The rules that the program has and the same rules written by a caller score alike, to the last bit, along every protocol of tables.
func TestSameAsBaselines(t *testing.T) {
	s := filetest.Must(spec.Load("adult-online"))(t)
	for name, p := range protocoltest.Full {
		if slices.Contains([]string{protocol.Daily, protocol.Products, protocol.Recommend, protocol.TwoItems}, name) {
			continue // no tables
		}
		s.Protocol = p
		s.Protocol.Groups = min(p.Groups, 2) // the short table has few items
		table, plan, err := task.Load(s, files.Options{AllowAltered: true})
		filetest.Check(t, err)
		rivals := filetest.Must(table.Baselines(s, plan))(t)
		for i, m := range []ownmethod.Method{
			{Name: baseline.Majority, New: newCounter(func(ownmethod.Table) int { return -1 })},
			{Name: baseline.ItemMajority, New: newCounter(func(t ownmethod.Table) int { return t.Incremental })},
		} {
			rows := mustRun(t, m, table, s, plan)
			filetest.True(t, len(rows) == 2 && !rows[0].Frozen && rows[1].Frozen, "%s: rows %+v", name, rows)
			got, want := scores(rows[0]), scores(rivals[i])
			filetest.Want(t, len(want.Runs), 5, "%s: runs", name)
			filetest.True(t, len(want.Runs[0].Rows)+len(want.Runs[0].Tests) > 0, "%s: no scores", name)
			filetest.Want(t, got, want, "%s: the caller's %s", name, m.Name)
		}
	}
}

// scores returns a row of a result without its sizes and times.
func scores(m result.Method) result.Method {
	m.Parameters = 0
	m.Runs = slices.Clone(m.Runs)
	for i := range m.Runs {
		m.Runs[i].Seconds, m.Runs[i].InitialSteps, m.Runs[i].UpdateSteps = result.Seconds{}, 0, 0
	}
	return m
}

// notebook writes down each call of a learner.
type notebook struct {
	said  *[]string
	table ownmethod.Table
	seed  int64
}

func (n notebook) Predict(items []string, numbers []float64) []float64 {
	*n.said = append(*n.said, fmt.Sprint("? ", items, numbers))
	return []float64{0.25, 0.5, 0.25}
}

func (n notebook) Learn(items []string, numbers []float64, class int) {
	*n.said = append(*n.said, fmt.Sprint("! ", items, numbers, " ", n.table.Classes[class]))
}

// three is a table of three classes, with a column of items and one of numbers.
func three() *labelled.Table {
	return &labelled.Table{Name: "made up", Classes: []string{"red", "green", "blue"}, Labels: []int32{0, 1, 2, 1, 0},
		Categorical: []column.Categorical{{Name: "s", Values: []string{"a", "b", "a", "c", "b"}}},
		Numeric:     []column.Numeric{{Name: "x", Values: []float64{0.5, 1, 1.5, 2, 2.5}}}}
}

// planOf is a plan of rows of three, the last of them initial and the third for tests.
func planOf(table *labelled.Table, steps ...[]int32) *protocol.Plan {
	stream := &labelled.Stream{Table: table, Initial: []int32{4}, Steps: steps, Tests: []splits.Test{{Rows: []int32{2}}}}
	return &protocol.Plan{Stream: stream, Scored: true}
}

// A learner sees the initial rows with their classes, and each step's rows first without and then with them. Tests come in between.
func TestOrder(t *testing.T) {
	table := three()
	plan := planOf(table, []int32{0, 1}, []int32{3})
	var said []string
	var tables []ownmethod.Table
	m := ownmethod.Method{Name: "m", New: func(t ownmethod.Table, seed int64) ownmethod.Learner {
		said, tables = append(said, fmt.Sprint("new ", seed)), append(tables, t)
		return notebook{&said, t, seed}
	}}
	rows := mustRun(t, m, task.NewClassification(table), spec.Spec{Seeds: []int64{3}}, plan)
	want := strings.Split(`new 3
! [s_b] [2.5] red
? [s_a] [1.5]
? [s_a] [0.5]
? [s_b] [1]
! [s_a] [0.5] red
! [s_b] [1] green
? [s_c] [2]
! [s_c] [2] green
? [s_a] [1.5]
new 3
! [s_b] [2.5] red
? [s_a] [1.5]
? [s_a] [0.5]
? [s_b] [1]
? [s_c] [2]
? [s_a] [1.5]`, "\n")
	filetest.Want(t, said, want, "what a learner sees")
	about := ownmethod.Table{Items: []string{"s"}, Numbers: []string{"x"}, Classes: []string{"red", "green", "blue"}}
	filetest.Want(t, tables[0], about, "what it is told")
	frozen := rows[1].Runs[0]
	filetest.Want(t, [2]int{frozen.InitialSteps, frozen.UpdateSteps}, [2]int{1, 0}, "steps of a frozen model")
	filetest.Want(t, frozen.Seconds.Update, 0, "seconds of updates of a frozen model")
	run := rows[0].Runs[0]
	filetest.Want(t, run.UpdateSteps, 3, "steps")
	took := run.Seconds
	filetest.True(t, took.Initial > 0 && took.Predict > 0 && took.Update > 0, "seconds %+v", took)
	filetest.Want(t, run.Accuracy, []float64{0.5, 1}, "accuracy")
	filetest.Near(t, run.LogLikelihood[0], math.Log(0.125)/2, 1e-6, "log-likelihood")
	filetest.Want(t, len(run.Tests), 2, "tests")
	filetest.Want(t, run.Seed, 3, "the seed")
}

// faulty is right until it has learned a number of rows.
type faulty struct {
	left    int
	predict func() []float64
	learn   func()
}

func (f *faulty) Predict([]string, []float64) []float64 {
	if f.left > 0 || f.predict == nil {
		return []float64{0.5, 0.25, 0.25}
	}
	return f.predict()
}

func (f *faulty) Learn([]string, []float64, int) {
	if f.left--; f.left < 0 && f.learn != nil {
		f.learn()
	}
}

func count(m map[string]int) { m["x"]++ }

// Whatever goes wrong in a learner is an error that names the method, the seed, the step and the row, and where it panicked.
func TestErrors(t *testing.T) {
	table := three()
	plan := planOf(table, []int32{0}, []int32{1, 3})
	begun := func(l ownmethod.Learner) maker { return func(ownmethod.Table, int64) ownmethod.Learner { return l } }
	late := func(f faulty) maker {
		return func(ownmethod.Table, int64) ownmethod.Learner { f.left = 2; return &f }
	}
	predicts := func(p ...float64) maker { return late(faulty{predict: func() []float64 { return p }}) }
	beyond := func() []float64 { return table.Numeric[0].Values[:len(table.Labels)+2] }
	const here = "ownmethod_test.go:"
	for name, c := range map[string]struct {
		create maker
		want   []string
	}{
		"NaN": {predicts(math.NaN(), 0.5, 0.5),
			[]string{"step 2 of 2", "[NaN 0.5 0.5] for row 1", "3 classes (red, green, blue)", "add up to 1"}},
		"infinite": {predicts(math.Inf(1), 0, 0), []string{"+Inf"}},
		"negative": {predicts(-0.5, 1, 0.5), []string{"[-0.5 1 0.5]"}},
		"too much": {predicts(0.5, 0.5, 0.5), []string{"add up to 1"}},
		"too few":  {predicts(0.5, 0.5), []string{"each of the 3 classes"}},
		"none":     {predicts(), []string{"[]"}},
		"panics": {late(faulty{predict: beyond}),
			[]string{"step 2 of 2", "Predict panics: runtime error", "at row 1", "TestErrors", here}},
		"panics late": {late(faulty{learn: func() { panic("on purpose") }}),
			[]string{"step 2 of 2", "Learn panics: on purpose, at row 1", here}},
		"in a library": {late(faulty{learn: func() { _ = strings.Repeat("x", -len(table.Labels)) }}), []string{"negative Repeat", here}},
		"nil map":      {late(faulty{learn: func() { count(nil) }}), []string{"nil map", here}},
		"no New":       {nil, []string{"New is missing"}},
		"New panics":   {func(ownmethod.Table, int64) ownmethod.Learner { panic("no luck") }, []string{"New panics: no luck", here}},
		"New is nil":   {begun(nil), []string{"New returns nil"}},
		"at the test":  {begun(&faulty{left: 1, predict: func() []float64 { return nil }}), []string{"test after 0 steps"}},
		"at once":      {begun(&faulty{learn: func() { panic(1) }}), []string{"initial rows", here}},
	} {
		t.Run(name, func(t *testing.T) {
			own, seeds := ownmethod.Method{Name: "Mine", New: c.create}, spec.Spec{Seeds: []int64{7}}
			_, _, err := own.Run(context.Background(), task.NewClassification(table), seeds, plan, func(string) {})
			filetest.WantError(t, err, append(c.want, "method Mine", "seed 7")...)
			lines := strings.Split(err.Error(), "\n")
			place := regexp.MustCompile(`^\t/[^:]*/ownmethod_test\.go:\d+$`)
			told := len(lines) == 2 && place.MatchString(lines[1])
			filetest.Want(t, told, slices.Contains(c.want, here), "the place is a line that GoNB can read, in %q", lines)
		})
	}
}

// A sure forecast that is wrong costs as much as one of the program's own methods', and not infinitely much.
func TestSure(t *testing.T) {
	table := three()
	m := ownmethod.Method{Name: "m", New: func(ownmethod.Table, int64) ownmethod.Learner {
		return &faulty{predict: func() []float64 { return []float64{1, 0, 0} }}
	}}
	run := mustRun(t, m, task.NewClassification(table), spec.Spec{Seeds: []int64{0}}, planOf(table, []int32{1}))[0].Runs[0]
	filetest.Near(t, run.LogLikelihood[0], math.Log(1e-16), 1e-5, "log-likelihood")
	filetest.Want(t, run.Status, result.Complete, "the status")
}

// A run that is stopped ends within a row, of those that it learns and of those that it predicts.
func TestStopped(t *testing.T) {
	table := three()
	for call, want := range map[string]int{"Learn": 3, "Predict": 4} {
		ctx, cancel := context.WithCancel(context.Background())
		calls := map[string]int{}
		count := func(now string) {
			if calls[now]++; now == call && calls[now] == want {
				cancel()
			}
		}
		m := ownmethod.Method{Name: "m", New: func(ownmethod.Table, int64) ownmethod.Learner {
			predict := func() []float64 { count("Predict"); return []float64{0.5, 0.25, 0.25} }
			return &faulty{learn: func() { count("Learn") }, predict: predict}
		}}
		plan := planOf(table, []int32{0, 1, 2, 3})
		_, _, err := m.Run(ctx, task.NewClassification(table), spec.Spec{Seeds: []int64{0}}, plan, func(string) {})
		filetest.True(t, errors.Is(err, context.Canceled), "stopped by %s, it ends with %v", call, err)
		filetest.Want(t, calls[call], want, "calls of %s", call)
	}
}

func TestMain(m *testing.M) { os.Exit(resulttest.Main(m)) }
