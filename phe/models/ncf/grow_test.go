package ncf_test

import (
	"bytes"
	"slices"
	"testing"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/learn/learntest"
	"gophe/phe/models/ncf"
)

// growth is a learner that TestGrowForgetsNothing grows.
type growth struct {
	name   string
	method method
	seeds  []int64
	change func(*ncf.Config)
	pinned bool
	always bool // also where each case takes seconds to compile
}

var growths = []growth{
	{"Ada, two runs", methods[1], []int64{4, 1}, func(*ncf.Config) {}, false, true},
	{"Ada, pinned", methods[1], []int64{4}, func(*ncf.Config) {}, true, false},
	{"PHE", methods[0], []int64{4}, func(*ncf.Config) {}, false, false},
	{"PHE, embedded labels, rows, two runs", methods[0], []int64{4, 1}, func(c *ncf.Config) { c.LabelInput, c.Scheme = ncf.Embedded, phe.Fresh }, false, false},
	{"P-EE", methods[2], []int64{4}, func(*ncf.Config) {}, false, false},
}

// Growing the tables changes no prediction by a bit, also of users and items that nobody has seen. Updates go on and compile
// nothing. A grown learner is restored from a snapshot and from a file, and a snapshot of before it grew brings back small tables.
func TestGrowForgetsNothing(t *testing.T) {
	for _, c := range growths {
		t.Run(c.name, func(t *testing.T) {
			if nettest.Brief(t) && !c.always {
				t.Skip("ten seconds of compilation")
			}
			l := c.learner(t)
			check(t, l.Fit(rowsOf(0, 71), 2))
			l.Settle()
			check(t, l.Update(rowsOf(71, 80), 2))
			small := snapshot(t, l.Led)
			before, compiled, rows := l.predictions(t), l.CompileTime(), l.TableRows()
			check(t, l.Grow())
			l.wantPredictions(t, before, "growing")
			check(t, l.Update(rowsOf(75, 97), 2))
			before = l.predictions(t)
			check(t, l.Grow())
			l.wantPredictions(t, before, "growing again")
			if got := l.TableRows(); got != 4*rows || l.Counts().Doublings != 2 {
				t.Errorf("tables of %d rows have %d after growing %d times", rows, got, l.Counts().Doublings)
			}

			bySnapshot, byFile := l.fromSnapshot(t), l.fromFile(t)
			check(t, l.Update(rowsOf(40, 60), 2))
			want := snapshot(t, l.Led)
			for _, other := range []grower{bySnapshot, byFile} {
				if got := other.TableRows(); got != 4*rows {
					t.Errorf("a grown learner is restored with %d rows, want %d", got, 4*rows)
				}
				other.wantPredictions(t, before, "restoring a grown learner")
				other.wantGoesOn(t, want)
			}
			check(t, l.Restore(small))
			check(t, byFile.Restore(small))
			if l.TableRows() != rows || !slices.Equal(l.predictions(t), byFile.predictions(t)) {
				t.Errorf("a snapshot of small tables leaves %d rows, want %d", l.TableRows(), rows)
			}
			if took := l.CompileTime(); took != compiled && !c.pinned {
				t.Errorf("after %v of compilation, growing took another %v", compiled, took-compiled)
			}
		})
	}
}

// grower is a learner of the toy data that grows.
type grower struct {
	learntest.Led
	growth growth
	fresh  *learn.Batch // ratings with a user or an item that nobody has seen
}

// learner returns a learner that has seen no data.
func (c growth) learner(t *testing.T) grower {
	t.Helper()
	config := c.method.config()
	c.change(&config)
	fresh := encode(t, config, []ncf.Rating{{User: "new", Item: "3"}, {User: "1", Item: "new", Labels: config.Labels[1:3]}})
	l := grower{Led: newLearner(t, config, toyData(), 0, c.seeds...), growth: c, fresh: fresh}
	l.pin(t)
	return l
}

// pin copies the data to the device if the case says so.
func (l grower) pin(t *testing.T) {
	t.Helper()
	if l.growth.pinned {
		filetest.Must(l.Pin(l.All))(t)
	}
}

// predictions returns forecasts of known ratings and of fresh ones.
func (l grower) predictions(t *testing.T) []float32 {
	t.Helper()
	p := filetest.Must(l.Learner.Predict(l.fresh))(t)
	return append(predict(t, l.Led, rowsOf(0, 40), 0), p.Values...)
}

func (l grower) wantPredictions(t *testing.T, want []float32, after string) {
	t.Helper()
	if got := l.predictions(t); !slices.Equal(got, want) {
		t.Errorf("%s changed predictions, from %v to %v", after, want, got)
	}
}

// fromSnapshot returns a fork of a learner, restored from a snapshot.
func (l grower) fromSnapshot(t *testing.T) grower {
	t.Helper()
	other := grower{Led: l.Forked(t, l.growth.seeds...), growth: l.growth, fresh: l.fresh}
	check(t, other.Restore(snapshot(t, l.Led)))
	other.pin(t)
	return other
}

// fromFile returns a fork of a learner, read from a file.
func (l grower) fromFile(t *testing.T) grower {
	t.Helper()
	other := grower{Led: l.Forked(t, l.growth.seeds...), growth: l.growth, fresh: l.fresh}
	var file bytes.Buffer
	filetest.Must(l.WriteTo(&file))(t)
	filetest.Must(other.ReadFrom(&file))(t)
	other.pin(t)
	return other
}

// wantGoesOn checks that a restored learner learns the same ratings to the same parameters.
func (l grower) wantGoesOn(t *testing.T, want learn.Snapshot) {
	t.Helper()
	check(t, l.Update(rowsOf(40, 60), 2))
	if got := snapshot(t, l.Led); !slices.EqualFunc(got.Parameters, want.Parameters, slices.Equal[[]float32]) || got.Counts != want.Counts {
		t.Error("a grown learner that was restored goes on otherwise")
	}
}

// Tables that grow in the initial phase hold everything twice for each run, with Adam's moments. The phase and its file continue.
func TestGrowInInitialPhase(t *testing.T) {
	c := methods[0].config()
	if nettest.Brief(t) { // it compiles in half the time
		c = methods[1].config()
	}
	l := newLearner(t, c, toyData(), 0, 4, 1)
	check(t, l.Fit(rowsOf(0, 71), 1))
	small := snapshot(t, l)
	check(t, l.Grow())
	grown := snapshot(t, l)
	perPhase := len(small.Parameters)
	if len(small.Moments) != 2*perPhase {
		t.Fatalf("%d lists of moments of %d parameters", len(small.Moments), perPhase)
	}
	lists, twice := slices.Concat(small.Parameters, small.Moments), slices.Concat(grown.Parameters, grown.Moments)
	if len(twice) != len(lists) {
		t.Fatalf("%d lists after growing, want %d", len(twice), len(lists))
	}
	for i, list := range lists {
		want := list
		if i%perPhase < nettest.NumEmbedding(c.Encoder) {
			run := len(list) / 2
			want = slices.Concat(list[:run], list[:run], list[run:], list[run:])
		}
		if !slices.Equal(twice[i], want) {
			t.Errorf("list %d does not hold every row twice", i)
		}
	}
	other := l.Forked(t, 4, 1)
	var file bytes.Buffer
	filetest.Must(l.WriteTo(&file))(t)
	filetest.Must(other.ReadFrom(&file))(t)
	var ends [2]learn.Snapshot
	for i, l := range []learntest.Led{l, other} {
		check(t, l.Fit(rowsOf(0, 71), 1))
		ends[i] = snapshot(t, l)
		if slices.Equal(ends[i].Parameters[0], grown.Parameters[0]) {
			t.Error("a grown table does not go on with the initial phase")
		}
	}
	if !slices.EqualFunc(ends[0].Parameters, ends[1].Parameters, slices.Equal[[]float32]) {
		t.Error("the initial phase of grown tables goes on otherwise from a file")
	}
}

// An update on items that share no rows teaches a grown learner the same as a learner that has not grown.
func TestGrownUpdatesAlike(t *testing.T) {
	for i, method := range methods {
		if nettest.Brief(t) && i > 0 {
			break
		}
		c := method.config()
		if c.Encoder.Rows == phe.Hashed { // few items and many rows
			c.Encoder.NumBuckets, c.Encoder.NumWeights = 50021, 25013
		}
		small := newLearner(t, c, toyData(), 0, 6)
		grown := small.Forked(t, 6)
		day := rowsOf(20, 29)
		if encoder, err := phe.NewEncoder(c.Encoder); err != nil || shared(encoder, small.All.Items) {
			t.Fatalf("%s: the items share rows (%v)", method.name, err)
		}
		check(t, grown.Grow())
		for range 2 {
			check(t, small.Update(day, 3))
			check(t, grown.Update(day, 3))
		}
		if !slices.Equal(predict(t, small, rowsOf(0, 40), 0), predict(t, grown, rowsOf(0, 40), 0)) {
			t.Errorf("%s: a grown learner learns otherwise from items that share no rows", method.name)
		}
	}
}

// shared tells whether any items share a row of a table.
func shared(e *phe.Encoder, items []string) bool {
	rows, err := e.Items(items)
	if err != nil {
		panic(err)
	}
	distinct := func(rows []int32) int {
		slices.Sort(rows)
		return len(slices.Compact(rows))
	}
	all := len(rows.Buckets) + len(rows.Weights)
	return distinct(rows.Buckets)+distinct(rows.Weights) < all
}
