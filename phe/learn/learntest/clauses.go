package learntest

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
)

// forecasts checks that predictions are forecasts and change nothing: neither the state, nor the next answer, nor the numbers of
// the records.
func (c Contract) forecasts(t *testing.T) {
	l := c.trained(t, 1)
	_, before := state(t, l)
	records := slices.Clone(c.Chunk)
	first := c.predict(t, l)
	if first.Runs != 1 || first.Records != len(records) || len(first.Values) != first.Records*first.Width {
		t.Fatalf("%d numbers for %d runs of %d records, %d each", len(first.Values), first.Runs, first.Records, first.Width)
	}
	c.loss(t, first, records)
	filetest.Want(t, c.predict(t, l).Values, first.Values, "the same prediction, asked twice")
	_, after := state(t, l)
	filetest.Want(t, after, before, "the state after predicting")
	filetest.Want(t, c.Chunk, records, "the records after predicting")
}

// learning checks that the initial phase and updates learn. The loss of the chunk ends well below the loss of guessing, all numbers
// are finite, and the given records are unchanged.
func (c Contract) learning(t *testing.T) {
	l := c.trained(t, 1)
	initial, chunk := slices.Clone(c.Initial), slices.Clone(c.Chunk)
	trained := c.loss(t, c.predict(t, l), chunk)
	for range 3 {
		filetest.Check(t, l.Update(c.Chunk, 5))
	}
	updated := c.loss(t, c.predict(t, l), chunk)
	filetest.True(t, trained < 0.8*c.Guess, "loss is %.3f after the initial phase; guessing gives %.3f", trained, c.Guess)
	filetest.True(t, updated < 0.8*c.Guess, "loss is %.3f after updates; guessing gives %.3f", updated, c.Guess)
	filetest.Must(l.WriteTo(io.Discard))(t) // which refuses a number that is not finite
	filetest.Want(t, c.Initial, initial, "the records of the initial phase after learning")
	filetest.Want(t, c.Chunk, chunk, "the records of updates after learning")
}

// unseen checks that an item from no earlier batch is predicted and learned. Its records must cost less after some updates on them.
func (c Contract) unseen(t *testing.T) {
	if len(c.Unseen) == 0 {
		t.Skip("the contract has no records of unseen items")
	}
	c.Pinned, c.strangers, c.initial = false, true, nil // a pinned batch is known as a whole
	l := c.trained(t, 1)
	loss := func() float64 {
		return c.loss(t, filetest.Must(l.Learner.Predict(c.All.Take(c.Unseen)))(t), c.Unseen)
	}
	before := loss()
	for range 3 {
		filetest.Check(t, l.Update(c.Unseen, 20))
	}
	after := loss()
	filetest.True(t, after < 0.8*before, "records of unseen items cost %.3f nats before they are learned, and %.3f after", before, after)
}

// reproducible checks that equal seeds give equal bits through initial phase and updates, and other seeds other bits.
func (c Contract) reproducible(t *testing.T) {
	c.initial = nil
	var states [3][][]float32
	for i, seed := range []int64{7, 7, 8} {
		l := c.trained(t, seed)
		for range 2 {
			filetest.Check(t, l.Update(c.Chunk, 3))
		}
		_, states[i] = state(t, l)
	}
	filetest.Want(t, states[0], states[1], "the state of one seed, again")
	filetest.True(t, !slices.EqualFunc(states[0], states[2], slices.Equal[[]float32]), "two seeds give one state")
}

// continues returns a check that another learner, to which hand gives the first one's state, predicts the same bits and continues
// with the same bits, in the initial phase and after it.
func (c Contract) continues(hand func(t *testing.T, from, to nettest.Led)) func(t *testing.T) {
	return func(t *testing.T) {
		first, second, third := c.fresh(t, 5), c.fresh(t, 5), c.fresh(t, 5)
		filetest.Check(t, first.Fit(c.Initial, 1))
		hand(t, first, second)
		for _, l := range []nettest.Led{first, second} {
			filetest.Check(t, l.Fit(c.Initial, 1))
			l.Settle()
			filetest.Check(t, l.Update(c.Chunk, 2))
		}
		hand(t, second, third)
		for _, l := range []nettest.Led{first, third} {
			filetest.Check(t, l.Update(c.Chunk, 2))
		}
		filetest.Want(t, c.predict(t, third).Values, c.predict(t, first).Values, "predictions of the other learner")
		before, want := state(t, first)
		after, got := state(t, third)
		filetest.Want(t, got, want, "the other learner's state as it goes on")
		filetest.Want(t, after.Counts, before.Counts, "the other learner's counts as it goes on")
	}
}

// restore restores a learner from another one's snapshot, which further training must not change.
func restore(t *testing.T, from, to nettest.Led) {
	t.Helper()
	s, numbers := state(t, from)
	kept := nettest.Converted[float32](numbers)
	filetest.Check(t, to.Restore(s))
	t.Cleanup(func() { filetest.Want(t, flat(s), kept, "the snapshot after training on") })
}

// save writes a learner and reads it into another one. Damaged or truncated bytes must be an error that changes nothing.
func save(t *testing.T, from, to nettest.Led) {
	t.Helper()
	var file bytes.Buffer
	filetest.Want(t, filetest.Must(from.WriteTo(&file))(t), int64(file.Len()), "bytes that WriteTo says")
	_, before := state(t, to)
	damaged := slices.Clone(file.Bytes())
	damaged[len(damaged)/2] ^= 4
	for _, bad := range [][]byte{nil, damaged, file.Bytes()[:file.Len()-1]} {
		err := filetest.Failure(to.ReadFrom(bytes.NewReader(bad)))
		filetest.True(t, err != nil, "%d bytes of %d, damaged or cut off, were read", len(bad), file.Len())
	}
	_, after := state(t, to)
	filetest.Want(t, after, before, "the state after damaged bytes")
	filetest.Must(to.ReadFrom(&file))(t)
}

// update checks that an update moves the scope's parameters and leaves all others bit for bit: the KL's gradient is 0 at q = p, and
// the updater is fresh.
func (c Contract) update(t *testing.T) {
	l := c.trained(t, 1)
	before, _ := state(t, l)
	for range 2 {
		filetest.Check(t, l.Update(c.Chunk, 3))
	}
	after, _ := state(t, l)
	was, stillBefore := c.split(t, before)
	is, stillAfter := c.split(t, after)
	filetest.Want(t, stillAfter, stillBefore, "numbers that the records of an update do not touch")
	for i := range was {
		filetest.True(t, !slices.Equal(was[i], is[i]), "an update left list %d of moving numbers as it was", i)
	}
	filetest.Want(t, l.Counts().Updates, 2, "updates that the learner counts")
}

// errors checks that data that cannot be learned is an error that changes nothing.
func (c Contract) errors(t *testing.T) {
	l := c.trained(t, 1)
	_, before := state(t, l)
	blind, absent := *c.All, int32(c.All.Records)
	blind.Targets = nil
	for name, b := range map[string]*learn.Batch{"no records": c.All.Take(nil), "a record that is not there": c.All.Take([]int32{absent}),
		"no targets": blind.Take(c.Chunk)} {
		for call, err := range []error{l.Learner.Update(b, 1), l.Learner.Fit(b, 1), l.Learner.Replay(b, 1)} {
			filetest.True(t, err != nil, "call %d of update, fit and replay by %s is no error", call, name)
		}
	}
	filetest.True(t, l.Update(c.Chunk, 0) != nil, "an update of no epochs is no error")
	_, after := state(t, l)
	filetest.Want(t, after, before, "the state after an error")
	filetest.Want(t, l.Counts().Updates, 0, "updates after an error")
}

// concurrent checks that predictions beside an update follow the beliefs before it or after it, and never a mixture.
func (c Contract) concurrent(t *testing.T) {
	l := c.trained(t, 1)
	before := c.predict(t, l).Values
	var group sync.WaitGroup
	const readers = 3
	answers := make([][][]float32, readers)
	for i := range readers {
		group.Go(func() {
			for range 4 {
				p, err := l.Learner.Predict(c.All.Take(c.Chunk))
				if err != nil {
					t.Error(err)
					return
				}
				answers[i] = append(answers[i], p.Values)
			}
		})
	}
	filetest.Check(t, l.Update(c.Chunk, 2))
	group.Wait()
	after := c.predict(t, l).Values
	for _, values := range slices.Concat(answers...) {
		if !slices.Equal(values, before) && !slices.Equal(values, after) {
			t.Fatal("a prediction beside an update is neither that before nor that after")
		}
	}
}

// sideBySide checks that seeds side by side in one program equal single seeds, up to the tolerance Beside. Their noise is equal bit
// for bit. Sums may add up in another order, and each training step magnifies the difference, so the clause takes few steps.
func (c Contract) sideBySide(t *testing.T) {
	if c.Beside == 0 {
		t.Skip("compiling takes longer than it tells")
	}
	c.Epochs, c.initial = 2, nil
	seeds := []int64{2, 3, 5}
	stream := func(seeds ...int64) learn.Predictions {
		l := c.trained(t, seeds...)
		filetest.Check(t, l.Update(c.Chunk, 2))
		return c.predict(t, l)
	}
	together := stream(seeds...)
	for run, seed := range seeds {
		alone := stream(seed)
		var beside, want [][]float32
		for i := range c.Chunk {
			beside, want = append(beside, together.Of(run, i)), append(want, alone.Of(0, i))
		}
		nettest.Same(t, fmt.Sprintf("records of seed %d beside others, and alone", seed), beside, want, c.Beside)
	}
}

// unpinnedSize is the smallest size that the calls of a learner without a pinned batch are padded to.
const unpinnedSize = 64

// pinnedOrNot checks that a learner whose batch stays on the device learns and forecasts as one that sends the records of each call,
// with the table rows of their items. Sums may add up in another order. Both start each call from equal numbers, so that roundings
// do not add up. With one padding they draw the same noise, except under [phe.Items], whose noise has the shape of the items.
func (c Contract) pinnedOrNot(t *testing.T) {
	padded := max(len(c.Chunk), len(c.All.Items)) <= unpinnedSize
	if c.Beside == 0 || !padded || c.Config.Scheme == phe.Items && c.Config.Encoder.Estimate == phe.Posterior {
		t.Skip("the noise has another shape, or compiling takes longer than it tells")
	}
	c.Config.BatchSize = min(c.Config.BatchSize, unpinnedSize)
	c.t, c.roots, c.Options.MaxUpdated, c.Pinned = t, map[int]nettest.Led{}, unpinnedSize, false
	free, pinned := c.fresh(t, 2, 3), c.fresh(t, 2, 3).Pinned(t)
	for _, call := range []struct {
		name      string
		do        func(l nettest.Led) error
		tolerance float64
	}{
		{"two epochs", func(l nettest.Led) error { return l.Fit(c.Initial, 2) }, 1e-4}, // several steps of Adam
		{"a replay", func(l nettest.Led) error { return l.Replay(c.Initial, 1) }, 2e-5},
		{"an update", func(l nettest.Led) error { defer l.Settle(); return l.Update(c.Chunk, 2) }, 2e-5},
		{"an update of one record", func(l nettest.Led) error { return l.Update(c.Chunk[:1], 2) }, 2e-5},
	} {
		filetest.Check(t, free.Restore(pinned.State(t)))
		filetest.Check(t, call.do(pinned))
		filetest.Check(t, call.do(free))
		want, got := pinned.State(t), free.State(t)
		filetest.Want(t, got.Counts, want.Counts, "%s: counts of a learner that is not pinned", call.name)
		nettest.Same(t, call.name+" of a batch that is not pinned", got.Parameters, want.Parameters, call.tolerance)
		values := [2][]float32{c.predict(t, free).Values, c.predict(t, pinned).Values}
		nettest.Same(t, "forecasts after "+call.name, values[:1], values[1:], call.tolerance)
	}
}
