package ncf_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gophe/phe"
	"gophe/phe/ncf"
	"gophe/phe/online"
	"gophe/phe/phetest"
)

// Every method keeps the contract, as a classifier of ratings above and below a half.
func TestContract(t *testing.T) {
	for _, c := range []struct {
		name   string
		method method
		change func(*ncf.Config)
		always bool // also where each case takes seconds to compile
	}{
		{"PHE", methods[0], func(c *ncf.Config) {}, false},
		{"PHE, embedded genres, all parameters", methods[0], func(c *ncf.Config) { c.Genres, c.Scope = ncf.Embedded, phe.AllParameters }, true},
		{"PHE, items, no genres", methods[0], func(c *ncf.Config) { c.Scheme, c.Genres = phe.Items, ncf.NoGenres }, false},
		{"Ada", methods[1], func(c *ncf.Config) {}, false},
		{"P-EE, rows", methods[2], func(c *ncf.Config) { c.Scheme = phe.Rows }, false},
		{"EE, all parameters", methods[3], func(c *ncf.Config) { c.Scope = phe.AllParameters }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if phetest.Brief(t) && !c.always {
				t.Skip("ten seconds of compilation")
			}
			config := c.method.config()
			config.Encoder.InitialLogStdDev = -3
			if c.method.rows == phe.Hash { // few collisions, and some rows of nobody
				config.Encoder.NumBuckets, config.Encoder.NumWeights = 89, 83
			}
			c.change(&config)
			suite := contract(config)
			if phetest.Brief(t) {
				suite.Beside = 0 // excerpts' tests have runs side by side
			}
			suite.Check(t)
		})
	}
}

// classifier predicts whether a rating is above a half.
type classifier struct {
	*online.Learner
	ncf.Recommender
	runs int
}

func (c classifier) Predict(rows []int32, step int) ([]float32, error) {
	means, err := c.Learner.Predict(rows, step)
	if err != nil {
		return nil, err
	}
	var logs []float32
	for sample := range slices.Chunk(means, len(means)/(c.runs*len(rows))) {
		below := c.Predictive(sample).CDF(0.5)
		logs = append(logs, float32(math.Log(below)), float32(math.Log1p(-below)))
	}
	return logs, nil
}

func contract(c ncf.Config) phetest.Contract[online.Snapshot] {
	d := toyData()
	labels := make([]int32, len(d.Ratings))
	for i, film := range d.Film { // whoever rates: 80 ratings tell little of pairs
		labels[i] = film % 2
		d.Ratings[i] = 0.1 + 0.8*float32(labels[i])
	}
	day := []int32{80, 85, 91}
	models := map[int]*online.Model{}
	parts := func(s online.Snapshot, moving bool) (numbers [][]float32) {
		touched := touchedBy(c, d, day)
		for i, list := range s.Parameters {
			if i >= touched.lists {
				if moving == (c.Scope == phe.AllParameters) {
					numbers = append(numbers, list)
				}
				continue
			}
			rows, width := touched.of(c, i)
			var some []float32
			for row := range len(list) / width {
				if rows[row] == moving {
					some = append(some, list[row*width:(row+1)*width]...)
				}
			}
			numbers = append(numbers, some)
		}
		return
	}
	return phetest.Contract[online.Snapshot]{
		New: func(t testing.TB, seeds ...int64) phetest.Learner[online.Snapshot] {
			if models[len(seeds)] == nil {
				m, err := ncf.NewModel(phetest.Backend(t), c, d, len(seeds), len(day))
				check(t, err)
				models[len(seeds)] = m
			}
			l, err := models[len(seeds)].NewLearner(seeds)
			check(t, err)
			return classifier{l, c.Recommender, len(seeds)}
		},
		Initial: rowsOf(0, 80), Chunk: day, Labels: labels, Classes: 2, Epochs: 15,
		Flat:   func(s online.Snapshot) [][]float32 { return slices.Concat(s.Parameters, s.Moments) },
		Still:  func(s online.Snapshot) [][]float32 { return parts(s, false) },
		Moving: func(s online.Snapshot) [][]float32 { return parts(s, true) },
		Beside: 2e-3, // roundings of 1e-7 that eight steps of Adam divide by the size of small gradients
	}
}

// Learners of one model do not disturb each other, whoever goes first: also in the initial phase, whose data the model
// keeps from epoch to epoch.
func TestLearnersOfOneModel(t *testing.T) {
	c := methods[0].config()
	d := toyData()
	life := func(l *online.Learner, rows []int32) []func() {
		return []func(){
			func() { check(t, l.TrainEpoch(rows, 0)) },
			func() { check(t, l.TrainEpoch(rows, 1)) },
			l.EndInitialPhase,
			func() { check(t, l.Update(rows[:7], 2, 0)) },
			func() { predict(t, l, rows, 0) },
			func() { check(t, l.Update(rows[5:9], 2, 1)) },
		}
	}
	first, second := rowsOf(0, 31), rowsOf(50, 81) // as many, so that their data has one shape
	var alone [2]online.Snapshot
	own := newModel(t, c, d, 1, 64)
	for i, rows := range [][]int32{first, second} {
		if i > 0 && !phetest.Brief(t) { // else one life follows the other: a model fewer to compile
			own = newModel(t, c, d, 1, 64)
		}
		l := learnerOf(t, own, int64(i))
		for _, step := range life(l, rows) {
			step()
		}
		alone[i] = snapshot(t, l)
	}
	m := newModel(t, c, d, 1, 64)
	for _, reversed := range []bool{false, true} {
		learners := []*online.Learner{learnerOf(t, m, 0), learnerOf(t, m, 1)}
		a, b := life(learners[0], first), life(learners[1], second)
		for i := range a {
			if reversed {
				b[i]()
				a[i]()
			} else {
				a[i]()
				b[i]()
			}
		}
		for i, l := range learners {
			if !slices.EqualFunc(snapshot(t, l).Parameters, alone[i].Parameters, slices.Equal[[]float32]) {
				t.Errorf("learner %d beside another (reversed: %t) differs from itself alone", i, reversed)
			}
		}
	}
}

// Mistakes are errors that say so, on the host, and change nothing.
func TestLearnerErrors(t *testing.T) {
	c := methods[0].config()
	m := newModel(t, c, toyData(), 1, 13)
	if _, err := m.NewLearner([]int64{1, 2}); err == nil {
		t.Error("two seeds for one run")
	}
	l := learnerOf(t, m, 1)
	good := snapshot(t, l)
	for _, bad := range []struct {
		rows  []int32
		right string
	}{{nil, "at least 1"}, {[]int32{toyRatings}, "the data has 97"}, {[]int32{-1}, "the data has 97"}} {
		_, err := l.Predict(bad.rows, 0)
		for call, err := range map[string]error{
			"prediction": err, "update": l.Update(bad.rows, 1, 0), "initial phase": l.TrainEpoch(bad.rows, 0), "replay": l.Replay(bad.rows, 1, 0),
		} {
			if err == nil || !strings.Contains(err.Error(), bad.right) || !strings.Contains(err.Error(), call) {
				t.Errorf("%s of rows %v: %v, which should say %q", call, bad.rows, err, bad.right)
			}
		}
	}
	if err := l.Update(rowsOf(0, 14), 1, 0); err == nil || !strings.Contains(err.Error(), "at most 13") {
		t.Errorf("14 rows in an update of 13: %v", err)
	}
	if err := l.Restore(online.Snapshot{Parameters: good.Parameters[1:]}); err == nil {
		t.Error("a snapshot of other parameters restored")
	}
	if !slices.EqualFunc(good.Parameters, snapshot(t, l).Parameters, slices.Equal[[]float32]) {
		t.Error("an error changed the state")
	}
}

// Replay goes on with the initial phase on what was seen: it trains all parameters, and the same replay is the same.
func TestReplay(t *testing.T) {
	m := newModel(t, methods[0].config(), toyData(), 1, 64)
	var states [2]online.Snapshot
	for i := range states {
		l := learnerOf(t, m, 3)
		before := snapshot(t, l)
		check(t, l.Replay(rowsOf(0, 41), 3, 2))
		states[i] = snapshot(t, l)
		for k, list := range before.Parameters {
			if slices.Equal(list, states[i].Parameters[k]) {
				t.Errorf("a replay left parameter %d as it was", k)
			}
		}
	}
	if !slices.EqualFunc(states[0].Parameters, states[1].Parameters, slices.Equal[[]float32]) {
		t.Error("one seed replays in two ways")
	}
}
