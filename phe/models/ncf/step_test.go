package ncf_test

import (
	"testing"

	"gophe/phe"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/models/ncf"

	"gophe/phe/disk/filetest"
)

// referenceCases are the model's ways through the graph.
var referenceCases = []struct {
	name   string
	method method
	runs   int
	change func(*ncf.Config)
	always bool // also where each case takes seconds to compile
}{
	{"PHE", methods[0], 1, func(c *ncf.Config) {}, true},
	{"PHE, rows, embedded labels, log average, two runs", methods[0], 2, func(c *ncf.Config) {
		c.Scheme, c.LabelInput, c.Loss, c.Scope = phe.Fresh, ncf.Embedded, phe.LogAverage, phe.AllParameters
	}, false},
	{"PHE, embedded labels", methods[0], 1, func(c *ncf.Config) { c.LabelInput = ncf.Embedded }, true},
	{"PHE, no labels, all parameters, rates", methods[0], 1, func(c *ncf.Config) {
		setLabels(c, ncf.NoLabels)
		c.Scope, c.KLWeight, c.UpdateKLWeight, c.UpdateLearningRate = phe.AllParameters, 0.3, 0.05, 0.02
	}, false},
	{"PHE, plain sum, two runs", methods[0], 2, func(c *ncf.Config) { c.Encoder.Assembly, c.Encoder.NumWeights = phe.PlainSum, 0 }, false},
	{"PHE, average, rows", methods[0], 1, func(c *ncf.Config) {
		c.Encoder.Assembly, c.Encoder.NumWeights, c.Scheme = phe.Average, 0, phe.Fresh
	}, false},
	{"PHE, average", methods[0], 1, func(c *ncf.Config) { c.Encoder.Assembly, c.Encoder.NumWeights = phe.Average, 0 }, false},
	{"PHE, three hashes", methods[0], 1, func(c *ncf.Config) { c.Encoder.NumHashes, c.Encoder.EmbeddingDim = 3, 2 }, false},
	{"Ada", methods[1], 1, func(c *ncf.Config) {}, false},
	{"Ada, embedded labels, all parameters, two runs", methods[1], 2, embedLabels, false},
	{"P-EE", methods[2], 1, func(c *ncf.Config) {}, false},
	{"P-EE, rows, embedded labels, two runs", methods[2], 2, func(c *ncf.Config) {
		c.Scheme, c.LabelInput = phe.Fresh, ncf.Embedded
	}, false},
	{"EE, no labels", methods[3], 1, func(c *ncf.Config) { setLabels(c, ncf.NoLabels) }, false},
}

// Whole training steps and predictions against plain Go: the gradient of the first initial step through Adam's first
// moment, the parameters after some steps, and after updates, with prior and padding.
func TestAgainstPlainGo(t *testing.T) {
	for _, c := range referenceCases {
		t.Run(c.name, func(t *testing.T) {
			if nettest.Brief(t) && !c.always {
				t.Skip("ten seconds of compilation")
			}
			config := c.method.config()
			c.change(&config)
			testAgainstPlainGo(t, config, c.runs)
		})
	}
}

func testAgainstPlainGo(t *testing.T, c ncf.Config, runs int) {
	const room, initialSteps, updateSteps = 64, 2, 2
	rows, day, next := rowsOf(0, 22), rowsOf(40, 49), rowsOf(60, 74)
	d := toyData()
	c.BatchSize = room // also where rows are fewer
	seeds := []int64{5, 3, 2}[:runs]
	l := newLearner(t, c, d, room, seeds...)
	before := l.State(t)
	filetest.Check(t, l.Fit(rows, 1))
	first := learn.Snapshot{Parameters: l.State(t).Moments}
	filetest.Check(t, l.Fit(rows, initialSteps-1))
	trained := l.State(t)
	l.Settle()
	predictions := l.Predict(t, next, 4)
	filetest.Check(t, l.Update(day, updateSteps))
	updated := l.State(t)
	filetest.Check(t, l.Update(next, updateSteps))
	end := l.State(t)

	for run, seed := range seeds {
		m := newReference(t, c, d, seed)
		p := ofRun(before, run, runs)
		nettest.FirstGradient(t, ofRun(first, run, runs), m.initialPhase(t, p, rows, initialSteps))
		compare(t, "the initial phase", ofRun(trained, run, runs), p)
		// From here on from equal numbers, so that roundings do not add up.
		p = ofRun(trained, run, runs)
		m.comparePredictions(t, p, predictions[run*len(predictions)/runs:][:len(predictions)/runs], next, 4, room)
		m.update(t, p, day, updateSteps, 0, room)
		compare(t, "an update", ofRun(updated, run, runs), p)
		p = ofRun(updated, run, runs)
		m.update(t, p, next, updateSteps, 1, room)
		compare(t, "the next update", ofRun(end, run, runs), p)
	}
}

// 32 labels fill the bits of a set, the last included, and ratings the scale.
func TestManyLabels(t *testing.T) {
	d := toyData()
	d.Ratings[0], d.Ratings[1] = 0, 1
	d.ItemLabels[2], d.ItemLabels[3], d.ItemLabels[4] = 1<<31, 1<<31|1, 1<<32-1
	for _, input := range []ncf.LabelInput{ncf.MultiHot, ncf.Embedded} {
		c := methods[1].config()
		c.LabelInput, c.Labels = input, labelNames(32)
		l := newLearner(t, c, d, 64, 1)
		p := ofRun(l.State(t), 0, 1)
		newReference(t, c, d, 1).comparePredictions(t, p, l.Predict(t, rowsOf(0, 7), 0), rowsOf(0, 7), 0, 64)
	}
}

// comparePredictions tolerates 1e-5: float32 sums of some dozen terms of size 1.
func (m reference) comparePredictions(t *testing.T, p [][]float64, got []float32, rows []int32, step, room int) {
	t.Helper()
	z := m.drawnAt(t, "prediction", step, m.TestSamples, room)
	samples := m.samples(m.TestSamples)
	filetest.Want(t, len(got), len(rows)*samples, "predictions")
	for i, row := range rows {
		for s := range samples {
			want := m.mean(p, row, z, s, i)
			filetest.Near(t, float64(got[i*samples+s]), want, 1e-5, "run of seed %d, row %d, sample %d", m.seed, row, s)
		}
	}
}

// compare tolerates 4e-4 of a step of 0.05: Adam divides the gradient's rounding by its size.
func compare(t *testing.T, after string, got, want [][]float64) {
	t.Helper()
	nettest.Same(t, "parameters after "+after, got, want, 2e-5)
}
