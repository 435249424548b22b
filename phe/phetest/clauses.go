package phetest

import (
	"math"
	"slices"
	"testing"
)

// Predictions are log probabilities that add up to 1, and predicting changes nothing: not the state, not the answer,
// not its rows.
func (c Contract[S]) probabilities(t *testing.T) {
	l := c.trained(t, 1)
	_, before := c.state(t, l)
	rows := slices.Clone(c.Chunk)
	first := c.predict(t, l, 3)
	if len(first) != len(rows)*c.Classes {
		t.Fatalf("%d log probabilities for %d rows of %d classes", len(first), len(rows), c.Classes)
	}
	for row := range slices.Chunk(first, c.Classes) {
		total := 0.0
		for _, v := range row {
			total += math.Exp(float64(v))
		}
		if !(math.Abs(total-1) < 1e-5) { // float32 logs of averages over the samples
			t.Errorf("probabilities %v add up to %g", row, total)
		}
	}
	if !slices.Equal(first, c.predict(t, l, 3)) {
		t.Error("the same prediction, asked twice, differs")
	}
	if _, after := c.state(t, l); !equal(before, after) {
		t.Error("predicting changed the state")
	}
	if !slices.Equal(rows, c.Chunk) {
		t.Error("predicting changed its rows")
	}
}

// The initial phase and updates learn: the loss of the chunk ends well below that of guessing, all numbers are finite,
// and the rows given are unchanged.
func (c Contract[S]) learning(t *testing.T) {
	l := c.trained(t, 1)
	initial, chunk := slices.Clone(c.Initial), slices.Clone(c.Chunk)
	trained := c.loss(c.predict(t, l, 0))
	for step := range 3 {
		ok(t, l.Update(c.Chunk, 5, step))
	}
	updated := c.loss(c.predict(t, l, 0))
	guess := math.Log(float64(c.Classes))
	if !(trained < 0.8*guess) || !(updated < 0.8*guess) {
		t.Errorf("loss is %.3f after the initial phase and %.3f after updates; guessing gives %.3f", trained, updated, guess)
	}
	_, numbers := c.state(t, l)
	for i, values := range numbers {
		for _, v := range values {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				t.Fatalf("parameter %d holds %g", i, v)
			}
		}
	}
	if !slices.Equal(initial, c.Initial) || !slices.Equal(chunk, c.Chunk) {
		t.Error("learning changed its rows")
	}
}

// loss is the mean negative log probability of the chunk's labels, in nats.
func (c Contract[S]) loss(logProbabilities []float32) (mean float64) {
	for i, row := range c.Chunk {
		mean -= float64(logProbabilities[i*c.Classes+int(c.Labels[row])]) / float64(len(c.Chunk))
	}
	return
}

// The same seed gives the same bits through initial phase and updates, and another seed gives others.
func (c Contract[S]) reproducible(t *testing.T) {
	var states [3][][]float32
	for i, seed := range []int64{7, 7, 8} {
		l := c.trained(t, seed)
		for step := range 2 {
			ok(t, l.Update(c.Chunk, 3, step))
		}
		_, states[i] = c.state(t, l)
	}
	if !equal(states[0], states[1]) {
		t.Error("one seed gives two states")
	}
	if equal(states[0], states[2]) {
		t.Error("two seeds give one state")
	}
}

// A snapshot, taken in the middle of the initial phase or after it, goes on in another learner as in the first.
func (c Contract[S]) snapshot(t *testing.T) {
	first := c.New(t, 5)
	ok(t, first.Initialise())
	ok(t, first.TrainEpoch(c.Initial, 0))
	middle, kept := c.state(t, first)
	second := c.New(t, 5)
	ok(t, second.Restore(middle))
	for _, l := range []Learner[S]{first, second} {
		ok(t, l.TrainEpoch(c.Initial, 1))
		l.EndInitialPhase()
	}
	end, want := c.state(t, first)
	if _, got := c.state(t, second); !equal(got, want) {
		t.Error("the initial phase goes on otherwise from a snapshot")
	}
	if !equal(kept, c.Flat(middle)) {
		t.Error("training on changed the snapshot")
	}
	ok(t, first.Update(c.Chunk, 2, 0))
	ok(t, second.Restore(end))
	ok(t, second.Update(c.Chunk, 2, 0))
	_, want = c.state(t, first)
	if _, got := c.state(t, second); !equal(got, want) {
		t.Error("the stream goes on otherwise from a snapshot")
	}
}

// An update moves what it must and leaves the rest bit for bit: the KL's gradient is 0 at q = p, and Adam is fresh. No
// epochs, no change.
func (c Contract[S]) update(t *testing.T) {
	l := c.trained(t, 3)
	before, numbers := c.state(t, l)
	ok(t, l.Update(c.Chunk, 0, 0))
	if _, after := c.state(t, l); !equal(numbers, after) {
		t.Error("no epochs moved the state")
	}
	for step := range 2 {
		ok(t, l.Update(c.Chunk, 3, step))
	}
	after, _ := c.state(t, l)
	if was, is := c.Still(before), c.Still(after); !equal(was, is) {
		t.Error("an update moved numbers that its rows do not touch")
	}
	was, is := c.Moving(before), c.Moving(after)
	for i := range was {
		if slices.Equal(was[i], is[i]) {
			t.Errorf("an update left list %d of moving numbers as it was", i)
		}
	}
}

// Seeds side by side in one program equal seeds alone, to the tolerance Beside: the noise is equal bit for bit, sums
// may add up in another order, and training magnifies the difference with every step, so there are few.
func (c Contract[S]) sideBySide(t *testing.T) {
	if c.Beside == 0 {
		t.Skip("compiling takes longer than it tells")
	}
	c.Epochs = 2
	seeds := []int64{2, 3, 5}
	stream := func(seeds ...int64) []float32 {
		l := c.trained(t, seeds...)
		ok(t, l.Update(c.Chunk, 2, 0))
		return c.predict(t, l, 1)
	}
	together := stream(seeds...)
	size := len(together) / len(seeds)
	for i, seed := range seeds {
		alone := stream(seed)
		for k, want := range alone {
			if got := together[i*size+k]; !(math.Abs(float64(got-want)) <= c.Beside) {
				t.Fatalf("seed %d: log probability %d is %g beside others and %g alone", seed, k, got, want)
			}
		}
	}
}
