package ncf_test

import (
	"math"
	"slices"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/learn/learntest"
	"gophe/phe/models/ncf"
)

// Every method keeps the contract, as a classifier of ratings above and below a half.
func TestContract(t *testing.T) {
	for _, c := range []struct {
		name   string
		method method
		unseen bool // has ratings of a user and an item that nobody else rated
		change func(*ncf.Config)
		always bool // also where each case takes seconds to compile
	}{
		{"PHE", methods[0], true, func(c *ncf.Config) {}, false},
		{"PHE, embedded labels, all parameters", methods[0], true, func(c *ncf.Config) { c.LabelInput, c.Scope = ncf.Embedded, phe.AllParameters }, true},
		{"PHE, items, no labels", methods[0], true, func(c *ncf.Config) { c.Scheme = phe.Items; setLabels(c, ncf.NoLabels) }, false},
		{"Ada", methods[1], false, func(c *ncf.Config) {}, false},
		{"P-EE, rows", methods[2], true, func(c *ncf.Config) { c.Scheme = phe.Fresh }, false},
		{"EE, all parameters", methods[3], true, func(c *ncf.Config) { c.Scope = phe.AllParameters }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if nettest.Brief(t) && !c.always {
				t.Skip("ten seconds of compilation")
			}
			config := c.method.config()
			config.Encoder.InitialLogStdDev = -3
			if c.method.rows == phe.Hashed { // few collisions, and some rows of nobody
				config.Encoder.NumBuckets, config.Encoder.NumWeights = 89, 83
			}
			c.change(&config)
			suite := contract(t, config)
			if !c.unseen {
				suite.Unseen = nil
			}
			if nettest.Brief(t) {
				suite.Beside = 0 // excerpts' tests have runs side by side
			}
			suite.Check(t)
		})
	}
}

// contract of a configuration.
func contract(t *testing.T, c ncf.Config) learntest.Contract {
	d := toyData()
	user, item := int32(toyUsers), int32(toyItems) // of an unseen user and an unseen item
	d.Users, d.Items, d.ItemLabels = append(d.Users, "12"), append(d.Items, "-20"), append(d.ItemLabels, 0b110)
	d.User, d.Item = append(d.User, user, user, 0, 1), append(d.Item, item, 4, item, item)
	d.Ratings = append(d.Ratings, make([]float32, 4)...)
	above := make([]bool, len(d.Ratings))
	for i, item := range d.Item { // whoever rates: 80 ratings tell little of pairs
		above[i] = item%2 == 1
		d.Ratings[i] = 0.1
		if above[i] {
			d.Ratings[i] = 0.9
		}
	}
	day := []int32{80, 85, 91}
	m := filetest.Must(ncf.New(c))(t)
	samples := reference{Config: c}.samples(c.TestSamples)
	return learntest.Contract{
		Network: m.Network(), Config: c.Config, Options: learn.Options{MaxUpdated: 4},
		All: filetest.Must(m.Batch(d))(t), Initial: rowsOf(0, 80), Chunk: day, Unseen: rowsOf(toyRatings, toyRatings+4),
		Loss: func(forecast []float32, rating int32) (float64, error) {
			if len(forecast) != samples {
				return 0, errors.Errorf("%d means for %d samples", len(forecast), samples)
			}
			below := c.Forecast(forecast).CDF(0.5)
			if !(below >= 0 && below <= 1) {
				return 0, errors.Errorf("a rating is below a half with probability %g", below)
			}
			if above[rating] {
				return -math.Log1p(-below), nil
			}
			return -math.Log(below), nil
		},
		Guess: math.Ln2, Epochs: 15, Touched: touchedBy(c, d, day),
		Beside: 2e-4, // roundings of 1e-7 that eight steps of Adam divide by the size of small gradients
	}
}

// Learners that share programs do not disturb each other, whoever goes first: also in the initial phase, whose data a learner
// keeps from epoch to epoch.
func TestForks(t *testing.T) {
	c := methods[0].config()
	d := toyData()
	life := func(l learntest.Led, rows []int32) []func() {
		return []func(){
			func() { check(t, l.Fit(rows, 1)) },
			func() { check(t, l.Fit(rows, 1)) },
			l.Settle,
			func() { check(t, l.Update(rows[:7], 2)) },
			func() { predict(t, l, rows, 0) },
			func() { check(t, l.Update(rows[5:9], 2)) },
		}
	}
	first, second := rowsOf(0, 31), rowsOf(50, 81) // as many, so that their data has one shape
	var alone [2]learn.Snapshot
	own := newLearner(t, c, d, 64, 0)
	for i, rows := range [][]int32{first, second} {
		l := own
		if i > 0 && nettest.Brief(t) { // one life follows the other: programs fewer to compile
			l = own.Forked(t, 1)
		} else if i > 0 {
			l = newLearner(t, c, d, 64, 1)
		}
		for _, step := range life(l, rows) {
			step()
		}
		alone[i] = snapshot(t, l)
	}
	base := newLearner(t, c, d, 64, 5)
	for _, reversed := range []bool{false, true} {
		learners := []learntest.Led{base.Forked(t, 0), base.Forked(t, 1)}
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
	l := newLearner(t, c, toyData(), 13, 1)
	if _, err := l.Fork([]int64{1, 2}); err == nil {
		t.Error("two seeds for one run")
	}
	check(t, l.Fit(rowsOf(0, 13), 1)) // the snapshot has moments
	good := snapshot(t, l)
	for _, bad := range []struct {
		rows  []int32
		right string
	}{{nil, "at least 1"}, {[]int32{toyRatings}, "the batch, which has 97 records"}, {[]int32{-1}, "the batch, which has 97 records"}} {
		_, err := l.Predict(bad.rows, 0)
		for call, err := range map[string]error{
			"prediction": err, "update": l.Update(bad.rows, 1), "fit": l.Fit(bad.rows, 1), "replay": l.Replay(bad.rows, 1),
		} {
			filetest.WantError(t, err, bad.right, call)
		}
	}
	filetest.WantError(t, l.Update(rowsOf(0, 14), 1), "at most 13")
	for name, bad := range map[string]learn.Snapshot{
		"empty":           {},
		"too few":         {Parameters: good.Parameters[1:]},
		"too short":       {Parameters: append([][]float32{good.Parameters[0][1:]}, good.Parameters[1:]...)},
		"too few moments": {Parameters: good.Parameters, Moments: good.Moments[1:]},
	} {
		if l.Restore(bad) == nil {
			t.Errorf("snapshot %s restored", name)
		}
	}
	if !slices.EqualFunc(good.Parameters, snapshot(t, l).Parameters, slices.Equal[[]float32]) {
		t.Error("an error changed the state")
	}
	if l.Counts() != good.Counts {
		t.Errorf("errors count as %+v", l.Counts())
	}
}
